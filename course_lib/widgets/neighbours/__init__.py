"""Neighbours: the words nearest to a word of the reader's own, or to king − man + woman, among 1,200 of a real
model."""

import base64
import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import traitlets

from ..base import CourseWidget, made

TABLE = Path(__file__).with_name("table.json")


class Neighbours(CourseWidget):
    """MiniLM's vectors of 1,200 words in a table of 4 bits a number (tools/models/word_table.py). A word that it has
    not is named in a sentence.

    Read back, written by the front end when it draws (empty until then): found, with `nearest` and, in the arithmetic,
    `alone`: [word, cosine] of the first six, best first.
    """

    address = traitlets.Unicode("near").tag(sync=True)
    found = traitlets.Dict().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs={"table": made(TABLE, "python -m tools.models.word_table")}, **more)


def vectors_of(table: Mapping) -> np.ndarray:
    """The rows of a table, at length 1: float64 [words, directions]. A code q of direction k stands for (q − 7.5) ·
    steps[k]."""
    codes = np.frombuffer(base64.b64decode(table["codes"]), np.uint8).reshape(len(table["words"]), -1)
    rows = (np.stack([codes >> 4, codes & 15], -1).reshape(len(codes), -1) - 7.5) * table["steps"]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@cache
def facts() -> dict:
    """The table as it is stored: command, source, same_nearest (share of its words that keep their nearest word),
    cosine_moves, words, steps, codes."""
    return json.loads(made(TABLE, "python -m tools.models.word_table"))


@cache
def table() -> tuple[list[str], np.ndarray]:
    """The widget's words and their vectors."""
    return facts()["words"], vectors_of(facts())


def nearest(
    plus: Collection[str], minus: Collection[str] = (), struck: Collection[str] = (), count: int = 6
) -> list[tuple[str, float]]:
    """The words of the table with the largest cosine to the sum of `plus` less the sum of `minus`, without `struck`.
    KeyError names a word it has not."""
    words, rows = table()
    number = {word: i for i, word in enumerate(words)}
    q = sum(rows[number[word]] for word in plus) - sum(rows[number[word]] for word in minus)
    cosines = rows @ (q / np.linalg.norm(q))
    order = [i for i in np.argsort(-cosines, kind="stable") if words[i] not in struck]
    return [(words[i], float(cosines[i])) for i in order[:count]]
