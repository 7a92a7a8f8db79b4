"""Check the links within the built book. `python -m tools.book.links [FOLDER]`

Every page and every #anchor that a page names is there, no id is used twice on a page, no link leads to a page's
source, and no address outside is http. Whether an address outside is still there, Sphinx asks: `make linkcheck`, for
the scheduled workflow.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlparse

ROOT = Path(__file__).resolve().parents[2]
PLAIN_HTTP = {"localhost", "127.0.0.1", "www.w3.org"}  # this machine; and a namespace, which is a name and no place
LINKS = {
    "a": "href",
    "link": "href",
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "object": "data",
    "area": "href",
}
NEEDS_NO_ANCHOR = {"", "top"}


class Page(HTMLParser):
    """The ids of one page and the links in it, as they are written."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given[name] for name in ("id",) if given.get(name)]
        if tag == "a" and given.get("name"):
            self.ids.append(given["name"])
        if tag in LINKS and given.get(LINKS[tag]) is not None and given.get("rel") not in {"canonical", "preconnect"}:
            self.links.append(given[LINKS[tag]])


def read(folder: Path) -> dict[str, Page]:
    """Every page below `folder`, by its path there."""
    if not folder.is_dir():
        raise FileNotFoundError(f"folder must be the built book, got {folder}: run `make html`")
    return {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }


def inside(pages: dict[str, Page], folder: Path) -> list[str]:
    """What is wrong with the pages' links, one line each; [] where all in the book lead somewhere."""
    wrong = []
    ids = {path: set(page.ids) for path, page in pages.items()}
    for path, page in pages.items():
        if path == "404.html":
            continue  # served at any address, so its links are made for the public one
        wrong += [
            f"{path}: id {each!r} is used twice"
            for each in sorted({each for each in page.ids if page.ids.count(each) > 1})
        ]
        for link in page.links:
            parts = urlparse(link)
            if parts.scheme or parts.netloc:
                if parts.scheme == "http" and parts.hostname not in PLAIN_HTTP:
                    wrong.append(f"{path}: {link} is http: write https")
                continue
            target = unquote(urlparse(urljoin(f"/{path}", parts.path)).path).lstrip("/") if parts.path else path
            target = f"{target}index.html" if target == "" or target.endswith("/") else target
            anchor = unquote(parts.fragment)
            if target.endswith(".myst.md") and not target.startswith("_sources/"):
                wrong.append(f"{path}: {link} leads to a source, not to a page")
            elif parts.path.startswith("/"):
                wrong.append(f"{path}: {link} begins at the server's root, and the book may lie deeper")
            elif not (folder / target).is_file():
                wrong.append(f"{path}: {link} leads nowhere")
            elif anchor not in NEEDS_NO_ANCHOR and target in ids and anchor not in ids[target]:
                wrong.append(f"{path}: {link} names an anchor that {target} does not have")
    return wrong


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "_build" / "html"
    pages = read(folder)
    wrong = inside(pages, folder)
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links")
    print("\n".join(wrong), file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
