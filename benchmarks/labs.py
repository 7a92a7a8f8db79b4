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


def row(name: str, found: dict) -> str:
    """A line of the table; a bar that is broken, or a lab that fails, is said in its last column."""
    cells = found["cells"] or [float("nan")]
    slow = max(cells)
    faults = [] if found["ok"] else [f"failed: {found['why'].strip().splitlines()[-1]}"]
    faults += [f"starts in over {START} s"] if found["start"] is not None and found["start"] > START else []
    faults += [f"a cell over {CELL} s"] if slow > CELL else []
    start = float("nan") if found["start"] is None else found["start"]
    total = float("nan") if found["total"] is None else found["total"]
    return f"{name:<28}{start:>8.1f}{slow:>9.1f}{cells.index(slow) + 1:>6}{total:>8.1f}  {'; '.join(faults)}".rstrip()


def main(chosen: list[str]) -> int:
    paths = sorted((ROOT / "labs" / "solutions").glob("*.ipynb"))
    load = f", load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else ""
    print(f"seconds of one thread{load}\n{'lab, solved':<28}{'start':>8}{'slowest':>9}{'cell':>6}{'all':>8}")
    good = True
    for path in paths:
        if not chosen or path.name.startswith(tuple(chosen)):
            found = lab_run.run(path)
            good &= found["ok"] and found["start"] <= START and max(found["cells"]) <= CELL
            print(row(path.stem, found), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
