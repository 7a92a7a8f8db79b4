"""What a release has beside the repository's tag, out of a clean checkout, in one folder: `python -m \
tools.release.make [FOLDER]`     (make release)

    attention-by-hand-VERSION.zip              the book, for a USB stick: read by double click
    attention-by-hand-VERSION-reader.pdf       the book on paper
    course_lib-VERSION-py3-none-any.whl        the package, with its data
    RELEASE_NOTES.md                           out of CHANGELOG.md

Nothing is tagged, pushed or sent. Refuses a checkout with changes, and one whose version and authors are not the same
everywhere.
"""

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

import yaml

from tools.book import build, dist
from tools.book.printing import chromium_path
from tools.notebooks.first_cell import version
from tools.repository import ROOT

NOTES = "### In one page"


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def notes(changelog: str, wanted: str) -> str:
    """The release notes: the section NOTES below the version's heading. ValueError where there is none."""
    found = re.search(rf"^## {re.escape(wanted)}\b.*?^{NOTES}\n(.*?)(?=^###? )", changelog, re.M | re.S)
    if found is None:
        raise ValueError(f"CHANGELOG.md has no {NOTES!r} below '## {wanted}'")
    return f"# Attention, by hand {wanted}\n\n{found[1].strip()}\n"


def citation(root: Path = ROOT) -> dict:
    return yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))


def authors(cited: dict) -> str:
    """Their names as a reader writes them, given name first."""
    return ", ".join(
        author.get("name") or f"{author['given-names']} {author['family-names']}" for author in cited["authors"]
    )


def disagreements(root: Path = ROOT) -> list[str]:
    """What does not yet say this version, or names other authors."""
    cited = citation(root)
    names = authors(cited)
    found = [
        f"{name} does not name {names}, as CITATION.cff does"
        for name in ("LICENSE", "_config.yml")
        if names not in (root / name).read_text(encoding="utf-8")
    ]
    if cited["version"] != version():
        found.append(f"CITATION.cff has version {cited['version']}, course_lib has {version()}")
    try:
        notes((root / "CHANGELOG.md").read_text(encoding="utf-8"), version())
    except ValueError as error:
        found.append(str(error))
    return found


def wheel(folder: Path) -> Path:
    """Build the last commit's package as a wheel in `folder`, without a network: setuptools is the environment's
    own."""
    with tempfile.TemporaryDirectory() as copied:
        with tarfile.open(fileobj=BytesIO(git("archive", "HEAD"))) as files:
            files.extractall(copied)
        command = [
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--no-build-isolation",
            "--wheel-dir",
            str(folder),
            copied,
        ]
        subprocess.run([sys.executable, *command], check=True)
    return next(folder.glob("*.whl"))


def make(output: Path) -> None:
    """Fill the folder `output`, made anew."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    name = f"{dist.NAME}-{version()}"
    wheel(output)
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        html = build.build(work / "book")
        dist.dist(html, work)
        shutil.move(work / f"{name}.zip", output)
        subprocess.run(
            [sys.executable, "-m", "tools.book.pdf", str(html), str(output / f"{name}-reader.pdf")],
            cwd=ROOT,
            check=True,
        )
    (output / "RELEASE_NOTES.md").write_text(
        notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version()), encoding="utf-8"
    )


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "_build" / "release"
    faults = disagreements()
    if changed := git("status", "--porcelain").decode():
        faults.append(f"the checkout has changes; a release is made from a commit:\n{changed.rstrip()}")
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    chromium_path()  # before a quarter of an hour of other work
    make(folder)
    print(f"in {folder}; nothing is tagged or sent. What is left to do by hand: tools/release/README.md")
    print(f"released on {citation()['date-released']}, says CITATION.cff: is it the day of the tag?")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
