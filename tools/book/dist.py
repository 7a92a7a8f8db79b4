"""The book as a folder and a zip for a USB stick: read by double click, without a server. `python -m tools.book.dist
[BOOK [OUTPUT]]`

BOOK is the built book (_build/html), OUTPUT the folder that gets attention-by-hand-VERSION/ and .zip (_build/dist). The
folder is checked before it is zipped: names that every file system takes, nothing from outside, no link that needs a
server.
"""

import re
import shutil
import sys
from pathlib import Path
from urllib.parse import urlparse

from tools.book import links
from tools.notebooks.first_cell import version
from tools.page import model_parts
from tools.repository import ROOT, Repository

NAME = "attention-by-hand"
START = "Open me.html"
PAGES = "pages"
LEFT_OUT = shutil.ignore_patterns(".buildinfo*", ".doctrees", "404.html", "objects.inv", ".nojekyll")
LONGEST_NAME, LONGEST_PATH = 120, 180  # Windows takes 260 for the whole path, the stick's own folders included
FORBIDDEN = re.compile(r'[<>:"\\|?*\x00-\x1f]|[. ]$')
DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{i}" for name in ("com", "lpt") for i in range(1, 10))}
FETCHED = {"script", "link", "img", "iframe", "source", "object"}

OPEN = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Attention, by hand</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url={start}"></head>
<body><p><a href="{start}">Open the book</a></p></body></html>
"""
README = """Attention, by hand, version {version}
{rule}

Open "{start}" with a double click: it opens in your browser. Nothing is installed, and nothing is fetched from
the network: the pages, their mathematics and their models are all in this folder. Copy the whole folder; a page alone \
lacks its parts.

Any browser of the last three years will do. Your settings and answers are kept by your browser, on your machine; some \
browsers forget
them for pages opened from a folder.

Notebooks are not in this folder: they need Python. {home}

Licences: LICENSE.txt (code: MIT; text: CC BY 4.0). Fonts and scripts of others: see the LICENSE files beside them.
"""


def fragile_names(paths: list[str]) -> list[str]:
    """Which of these paths a stick's file system (FAT, exFAT, NTFS) would refuse or mix up, with the reason."""
    found, seen = [], {}
    for path in sorted(paths):
        parts = path.split("/")
        if any(FORBIDDEN.search(part) for part in parts):
            found.append(f"{path}: a character that Windows refuses")
        if any(part.split(".")[0].lower() in DEVICES for part in parts):
            found.append(f"{path}: the name of a device on Windows")
        if any(len(part) > LONGEST_NAME for part in parts) or len(path) > LONGEST_PATH:
            found.append(f"{path}: longer than {LONGEST_NAME} characters a name or {LONGEST_PATH} in all")
        if seen.setdefault(path.lower(), path) != path:
            found.append(f"{path}: differs from {seen[path.lower()]} in capitals only")
    return found


def fetched_from_outside(folder: Path) -> list[str]:
    """Scripts, styles, pictures and frames that a page or a style sheet of `folder` takes from elsewhere."""
    found = []
    for path in sorted(folder.rglob("*.html")):
        for tag, address in re.findall(
            r'<(\w+)\b[^>]*?\b(?:src|href|data)="([^"]+)"', path.read_text(encoding="utf-8")
        ):
            if tag in FETCHED and (urlparse(address).netloc or address.startswith("/")):
                found.append(f"{path.name}: {address}")
    for path in sorted(folder.rglob("*.css")):
        addresses = re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s]+)", path.read_text(encoding="utf-8"))
        found += [f"{path.name}: {each}" for each in addresses if urlparse(each).netloc or each.startswith("/")]
    return found


def faults(folder: Path) -> list[str]:
    """What would not work from a stick."""
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    pages = folder / PAGES
    return fragile_names(names) + fetched_from_outside(folder) + links.inside(links.read(pages), pages)


def collect(book: Path, folder: Path) -> None:
    """Copy the built book into a fresh `folder` and put beside it what a person finds first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(book, folder / PAGES, ignore=LEFT_OUT)
    model_parts.scripts(folder / PAGES / "_static" / "models")  # a page that is opened from a folder can fetch nothing
    repository = Repository.from_pyproject()
    home = f"They are at {repository.address}." if repository.known else "They come with the course's repository."
    title = f"Attention, by hand, version {version()}"
    words = README.format(version=version(), rule="=" * len(title), start=START, home=home)
    (folder / START).write_text(OPEN.format(start=f"{PAGES}/book/index.html"), encoding="utf-8", newline="\n")
    (folder / "README.txt").write_text(words, encoding="utf-8", newline="\r\n")  # for Windows' old editors too
    (folder / "VERSION.txt").write_text(f"{version()}\n", encoding="utf-8", newline="\n")
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE.txt")


def dist(book: Path, output: Path) -> Path:
    """Make folder and zip below `output`; ValueError names what would not work from a stick. Returns the folder."""
    folder = output / f"{NAME}-{version()}"
    collect(book, folder)
    if found := faults(folder):
        raise ValueError("the book would not work from a folder:\n" + "\n".join(found))
    shutil.make_archive(str(folder), "zip", output, folder.name)
    return folder


def main(arguments: list[str]) -> int:
    book = Path(arguments[0]) if arguments else ROOT / "_build" / "html"
    output = Path(arguments[1]) if len(arguments) > 1 else ROOT / "_build" / "dist"
    try:
        folder = dist(book, output)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    size = folder.with_name(f"{folder.name}.zip").stat().st_size / 1e6
    print(f"{folder} and .zip ({size:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
