"""How much hand-written code there is, room by room: characters that are no white space. `python -m tools.suite.size`

Counted are the files of `KINDS` that git knows. Left out: bundles, what is vendored, and what a command writes.
"""

import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = {".py", ".js", ".mjs", ".ts", ".css", ".yml", ".json"}
BAR = 2_900_000
# Written by a command: `make graphs`, `make widgets`, `make ledger`, `make notebooks`, a study, npm.
MADE = (
    "book/vendor/",
    "book/data/ledger_values.json",
    "book/data/widgets/",
    "course_lib/results/",
    "course_lib/published/",
    "course_lib/widgets/dist/",
    "course_lib/widgets/graphs/",
    "course_lib/widgets/runtime/kernel.js",
    "course_lib/widgets/runtime/quantised_kernel.js",
    "course_lib/widgets/attention_explorer/default.json",
    "course_lib/widgets/translate/sentences.json",
    "tools/page/npm/package-lock.json",
    "tests/browser/engines/package-lock.json",
)


def by_hand(path: str) -> bool:
    return Path(path).suffix in KINDS and not (path.startswith(MADE) and not path.endswith(".py"))


def counted(root: Path = ROOT) -> Counter[str]:
    """Room, two folders deep → characters."""
    found: Counter[str] = Counter()
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    for path in filter(by_hand, listed):
        room = "/".join(Path(path).parts[:-1][:2]) or "."
        found[room] += len("".join((root / path).read_text(encoding="utf-8").split()))
    return found


if __name__ == "__main__":
    rooms = counted()
    for room, count in sorted(rooms.items()):
        print(f"{count:>11,}  {room}")
    python = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "course_lib").rglob("*.py"))
    print(f"{rooms.total():>11,}  in all, at most {BAR:,}\n{python:>11,}  lines of Python in course_lib")
