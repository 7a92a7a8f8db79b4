"""What the Transformer's paper prints: Table 2, its results with their cost, and Table 3, its ablation study.

Transcribed from source L, figures 3.9 and 3.10, and compared with a public copy of arXiv:1706.03762v7, which also has
what L's text lost: the values of row (E). [Vaswani et al. 2017, Tables 2 and 3]
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Variation(NamedTuple):
    """A row of Table 3, on newstest2013. ppl per word-piece; params in millions and steps in thousands, None where left
    blank.

    `changes` holds the columns that the row fills in itself, by their names in the paper.
    """

    group: str
    row: str
    changes: dict[str, float]
    ppl: float
    bleu: float
    params: int | None


class Result(NamedTuple):
    """A row of Table 2, on newstest2014: BLEU and training cost in FLOPs, None where the paper has none.

    The Transformer's cost stands once in the paper, across both columns: it holds for either language.
    """

    model: str
    bleu_en_de: float | None
    bleu_en_fr: float | None
    flops_en_de: float | None
    flops_en_fr: float | None


COLUMNS = ("N", "d_model", "d_ff", "h", "d_k", "d_v", "P_drop", "eps_ls", "steps")


@cache
def variations() -> dict[str, Variation]:
    """The 20 rows of Table 3 by name, in the printed order."""
    rows = {}
    for printed in _read("vaswani_variations.csv"):
        changes = {column: float(printed[column]) for column in COLUMNS if printed[column]}
        params = int(printed["params"]) if printed["params"] else None
        rows[printed["row"]] = Variation(
            printed["group"], printed["row"], changes, float(printed["ppl"]), float(printed["bleu"]), params
        )
    return rows


@cache
def results() -> dict[str, Result]:
    """The ten rows of Table 2 by model, in the printed order."""
    printed = (
        {name: value if name == "model" else float(value) if value else None for name, value in row.items()}
        for row in _read("vaswani_results.csv")
    )
    return {row["model"]: Result(**row) for row in printed}


def _read(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
