"""How long the labs take: from the kernel's start to the first cell's end, the slowest cell, and all cells in a row.

    python -m benchmarks.labs             every lab, solved: that is all the work a learner's run does
    python -m benchmarks.labs 05 06       some

Bars: the first cell has run in under 20 s, no cell takes over 60 s on two cores. The kernel has one thread, so that the numbers do not
depend on how many cores there are. What the machine does meanwhile is in them: the load is printed beside them.
"""

import os
import sys
from pathlib import Path

from tools.environments import lab_run

ROOT = Path(__file__).resolve().parents[1]

START, CELL = 20, 60  # seconds


def faults(found: dict) -> list[str]:
    """The bars that are broken, and why a lab fails."""
    if not found["ok"]:
        return [f"failed: {found['why'].strip().splitlines()[-1]}"]
    return [f"starts in over {START} s"] * (found["start"] > START) + [f"a cell over {CELL} s"] * (max(found["cells"]) > CELL)


def main(chosen: list[str]) -> int:
    paths = sorted((ROOT / "labs" / "solutions").glob("*.ipynb"))
    print(f"seconds of one thread, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    wrong = []
    for path in paths:
        if not chosen or path.name.startswith(tuple(chosen)):
            found = lab_run.run(path)
            wrong += faults(found)
            slowest = max(found["cells"], default=0)
            print(f"{path.stem:<28} first cell {found['start']}, slowest {slowest}, all {found['total']}  {'; '.join(faults(found))}".rstrip(), flush=True)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
