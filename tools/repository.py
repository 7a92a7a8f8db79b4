"""The repository's public address, read from the one setting in pyproject.toml, and every link made from it.

    python tools/repository.py            rewrite the generated lines of README.md   (make address)
    python tools/repository.py --check    fail if they are not what the setting gives
"""

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlparse

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- address: begin (make address) -->", "<!-- address: end -->"


@dataclass(frozen=True)
class Repository:
    """A GitHub repository; `address` is empty while the public place is not known."""

    address: str = ""
    branch: str = "main"

    @classmethod
    def from_pyproject(cls, address: str | None = None) -> "Repository":
        """Read [tool.course]; `address` overrides the setting. ValueError where it is no GitHub address."""
        setting = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["course"]
        found = (setting["repository"] if address is None else address).rstrip("/")
        parts = urlparse(found)
        if found and (parts.netloc != "github.com" or len(parts.path.strip("/").split("/")) != 2):
            raise ValueError(f"[tool.course] repository must be empty or https://github.com/OWNER/NAME, got {found!r}")
        return cls(found, setting["branch"])

    @property
    def known(self) -> bool:
        return bool(self.address)

    @property
    def slug(self) -> str:
        return urlparse(self.address).path.strip("/")

    @property
    def pages_prefix(self) -> str:
        """The path under which Pages serves the book, with both slashes."""
        return f"/{self.slug.split('/')[1]}/" if self.known else "/"

    @property
    def pages(self) -> str:
        owner, name = self.slug.split("/")
        return f"https://{owner.lower()}.github.io/{name}/"

    def colab(self, notebook: str) -> str:
        return f"https://colab.research.google.com/github/{self.slug}/blob/{self.branch}/{quote(notebook)}"

    def binder(self, notebook: str) -> str:
        return f"https://mybinder.org/v2/gh/{self.slug}/{self.branch}?urlpath=lab/tree/{quote(notebook)}"

    @property
    def install(self) -> str:
        """The requirement that installs course_lib from the repository, for a notebook's first cell."""
        return f"course_lib @ git+{self.address}@{self.branch}"

    def readme_lines(self) -> str:
        """The part of README.md that depends on the address."""
        if not self.known:
            return (
                "The public address is not set yet. Whoever publishes this course writes it once, in `[tool.course]` of\n"
                "`pyproject.toml`, and runs `make address`: badges, launch buttons and install lines follow from it."
            )
        lab = "labs/03_attention_by_hand.ipynb"
        return "\n".join(
            [
                f"[![tests]({self.address}/actions/workflows/book.yml/badge.svg)]({self.address}/actions/workflows/book.yml)",
                f"[![Binder](https://mybinder.org/badge_logo.svg)]({self.binder(lab)})",
                f"[![Colab](https://colab.research.google.com/assets/colab-badge.svg)]({self.colab(lab)})",
                "",
                f"Read it: <{self.pages}>. In Colab, a notebook needs one line first: `%pip install -q '{self.install}'`.",
            ]
        )


def with_address(readme: str, repository: Repository) -> str:
    """README text with its generated lines replaced."""
    before, rest = readme.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{repository.readme_lines()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    path = ROOT / "README.md"
    now = path.read_text()
    wanted = with_address(now, Repository.from_pyproject())
    if "--check" in arguments:
        return int(now != wanted)
    path.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
