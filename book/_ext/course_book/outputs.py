"""Printed lines that are sentences wrap on a narrow screen; printed tables keep their columns, and scroll.

A printed text is a table if one of several lines puts space between its columns, two blanks or more after its first word, or if it is
an array in brackets.
"""

import re

from docutils import nodes

COLUMNS = re.compile(r"\S {2,}\S")


def table(text: str) -> bool:
    """Whether the printed text would lose its sense if its lines were wrapped."""
    lines = text.strip("\n").split("\n")
    return len(lines) > 1 and any(COLUMNS.search(line) or line.lstrip().startswith("[") for line in lines)


def mark(app, doctree) -> None:
    """Give printed sentences the class `course-flows`."""
    for block in doctree.findall(nodes.literal_block):
        if "output" in block["classes"] and not table(block.astext()):
            block["classes"].append("course-flows")


def setup(app):
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
