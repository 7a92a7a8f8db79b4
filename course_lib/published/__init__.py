"""What source R prints: its three tables and its worked example, so that ours can stand beside them.  [Sandron 2024,
§3]"""

import csv
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).parent

P: dict[int, np.ndarray] = {  # v → the distribution in the header of its table
    2: np.array([3, 1]) / 4,
    4: np.array([4, 2, 1, 1]) / 8,
    8: np.array([8, 8, 4, 4, 4, 2, 1, 1]) / 32,
}
for _p in P.values():
    _p.setflags(write=False)


class PublishedRow(NamedTuple):
    """One printed row. `q` [v] probabilities, `loss` H(p, q) in nats a word, `error` max|p − q| in percentage
    points."""

    table: int
    v: int
    n: int
    d: int
    m: int
    r: int
    learnables: int
    q: np.ndarray
    loss: float
    error: float


@cache
def rows() -> tuple[PublishedRow, ...]:
    """The 72 rows of Tables 3, 4 and 5, in the printed order."""
    with (HERE / "tables.csv").open(encoding="utf-8") as file:
        return tuple(_row(printed) for printed in csv.DictReader(file))


def _row(printed: dict[str, str]) -> PublishedRow:
    v, n, d, m, r, learnables = (int(printed[key]) for key in ("v", "n", "d", "m", "r", "learnables"))
    q = np.array([float(printed[f"q{i + 1}"]) for i in range(v)]) / 100
    q.setflags(write=False)
    table = {2: 3, 4: 4, 8: 5}[v]
    return PublishedRow(table, v, n, d, m, r, learnables, q, float(printed["ML"]), float(printed["err"]))


SHAPES: tuple[tuple[int, int, int, int], ...] = tuple(
    dict.fromkeys((row.n, row.d, row.m, row.r) for row in rows())
)  # 24 (n, d, m, r)


@cache
def example() -> dict[str, np.ndarray]:
    """The matrices of the worked example by name, as printed to four decimals; rows are positions or inputs.

    The names are the source's: its A is our O = A V, its A_O our Y, its Y our X + Y; words in `x` count from 1.
    """
    raw = json.loads((HERE / "worked_example.json").read_text(encoding="utf-8"))
    return {
        name: np.array(value)
        for name, value in raw.items()
        if isinstance(value, (int, float, list)) and name != "not_given"
    }
