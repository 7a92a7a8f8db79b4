"""Check the links of the built book. `python -m tools.book.links [FOLDER] [--online]`

Inside: every page and every #anchor that a page names is there, no id is used twice on a page, no link leads to a page's source.
Outside: addresses are listed with the pages that name them and must be well formed and https. `--online` asks each server (HEAD,
then GET), one address at a time, a second apart at one server; it is for the scheduled workflow.
"""

import sys
import time
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urljoin, urlparse
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[2]
PLAIN_HTTP = {"localhost", "127.0.0.1", "www.w3.org"}  # this machine; and a namespace, which is a name and no place
LINKS = {"a": "href", "link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data", "area": "href"}
NEEDS_NO_ANCHOR = {"", "top"}
POLITE = 1.0  # seconds between two questions to one server


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
    return {path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}


def inside(pages: dict[str, Page], folder: Path) -> list[str]:
    """What is wrong with the links that stay in the book, one line each; [] where all lead somewhere."""
    wrong = []
    ids = {path: set(page.ids) for path, page in pages.items()}
    for path, page in pages.items():
        if path == "404.html":
            continue  # served at any address, so its links are made for the public one
        wrong += [f"{path}: id {each!r} is used twice" for each in sorted({each for each in page.ids if page.ids.count(each) > 1})]
        for link in page.links:
            parts = urlparse(link)
            if parts.scheme or parts.netloc:
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


def outside(pages: dict[str, Page]) -> dict[str, list[str]]:
    """Every address outside the book with the pages that name it."""
    found = defaultdict(set)
    for path, page in pages.items():
        for link in page.links:
            if urlparse(link).netloc or urlparse(link).scheme not in {"", "data", "javascript", "mailto"}:
                found[link].add(path)
    return {link: sorted(named) for link, named in sorted(found.items())}


def malformed(link: str) -> str | None:
    """What is wrong with an outside address, or None."""
    parts = urlparse(link)
    if parts.scheme not in {"https", "http"}:
        return "is no https address"
    if parts.scheme == "http" and parts.hostname not in PLAIN_HTTP:
        return "is http: write https"
    if not parts.hostname or "." not in parts.hostname.strip(".") or any(mark in link for mark in ' <>"{}|\\^`'):
        return "is malformed"
    return None


def answer(link: str, timeout: float = 20) -> str | None:
    """Ask the server: None if the page is there, else what it said. Many refuse HEAD, so GET has the last word."""
    said = None
    for method in ("HEAD", "GET"):
        request = Request(link.split("#")[0], method=method, headers={"User-Agent": "link check of a course book"})
        try:
            with urlopen(request, timeout=timeout):
                return None
        except HTTPError as error:
            said = str(error.code)
            if error.code in {401, 403, 429}:
                return None  # it is there, and does not talk to programs
        except (URLError, TimeoutError, OSError) as error:
            said = str(getattr(error, "reason", error))
    return said


def main(arguments: list[str]) -> int:
    folders = [Path(each) for each in arguments if not each.startswith("-")]
    folder = folders[0] if folders else ROOT / "_build" / "html"
    pages = read(folder)
    wrong, named, asked = inside(pages, folder), outside(pages), {}
    wrong += [f"{', '.join(where)}: {link} {fault}" for link, where in named.items() if (fault := malformed(link))]
    for link, where in named.items():
        fault = None
        if "--online" in arguments:
            host = urlparse(link).hostname
            time.sleep(max(0, asked.get(host, 0) + POLITE - time.monotonic()))
            fault, asked[host] = answer(link), time.monotonic()
        print(f"{link}  ({', '.join(where[:3])}{f' and {len(where) - 3} more' if len(where) > 3 else ''}){f'  NO: {fault}' if fault else ''}")
        wrong += [f"{', '.join(where)}: {link} answers {fault}"] if fault else []
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(named)} addresses outside")
    print("\n".join(wrong), file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
