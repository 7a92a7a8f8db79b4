"""Everything of a release, out of a clean checkout, in one folder: `python -m tools.release.make [FOLDER] [--without pdf]`     (make release)

    attention-by-hand-VERSION-site.zip         the book, for a web server
    attention-by-hand-VERSION.zip              the book, for a USB stick: read by double click
    attention-by-hand-VERSION.pdf              the book on paper, whole
    attention-by-hand-VERSION-reader.pdf       text, figures, theorems and proofs
    attention-by-hand-VERSION-parts.zip        each part on paper
    course_lib-VERSION-py3-none-any.whl        the package, with its data
    attention-by-hand-VERSION-source.tar.gz    the repository
    CITATION.cff                               how it is cited; Zenodo reads it at the tag
    RELEASE_NOTES.md                           out of CHANGELOG.md
    SHA256SUMS                                 sha256sum --check SHA256SUMS

The same commit, packages and Chromium give the same bytes. Nothing is tagged, pushed or sent. Refuses a checkout with changes, and one
whose version and authors are not the same everywhere.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from tools.book import build, dist
from tools.book.printing import chromium_path
from tools.notebooks.first_cell import version
from tools.release import archives
from tools.repository import ROOT

CITATION = ROOT / "CITATION.cff"
NOTES = "### In one page"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


def notes(changelog: str, wanted: str) -> str:
    """The release notes: the section NOTES below the version's heading. ValueError where there is none."""
    found = re.search(rf"^## {re.escape(wanted)}\b.*?^{NOTES}\n(.*?)(?=^###? )", changelog, re.M | re.S)
    if found is None:
        raise ValueError(f"CHANGELOG.md has no {NOTES!r} below '## {wanted}'")
    return f"# Attention, by hand {wanted}\n\n{found[1].strip()}\n"


def citation(path: Path = CITATION) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def authors(cited: dict) -> str:
    """Their names as a reader writes them, given name first."""
    return ", ".join(author.get("name") or f"{author['given-names']} {author['family-names']}" for author in cited["authors"])


def disagreements(root: Path = ROOT) -> list[str]:
    """What does not yet say this version, or names other authors."""
    found = []
    cited = citation(root / "CITATION.cff")
    if cited["version"] != version():
        found.append(f"CITATION.cff has version {cited['version']}, course_lib has {version()}")
    names = authors(cited)
    found += [f"{name} does not name {names}, as CITATION.cff does" for name in ("LICENSE", "_config.yml") if names not in (root / name).read_text(encoding="utf-8")]
    try:
        notes((root / "CHANGELOG.md").read_text(encoding="utf-8"), version())
    except ValueError as error:
        found.append(str(error))
    return found


def sums(folder: Path) -> str:
    """SHA-256 and name of each file, by name, as sha256sum reads them."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def papers(html: Path, output: Path, name: str, work: Path) -> None:
    """Print the book: whole, in parts, and the reader's edition."""
    subprocess.run([sys.executable, "-m", "tools.book.pdf", str(html), str(work)], cwd=ROOT, check=True)
    for suffix in ("", "-reader"):
        (work / f"{dist.NAME}{suffix}.pdf").rename(output / f"{name}{suffix}.pdf")
    dist.pack(work, output / f"{name}-parts.zip", f"{name}-parts")


def make(output: Path, paper: bool) -> None:
    """Fill the folder `output`, made anew."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    name = f"{dist.NAME}-{version()}"
    os.environ |= ONE_THREAD | {"SOURCE_DATE_EPOCH": str(archives.moment())}
    archives.source(output / f"{name}-source.tar.gz", f"{name}-source")
    archives.wheel(output)
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        html = build.build(work / "book")
        (html / ".buildinfo").unlink()  # says where it was built, for the next build there
        dist.pack(html, output / f"{name}-site.zip", f"{name}-site")
        dist.dist(html, work / "stick")
        (work / "stick" / f"{name}.zip").rename(output / f"{name}.zip")
        if paper:
            papers(html, output, name, work / "paper")
    shutil.copy(CITATION, output)
    (output / "RELEASE_NOTES.md").write_text(notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version()), encoding="utf-8")
    (output / "SHA256SUMS").write_text(sums(output), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_build" / "release")
    parser.add_argument("--without", choices=["pdf"], help="for a trial: printing takes most of the time")
    options = parser.parse_args()
    faults = disagreements()
    if changed := archives.git("status", "--porcelain").decode():
        faults.append(f"the checkout has changes; a release is made from a commit:\n{changed.rstrip()}")
    if options.without != "pdf":
        try:
            chromium_path()
        except FileNotFoundError as error:
            faults.append(f"{error}; or try it `--without pdf`")
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    make(options.folder, paper=options.without != "pdf")
    for path in sorted(options.folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.name}")
    print(f"released on {citation()['date-released']}, says CITATION.cff: is it the day of the tag?")
    print(f"in {options.folder}; nothing is tagged or sent. What is left to do by hand: CONTRIBUTING.md, A release")
    return 0


if __name__ == "__main__":
    sys.exit(main())
