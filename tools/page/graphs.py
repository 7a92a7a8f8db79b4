"""Write every graph of the catalogue to course_lib/widgets/graphs/, the same bytes every time.

python -m tools.page.graphs            write them                            (make graphs)
python -m tools.page.graphs --check    fail where the stored bytes differ, naming the graph
"""

import argparse
import sys
from pathlib import Path

from course_lib.graphs import CATALOGUE, dumps

DIRECTORY = Path(__file__).resolve().parents[2] / "course_lib" / "widgets" / "graphs"


def stored(name: str) -> Path:
    return DIRECTORY / f"{name}.json"


def differing() -> list[str]:
    """Names whose stored bytes are not what the catalogue traces now, and files that no entry writes."""
    wrong = [
        name
        for name, build in CATALOGUE.items()
        if not stored(name).is_file() or stored(name).read_text(encoding="utf-8") != dumps(build())
    ]
    return wrong + sorted(p.stem for p in DIRECTORY.glob("*.json") if p.stem not in CATALOGUE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    if parser.parse_args().check:
        wrong = differing()
        for name in wrong:
            print(f"course_lib/widgets/graphs/{name}.json is not what the catalogue traces: run tools/page/graphs.py")
        return 1 if wrong else 0
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for leftover in DIRECTORY.glob("*.json"):
        if leftover.stem not in CATALOGUE:
            leftover.unlink()
    for name, build in CATALOGUE.items():
        stored(name).write_text(dumps(build()), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
