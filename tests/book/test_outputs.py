"""Printed sentences may wrap on a phone, printed tables may not."""

import pytest
from course_book.outputs import WIDE, mark, table, wide
from docutils import nodes

from tools.repository import ROOT

SENTENCES = [
    "the error falls to 0.10 of what it was\n",
    "one head:  right 1.00   (looks: 0.61 before)\n",
    "(1, 1) goes to [2.0, 1.0]\nX [4, 2] times W [2, 2] has shape [4, 2]\n",
]
TABLES = [
    "draws   error\n   10   0.090\n",
    "k =  1:    1 answers\nk = 10: 1023 answers\n",
    "[[4. 2.]\n [2. 2.]]\n",
    "tensor([[1, 0],\n        [1, 1]])\n",
]


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_wrap(text):
    assert not table(text)


@pytest.mark.parametrize("text", TABLES)
def test_tables_keep_their_columns(text):
    assert table(text)


def test_only_printed_text_is_marked():
    blocks = [
        nodes.literal_block(text, text, classes=classes)
        for text, classes in [
            (SENTENCES[0], ["output", "stream"]),
            (TABLES[0], ["output", "stream"]),
            (SENTENCES[0], []),
        ]
    ]
    mark(None, nodes.container("", *blocks))
    assert [block["classes"] for block in blocks] == [["output", "stream", "course-flows"], ["output", "stream"], []]


def test_wide_tables_are_told_how_wide():
    assert [wide("a  b\n" + "x" * count) for count in (50, 51, 80, 81, 300)] == [None, 60, 80, 90, WIDE[-1]]
    block = nodes.literal_block("", "a  b\n" + "x" * 75, classes=["output"])
    mark(None, nodes.container("", block))
    assert block["classes"] == ["output", "course-wide-80"]


def test_every_width_has_its_letters():
    style = (ROOT / "book/_ext/course_book/static/course.css").read_text()
    assert [f".course-wide-{letters} {{ --letters: {letters}; }}" in style for letters in WIDE] == [True] * len(WIDE)
