"""How much is written by hand, room by room: characters that are no white space, and files.

    python -m tools.suite.size      exit status 1 where a room, a file or a line is larger than pyproject.toml allows

Counted are the files of `KINDS` that git knows. Left out: bundles, what is vendored, and what a command writes. A
room's budget only falls, or rises in a commit that says what for. What explains the code, docstrings and comments,
counts in its room and is told apart: its share must not fall, so that nobody makes room by saying less.
"""

import io
import re
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
KINDS = {".py", ".js", ".mjs", ".ts", ".css", ".yml"}
WIDTH = 120  # characters of a line
# Written by a command: `make graphs`, `make widgets`, npm, `python -m tools.book.words --write`.
MADE = (
    "book/data/word_budgets.yml",
    "book/vendor/",
    "course_lib/widgets/dist/",
    "course_lib/widgets/runtime/kernel.js",
    "course_lib/widgets/runtime/quantised_kernel.js",
)
COMMENT_OF_SCRIPTS = re.compile(r"/\*.*?\*/|(?<![:\w\"'`/])//[^\n]*", re.S)
COMMENT_OF_YAML = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.M)


class Size(NamedTuple):
    characters: int
    files: int
    explaining: int  # of the characters, those in docstrings and comments
    lines: int  # of the longest file
    longest: str
    wide: str = ""  # a line of more than WIDTH characters, if there is one

    def __add__(self, other: "Size") -> "Size":
        counts = (mine + its for mine, its in zip(self[:3], other[:3], strict=True))
        return Size(*counts, *max(self[3:5], other[3:5]), self.wide or other.wide)


def characters(text: str) -> int:
    return len("".join(text.split()))


def explaining(path: Path, text: str) -> int:
    """Characters of docstrings and comments."""
    if path.suffix != ".py":
        pattern = COMMENT_OF_YAML if path.suffix == ".yml" else COMMENT_OF_SCRIPTS
        return sum(characters(found) for found in pattern.findall(text))
    found, statement_begins = 0, True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and statement_begins):
            found += characters(token.string)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            statement_begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return found


def sizes(root: Path, rooms: list[str]) -> dict[str, Size]:
    """Room → size; a file belongs to the longest of `rooms` that its path begins with, or to ".": what lies
    elsewhere."""
    found = dict.fromkeys(rooms, Size(0, 0, 0, 0, ""))
    listed = subprocess.run(
        ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for name in listed:
        path = root / name
        if path.suffix not in KINDS or name.startswith(MADE) or not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        room = max((each for each in rooms if name.startswith(f"{each}/")), key=len, default=".")
        lines = text.splitlines()
        wide = next((f"{name}:{number}" for number, line in enumerate(lines, 1) if len(line) > WIDTH), "")
        # of mutants.yml each line is an entry's, and nobody reads it from top to bottom
        long = 0 if path.suffix == ".yml" else len(lines)
        found[room] += Size(characters(text), 1, explaining(path, text), long, name, wide)
    return found


def beyond(found: dict[str, Size], budget: dict) -> list[str]:
    """What is over its budget, in words."""
    said = []
    for room, (most, files) in budget["rooms"].items():
        if found[room].characters > most:
            said.append(f"{room}: {found[room].characters:,} characters, at most {most:,}")
        if found[room].files > files:
            said.append(f"{room}: {found[room].files} files, at most {files}")
    whole = sum(found.values(), Size(0, 0, 0, 0, ""))
    if whole.lines > budget["lines"]:
        said.append(f"{whole.longest}: {whole.lines} lines, at most {budget['lines']} a file")
    if whole.wide:
        said.append(f"{whole.wide}: a line of more than {WIDTH} characters")
    if (share := whole.explaining / whole.characters) < budget["explaining"]:
        said.append(f"docstrings and comments: {share:.3f} of all characters, at least {budget['explaining']}")
    return said


def main() -> int:
    budget = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["course"]["size"]
    found = sizes(ROOT, list(budget["rooms"]))
    print("characters  explaining  files  budget")
    for room, each in [*found.items(), ("in all", sum(found.values(), Size(0, 0, 0, 0, "")))]:
        most = f"{budget['rooms'][room][0]:,}, {budget['rooms'][room][1]} files" if room in budget["rooms"] else ""
        print(f"{each.characters:>10,}  {each.explaining:>10,}  {each.files:>5}  {room}  {most and f'({most})'}")
    over = beyond(found, budget)
    print("\n".join(["", "over the budget of pyproject.toml:", *over] if over else []))
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
