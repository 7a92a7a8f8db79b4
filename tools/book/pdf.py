"""The book on paper: the chapters, and what they cannot be read without, as one PDF. `python -m tools.book.pdf [BOOK
[FILE]]`

Chromium prints every built page once; pypdf puts the pages together with a title page, contents whose lines are links,
an outline, running page numbers and working links between pages. Fails where anything would be cut. Links to pages that
are not in the file lead to the public address, if there is one, and are plain text otherwise.
"""

import html
import io
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NullObject,
    NumberObject,
)

from tools.book import contents
from tools.book.dist import NAME, version
from tools.book.printing import print_html, print_page, printer
from tools.release.make import authors, citation
from tools.repository import Repository

ROOT = Path(__file__).resolve().parents[2]
MOST_PAGES = 450
KEPT = (
    "book/notation.html",
    "book/glossary.html",
    "book/bibliography.html",
)  # what the chapters cannot be read without
ABOUT = (
    "Text, figures, theorems and proofs. Code, predictions, exercises, labs and the reference of the package "
    "are in the book itself; "
    "there the figures are alive, and the models run in your browser."
)
STYLE = """<style>
body { font: 10.5pt/1.45 sans-serif; color: #111; margin: 0; } a { color: inherit; text-decoration: none; }
.title { height: 250mm; display: flex; flex-direction: column; justify-content: center; } .title h1 { font-size: 32pt; \
margin: 0 0 6mm; font-weight: 500; }
.title p { margin: 0 0 2mm; font-size: 12pt; } h2 { font-size: 16pt; font-weight: 500; break-before: page; } h3 { \
font-size: 10.5pt; margin: 4mm 0 1mm; break-after: avoid; }
li { display: flex; gap: 2mm; break-inside: avoid; } ul { list-style: none; padding: 0; margin: 0; } li i { flex: 1; \
border-bottom: 1px dotted #999; margin-bottom: 1.2mm; }
.foot { height: 297mm; box-sizing: border-box; padding: 0 16mm 8mm; display: flex; justify-content: space-between; \
align-items: flex-end; font-size: 8pt; color: #555; break-after: page; }
.foot:last-child { break-after: auto; }
</style>"""


@dataclass
class Sheet:
    """One printed page of the book: its path, its title, its part, and the PDF."""

    path: str
    title: str
    part: str
    reader: PdfReader
    begins: int = 0  # its first page in the file being made


def parts() -> dict[str, list[str]]:
    """Caption → paths of its pages, in the order of the table of contents; parts without any are left out."""
    found = {part: [f"{page}.html" for page in pages] for part, pages in contents.parts().items()}
    chosen = {
        part: [path for path in paths if path.startswith("chapters/") or path in KEPT] for part, paths in found.items()
    }
    return {part: paths for part, paths in chosen.items() if paths}


def title_of(book: Path, path: str) -> str:
    """The page's title, as its browser tab shows it."""
    words = re.search(r"<title>(.*?)</title>", (book / path).read_text(encoding="utf-8"), re.S)[1]
    return html.unescape(words).split(" — ")[0].strip()


def front(chromium, home: str, sheets: list[Sheet], shift: int) -> PdfReader:
    """Title page and contents; each line of the contents links to its page, which lies `shift` pages further than its
    number counts."""
    live = Repository.from_pyproject()
    rows, part = [], None
    for sheet in sheets:
        if sheet.part != part:
            rows.append(f"{'</ul>' if part else ''}<h3>{html.escape(sheet.part)}</h3><ul>")
            part = sheet.part
        rows.append(
            f'<li><a href="{home}{sheet.path}">{html.escape(sheet.title)}</a><i></i>'
            f"<span>{sheet.begins + shift + 1}</span></li>"
        )
    where = f'<p><a href="{live.pages}">{live.pages}</a></p>' if live.known else ""
    return PdfReader(
        io.BytesIO(
            print_html(
                chromium,
                f"""<html lang="en">{STYLE}<div class="title"><h1>Attention, by hand</h1>
        <p>Version {version()}</p>{where}<p style="margin-top: 12mm; font-size: 10pt; max-width: 120mm">{ABOUT}</p><p \
style="font-size: 10pt">Text: CC BY 4.0. Code: MIT.</p></div><h2>Contents</h2>{"".join(rows)}</ul></html>""",
            )
        )
    )


def footers(chromium, names: list[str]) -> PdfReader:
    """One page for each name: the name at the left of the foot, the page's number at the right."""
    feet = "".join(
        f'<div class="foot"><span>{html.escape(name)}</span><span>{i + 1}</span></div>' for i, name in enumerate(names)
    )
    none = {side: "0" for side in ("top", "right", "bottom", "left")}
    return PdfReader(io.BytesIO(print_html(chromium, f"<html>{STYLE}{feet}</html>", margin=none)))


def stamp(writer: PdfWriter, page, mark, name: str) -> None:
    """Draw `mark` over `page` as an object of its own. (pypdf's merge_page unpacks and parses every page: minutes, and
    four times the size.)"""

    def stream(data: bytes) -> DecodedStreamObject:
        made = DecodedStreamObject()
        made.set_data(data)
        return made

    form = stream(mark.get_contents().get_data())
    form.update({NameObject("/Type"): NameObject("/XObject"), NameObject("/Subtype"): NameObject("/Form"),
        NameObject("/BBox"): mark.mediabox,
                 NameObject("/Resources"): mark["/Resources"].get_object().clone(writer)})  # fmt: skip
    resources = page["/Resources"].get_object()
    objects = resources.setdefault(NameObject("/XObject"), DictionaryObject()).get_object()
    objects[NameObject(name)] = writer._add_object(form.flate_encode())
    own = page.raw_get("/Contents")
    own = list(own) if isinstance(own, ArrayObject) else [own]
    begin, end = (
        writer._add_object(stream(words.encode())) for words in ("q\n", f"\nQ q {name} Do Q")
    )  # the page's own settings end at Q
    page[NameObject("/Contents")] = ArrayObject([begin, *own, end])


