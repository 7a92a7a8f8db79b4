"""How old each pin is, and whether anybody still looks after it: tools/environments/upkeep.md. `python -m tools.environments.upkeep`

Of every package in the requirements files: when the pinned version was published, which version is the newest and when that was, and what
draws the package in. Of those whose newest release is older than
SILENT days REASONS says why they may stay; one without a reason makes the command fail. Dates are those of `uv lock`, which asks the package index; needs uv (requirements-uv.txt).
"""

import re
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from tools.environments import pins
from tools.environments.environments import call, ranges

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_suffix(".md")
FILES = tuple(sorted(path.name for path in ROOT.glob("requirements*.txt")))
SILENT = 2 * 365  # days without a release after which somebody must have said why it may stay
# Packages without a release for SILENT days, by the reason for which they may stay.
REASONS = {
    "small and finished; Jupyter's server, its converter or IPython asks for it, no page does": [
        "rfc3986-validator",
        "rfc3339-validator",
        "isoduration",
        "uri-template",
        "ptyprocess",
        "defusedxml",
        "overrides",
        "terminado",
        "notebook-shim",
        "jupyterlab-pygments",
        "pandocfilters",
        "pexpect",
        "stack-data",
    ],
    "nothing here uses it: jupyter-book asks for it, and goes only with jupyter-book": [
        "sphinx-comments",
        "sphinx-jupyterbook-latex",
        "sphinx-thebe",
    ],
    "numbers the table of contents for jupyter-book; goes only with it": ["sphinx-multitoc-numbering"],
    "copies code in a page; works with Sphinx 7.4, which jupyter-book holds": ["sphinx-copybutton"],
    "hardly maintained, works with pytest 9.2; pytest-notebook would follow it": ["nbval"],
    "kept by the Dask project; only studies on several machines": ["locket", "partd", "zict"],
    "finished; Hypothesis and Dask stand on it": ["sortedcontainers"],
    "only the test of Binder: jupyter-repo2docker asks for it": ["toml", "iso8601"],
    "a part of Sphinx's own, without need of change": [
        "sphinxcontrib-applehelp",
        "sphinxcontrib-devhelp",
        "sphinxcontrib-htmlhelp",
        "sphinxcontrib-qthelp",
        "sphinxcontrib-serializinghtml",
    ],
    "Sphinx 7.4, which jupyter-book holds, asks for it below 1": ["alabaster"],
    "a part of markdown-it's, of MyST's or of the theme's, without need of change": ["mdurl", "jupyter-cache", "accessible-pygments"],
    "the extension for citations asks for it": ["pybtex-docutils"],
    "finished; does something on Windows only": ["colorama"],
}
VERDICTS = {name: reason for reason, names in REASONS.items() for name in names}
HEAD = """\
# Age and upkeep of every pin

Made by `python -m tools.environments.upkeep` on {today}; verdicts stand in that file. *Old* is a package without a release for two years.

"""


class Release(NamedTuple):
    version: str
    published: date


class Row(NamedTuple):
    name: str
    pinned: Release
    newest: Release
    needed_by: tuple[str, ...]  # "the course" where it asks for it itself


def releases(lock: str) -> dict[str, Release]:
    """Normal name → version and the day of its first file, out of a uv.lock."""
    found = {}
    for package in tomllib.loads(lock)["package"]:
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        days = [str(file["upload-time"])[:10] for file in files if "upload-time" in file]
        if days:
            found[pins.normal(package["name"])] = Release(package["version"], date.fromisoformat(min(days)))
    return found


def locked(requirements: Iterable[str]) -> dict[str, Release]:
    """What uv chooses for these requirements, each by itself: what they need beside them is not looked at."""
    listed = list(requirements)
    names = [re.match(r"[\w.-]+", each)[0] for each in listed]
    alone = ", ".join(f'{{name = "{name}", requires-dist = []}}' for name in names)
    project = f'[project]\nname = "pins-of-the-course"\nversion = "0"\nrequires-python = ">=3.11,<3.14"\ndependencies = {listed!r}\n'
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pyproject.toml").write_text(
            f"{project}[tool.uv]\npackage = false\ndependency-metadata = [{alone}]\n", encoding="utf-8"
        )
        call("lock", "--quiet", "--project", folder, "--prerelease", "if-necessary")
        return releases(Path(folder, "uv.lock").read_text(encoding="utf-8"))


def needed_by(wanted: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Normal name → the installed packages that ask for it, and the course itself."""
    found: dict[str, set[str]] = {name: set() for name in wanted}
    asked = [("the course", each) for each in ranges()]
    asked += [(each.metadata["Name"], line) for each in metadata.distributions() for line in each.requires or () if "extra ==" not in line]
    for who, line in asked:
        name = pins.normal(re.match(r"[\w.-]+", line)[0])
        if name in found and pins.normal(who) not in (name, "course-lib"):
            found[name].add(who)
    return {name: tuple(sorted(by, key=str.lower)) for name, by in found.items()}


def rows() -> list[Row]:
    """Every pin, that with the oldest newest release first."""
    pinned = {key: pin for name in FILES for key, pin in pins.pins((ROOT / name).read_text(encoding="utf-8")).items()}
    now = locked(f"{name}=={version}" for name, version in pinned.values())
    newest = locked(name for name, _ in pinned.values())
    by = needed_by(pinned)
    found = [Row(name, now[key], newest[key], by[key]) for key, (name, _) in pinned.items()]
    return sorted(found, key=lambda row: (row.newest.published, row.name.lower()))


def silent(row: Row, today: date) -> bool:
    return (today - row.newest.published).days > SILENT


def text(found: list[Row], today: date) -> str:
    """The table as Markdown: the old ones with their verdicts, then the others."""

    def line(row: Row, *more: str) -> str:
        by = ", ".join(row.needed_by[:4]) + (f" and {len(row.needed_by) - 4} more" if len(row.needed_by) > 4 else "")
        newest = f"{row.newest.version}, {row.newest.published}" if row.newest.version != row.pinned.version else "the same"
        return "| " + " | ".join([row.name, f"{row.pinned.version}, {row.pinned.published}", newest, by or "–", *more]) + " |"

    old = [row for row in found if silent(row, today)]
    young = sorted((row for row in found if not silent(row, today)), key=lambda row: row.name.lower())
    head = "| package | pinned | newest | asked for by |"
    parts = [HEAD.format(today=today) + f"## Old: {len(old)}", "", f"{head} why it stays |", "|---|---|---|---|---|"]
    parts += [line(row, VERDICTS.get(pins.normal(row.name), "**no verdict**")) for row in old]
    parts += ["", f"## Looked after: {len(young)}", "", head, "|---|---|---|---|", *map(line, young)]
    return "\n".join(parts) + "\n"


def main() -> int:
    found, today = rows(), date.today()
    TABLE.write_text(text(found, today), encoding="utf-8")
    without = [row.name for row in found if silent(row, today) and pins.normal(row.name) not in VERDICTS]
    print(f"{TABLE.relative_to(ROOT)}: {len(found)} pins, {sum(silent(row, today) for row in found)} of them old")
    if without:
        print(f"no verdict yet on {', '.join(without)}: look, and write it into VERDICTS", file=sys.stderr)
    return int(bool(without))


if __name__ == "__main__":
    sys.exit(main())
