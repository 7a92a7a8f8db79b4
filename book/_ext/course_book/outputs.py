"""Printed lines that are sentences wrap; printed tables keep their columns: wide ones get smaller letters, and scroll
where that is not enough.

A printed text is a table if one of several lines puts space between its columns, two blanks or more after its first
word, or if it is an array in brackets.
"""

import math
import re

from docutils import nodes

COLUMNS = re.compile(r"\S {2,}\S")
WIDE = range(60, 141, 10)  # for so many letters a line static/course.css has a size of letters


def table(text: str) -> bool:
    """Whether the printed text would lose its sense if its lines were wrapped."""
    lines = text.strip("\n").split("\n")
    return len(lines) > 1 and any(COLUMNS.search(line) or line.lstrip().startswith("[") for line in lines)


def wide(text: str) -> int | None:
    """How many letters a line of a printed table takes, rounded up to one of WIDE; None where any letters fit."""
    longest = max(len(line) for line in text.split("\n"))
    return min(10 * math.ceil(longest / 10), WIDE[-1]) if longest > WIDE[0] - 10 else None


def mark(app, doctree) -> None:
    """Give printed sentences the class `course-flows`, and wide tables `course-wide-90` for up to 90 letters a line."""
    for block in doctree.findall(nodes.literal_block):
        if "output" in block["classes"]:
            text = block.astext()
            if not table(text):
                block["classes"].append("course-flows")
            elif columns := wide(text):
                block["classes"].append(f"course-wide-{columns}")


def setup(app):
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
