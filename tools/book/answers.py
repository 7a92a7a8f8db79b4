"""The answer book, for teachers: every exercise of the book with what is right, why, the usual mistakes and the hints. `python -m tools.book.answers [OUT]`

A file a chapter and one for the labs, which print well, in OUT (_build/answers): not a part of the published book. The exercises have the
numbers of the sheets that the book publishes (course_book.sheets).
"""

import sys
from pathlib import Path

from tools.repository import ROOT

sys.path.append(str(ROOT / "book" / "_ext"))

from course_book import questions, sheets

OUT = ROOT / "_build" / "answers"


def write(out: Path) -> list[Path]:
    """Write the files; return them."""
    out.mkdir(parents=True, exist_ok=True)
    style = f"<style>{(sheets.HERE / 'static' / 'sheet.css').read_text(encoding='utf-8')}</style>"
    written = []
    for caption, pages in questions.parts(ROOT).items():
        name = pages[0].path.split("/")[1] if pages[0].path.startswith("chapters/") else caption.lower()
        body = sheets.exercises(pages, lambda spec: sheets.question(spec) + sheets.answer(spec))
        written.append(out / f"{name}.html")
        written[-1].write_text(sheets.page(f"{caption}: answers", body, style), encoding="utf-8")
    return written


def main(arguments: list[str]) -> None:
    written = write(Path(arguments[0]) if arguments else OUT)
    print(f"{len(written)} files in {written[0].parent}")


if __name__ == "__main__":
    main(sys.argv[1:])
