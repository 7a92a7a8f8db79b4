"""What follows from the repository's public address: README.md's lines and the first cell of every notebook. `make
address` rewrites them."""

from pathlib import Path

from tools.notebooks.first_cell import rewritten, stored
from tools.repository import ROOT, Repository, with_address


def following(repository: Repository) -> dict[Path, str]:
    """Every file that follows from the address, with the text it should have."""
    readme = ROOT / "README.md"
    return {readme: with_address(readme.read_text(), repository)} | {
        path: rewritten(path, repository) for path in stored()
    }


if __name__ == "__main__":
    for path, text in following(Repository.from_pyproject()).items():
        if path.read_text() != text:
            path.write_text(text)
