"""What follows from the repository's public address: README.md's lines and the first cell of every notebook.

    python -m tools.notebooks.address            rewrite them   (make address)
    python -m tools.notebooks.address --check    fail, and say which file, if one is not what the setting gives
"""

import sys
from pathlib import Path

from tools.notebooks.first_cell import rewritten, stored
from tools.repository import ROOT, Repository, with_address


def following(repository: Repository) -> dict[Path, str]:
    """Every file that follows from the address, with the text it should have."""
    readme = ROOT / "README.md"
    return {readme: with_address(readme.read_text(), repository)} | {path: rewritten(path, repository) for path in stored()}


def main(arguments: list[str]) -> int:
    changed = {path: text for path, text in following(Repository.from_pyproject()).items() if path.read_text() != text}
    if "--check" in arguments:
        print("\n".join(f"{path.relative_to(ROOT)} does not follow from the address: run `make address`" for path in changed) or "all follow")
        return bool(changed)
    for path, text in changed.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
