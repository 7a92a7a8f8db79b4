"""The card that a shared link shows, one for each chapter: its picture (course_book/covers.py), from the built book.  `make covers`

python -m tools.book.covers HTML     write book/images/cover_NN.png
"""

import sys
from pathlib import Path

from tools.book.printing import printer
from tools.repository import ROOT

WIDE, HIGH = 1200, 630  # what most services that show a link cut to
# the diagram alone on a card, with the chapter's and the course's name
CARD = """([name, chapter, course]) => {
  const figure = document.getElementById(name), picture = figure.querySelector("svg.course-dg");
  const [, , wide, high] = picture.getAttribute("viewBox").split(" ").map(Number);
  const scale = Math.min(1080 / wide, 400 / high, 2.2);
  picture.setAttribute("style", `width:${wide * scale}px;height:${high * scale}px;max-width:none;display:block`);
  picture.setAttribute("class", "course-dg"); // neither the broad one nor the narrow one
  const card = document.createElement("div");
  card.className = "course-diagram";
  card.style.cssText = "position:fixed;inset:0;z-index:9999;margin:0;background:#fff;display:flex;flex-direction:column;align-items:center;justify-content:space-between;padding:36px 60px 40px;box-sizing:border-box";
  const line = (text, style) => Object.assign(document.createElement("div"), { textContent: text, style: `font-family:'STIX Two Text',serif;width:100%;${style}` });
  card.append(line(course, "font-size:30px;color:#4a5560"), picture, line(chapter, "font-size:58px;font-weight:700;color:#222832;line-height:1.1"));
  document.body.replaceChildren(card);
}"""


def main(html: Path) -> None:
    sys.path.append(str(ROOT / "book" / "_ext"))
    from course_book.covers import covers

    with printer(html) as (home, chromium):
        for cover in covers().values():
            page = chromium.new_page(viewport={"width": WIDE, "height": HIGH}, color_scheme="light")
            page.goto(f"{home}{cover.page}.html")
            page.evaluate("Promise.all(['400 30px', '700 58px'].map(each => document.fonts.load(`${each} 'STIX Two Text'`)))")
            page.evaluate(CARD, [cover.name, cover.chapter, "Attention, by hand"])
            page.screenshot(path=cover.card)
            print(f"{cover.card.name}: {cover.card.stat().st_size / 1000:.0f} kB")
            page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
