"""How long a page takes, computed from what is on it: a check on the time that its frame states.

Words at 200 a minute (prose to be understood, with formulas, is read slower than a novel); a minute for each displayed
formula, each figure and each cell of code to be read; three minutes for each widget and each exercise, eight for each
cell to be written in a lab. A reader may well need half or twice as long: the stated time is the author's, this one
only says when it cannot be true.
"""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[3]
WORDS = 200  # a minute
MINUTES = {"formula": 1.0, "figure": 1.0, "code": 1.0, "widget": 3.0, "exercise": 3.0, "blank": 8.0}
VIEW = "application/vnd.jupyter.widget-view+json"
FIGURE = ("application/vnd.plotly.v1+json", "image/svg+xml", "image/png")


def counted(notebook: Path) -> dict[str, int]:
    """Words of prose, displayed formulas, cells of visible code, figures, widgets, exercises and blanks of a page."""
    found = dict.fromkeys(("words", *MINUTES), 0)
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "markdown":
            found["formula"] += len(re.findall(r"\$\$.+?\$\$", cell.source, re.S))
            found["words"] += len(re.sub(r"\$\$.+?\$\$", " ", cell.source, flags=re.S).split())
            continue
        hidden = {"hide-input", "remove-input", "remove-cell"} & set(cell.metadata.get("tags", []))
        shown = [kind for output in cell.get("outputs", []) for kind in output.get("data", {})]
        exercise = bool(re.search(r"^ask\(", cell.source, re.M))
        blank = "blank" in cell.metadata.get("tags", [])
        found["blank"] += blank
        found["exercise"] += exercise
        found["widget"] += VIEW in shown and not exercise
        found["figure"] += any(kind in FIGURE for kind in shown)
        found["code"] += not (hidden or exercise or blank) and "import " not in cell.source.split("\n")[0]
    return found


def minutes(notebook: Path) -> float:
    """The computed time of a page."""
    found = counted(notebook)
    return found["words"] / WORDS + sum(found[kind] * each for kind, each in MINUTES.items())
