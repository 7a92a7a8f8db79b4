"""The repository's public address, read from the one setting in pyproject.toml, and every link made from it."""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode, urlparse

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- address: begin (make address) -->", "<!-- address: end -->"


@dataclass(frozen=True)
class Repository:
    """A GitHub repository; `address` is empty while the public place is not known."""

    address: str = ""
    branch: str = "main"
    # Colab and Binder open this branch. It is the published commit with its notebooks rendered to plain Markdown at
    # their own paths (tools/book/launch.py; the workflow pushes it), so links and images between them hold, and Binder
    # finds binder/ and course_lib beside them: one tree for both. main itself would show MyST raw in Colab, and in
    # JupyterLab even the extension jupyterlab-myst knows neither theorems nor citations.
    rendered: str = "notebooks"

    @classmethod
    def from_pyproject(cls, address: str | None = None) -> "Repository":
        """Read [tool.course]; `address` overrides the setting. ValueError where it is no GitHub address."""
        setting = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["course"]
        found = (setting["repository"] if address is None else address).rstrip("/")
        parts = urlparse(found)
        if found and (parts.netloc != "github.com" or len(parts.path.strip("/").split("/")) != 2):
            raise ValueError(f"[tool.course] repository must be empty or https://github.com/OWNER/NAME, got {found!r}")
        return cls(found, setting["branch"])

    @classmethod
    def from_environment(cls) -> "Repository":
        """The setting, unless COURSE_REPOSITORY says otherwise: a workflow knows the address of its own repository."""
        return cls.from_pyproject(os.environ.get("COURSE_REPOSITORY"))

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
        return f"https://colab.research.google.com/github/{self.slug}/blob/{self.rendered}/{quote(notebook)}"

    def binder(self, notebook: str) -> str:
        return f"https://mybinder.org/v2/gh/{self.slug}/{self.rendered}?urlpath=lab/tree/{quote(notebook)}"

    def install(self, at: str) -> str:
        """The requirement that installs course_lib from the repository, at a tag or commit."""
        return f"course_lib @ git+{self.address}@{at}"

    def error_report(self, **fields: str) -> str:
        """The form for a new issue, its fields filled in (by the ids in .github/ISSUE_TEMPLATE/error.yml)."""
        return f"{self.address}/issues/new?{urlencode({'template': 'error.yml'} | fields)}"

    def readme_lines(self) -> str:
        """The part of README.md that depends on the address."""
        if not self.known:
            return (
                "The public address is not set yet. Whoever publishes this course writes it once, in `[tool.course]` "
                "of\n"
                "`pyproject.toml`, and runs `make address`: badges, launch buttons and install lines follow from it."
            )
        lab, workflow = "labs/attention_by_hand.ipynb", f"{self.address}/actions/workflows/book.yml"
        return "\n".join(
            [
                f"[![tests]({workflow}/badge.svg)]({workflow})",
                f"[![Binder](https://mybinder.org/badge_logo.svg)]({self.binder(lab)})",
                f"[![Colab](https://colab.research.google.com/assets/colab-badge.svg)]({self.colab(lab)})",
                "",
                (
                    f"Read it: <{self.pages}>. Every page with code opens in Colab and Binder from its header: its "
                    f"first cell brings `course_lib`."
                ),
            ]
        )


def with_address(readme: str, repository: Repository) -> str:
    """README text with its generated lines replaced."""
    before, rest = readme.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{repository.readme_lines()}\n{END}{after}"