def go_to(writer: PdfWriter, number: int, top=None) -> ArrayObject:
    """An explicit destination: the page's number in the file, its top or a height on it."""
    height = NullObject() if top is None else FloatObject(top)
    return ArrayObject(
        [writer.pages[number].indirect_reference, NameObject("/XYZ"), NullObject(), height, NumberObject(0)]
    )


def relink(writer: PdfWriter, sheets: list[Sheet], home: str) -> None:
    """Links within a page keep their target, links to a page of this file lead there, the others to the public book or
    nowhere."""
    live = Repository.from_pyproject()
    begins = {sheet.path: sheet.begins for sheet in sheets}
    owner = {sheet.begins + i: sheet for sheet in sheets for i in range(len(sheet.reader.pages))}
    for number, page in enumerate(writer.pages):
        kept = ArrayObject()
        for reference in page.get("/Annots", ()):
            note = reference.get_object()
            action = note.get("/A", {}).get_object() if "/A" in note else {}
            address = str(action.get("/URI", ""))
            named = note.get("/Dest") or action.get("/D")
            if address.startswith(home):
                path = address[len(home):].split("#")[0].split("?")[0]  # fmt: skip
                if path in begins:
                    del note["/A"]
                    note[NameObject("/Dest")] = go_to(writer, begins[path])
                elif live.known:
                    action[NameObject("/URI")] = type(action["/URI"])(live.pages + address[len(home):])  # fmt: skip
                else:
                    note.pop("/A")  # the note stays in the file, though no page shows it: without the address
                    continue
            elif named is not None and not isinstance(named, ArrayObject) and number in owner:
                sheet = owner[number]
                target = sheet.reader.named_destinations.get(
                    str(named).lstrip("/")
                ) or sheet.reader.named_destinations.get(str(named))
                if target is None:
                    continue
                note.pop("/A", None)
                note[NameObject("/Dest")] = go_to(
                    writer, sheet.begins + sheet.reader.get_destination_page_number(target), target.top
                )
            kept.append(reference)
        if "/Annots" in page:
            page[NameObject("/Annots")] = kept


def bind(chromium, home: str, sheets: list[Sheet]) -> PdfWriter:
    """One file out of printed pages: title, contents, numbers, outline, links."""
    begin = 0
    for sheet in sheets:
        sheet.begins, begin = begin, begin + len(sheet.reader.pages)
    ahead = len(front(chromium, home, sheets, 0).pages)  # as long with the right numbers
    opening = front(chromium, home, sheets, ahead)
    writer, names, chapter = PdfWriter(), [""] * ahead, (None, None)
    writer.append(opening, import_outline=False)
    for sheet in sheets:
        sheet.begins += ahead
        writer.append(sheet.reader, import_outline=False)
        names += [sheet.title] * len(sheet.reader.pages)
    marks = footers(chromium, names)
    for number, page in enumerate(writer.pages):
        if number:
            stamp(writer, page, marks.pages[number], f"/Foot{number}")
    writer.add_outline_item(title="Contents", page_number=1)
    for sheet in sheets:
        if chapter[0] != sheet.part:
            chapter = (sheet.part, writer.add_outline_item(title=sheet.part, page_number=sheet.begins))
        own = writer.add_outline_item(title=sheet.title, page_number=sheet.begins, parent=chapter[1])
        for name, number in sections(sheet.reader):
            writer.add_outline_item(title=name, page_number=sheet.begins + number, parent=own)
    relink(writer, sheets, home)
    writer.add_metadata({"/Title": f"Attention, by hand {version()}", "/Author": authors(citation())})
    writer.page_mode = "/UseOutlines"
    return writer


def sections(reader: PdfReader) -> list[tuple[str, int]]:
    """Titles and page numbers of a page's sections: the second level of Chromium's own outline."""
    items = reader.outline
    inner = next((each for each in items if isinstance(each, list)), [])
    return [
        (each.title.rstrip("#").strip(), reader.get_destination_page_number(each))
        for each in inner
        if not isinstance(each, list)
    ]


def printed(book: Path, chromium, home: str, wanted: dict[str, list[str]]) -> tuple[list[Sheet], list[str]]:
    """Every wanted page, printed, and what would be cut."""
    live, sheets, faults, shown = Repository.from_pyproject(), [], [], {}
    for part, paths in wanted.items():
        for path in paths:
            data, cut = print_page(chromium, home, path, (live.pages if live.known else "") + path, shown)
            sheets.append(Sheet(path, title_of(book, path), part, PdfReader(io.BytesIO(data))))
            faults += [f"{path}: {each}" for each in cut]
            print(f"{path}: {len(sheets[-1].reader.pages)} pages", file=sys.stderr, flush=True)
    return sheets, faults


def main(arguments: list[str]) -> int:
    book = Path(arguments[0]) if arguments else ROOT / "_build" / "html"
    output = Path(arguments[1]) if len(arguments) > 1 else ROOT / "_build" / "pdf" / f"{NAME}-reader.pdf"
    output.parent.mkdir(parents=True, exist_ok=True)
    with printer(book) as (home, chromium):
        sheets, faults = printed(book, chromium, home, parts())
        made = bind(chromium, home, sheets)
    made.write(output)
    if len(made.pages) > MOST_PAGES:
        faults.append(f"{len(made.pages)} pages, at most {MOST_PAGES}")
    print("\n".join(faults), file=sys.stderr)
    print(f"{output}: {len(made.pages)} pages")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
