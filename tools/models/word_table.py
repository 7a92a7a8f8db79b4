"""The table of word vectors that the widget Neighbours looks into: MiniLM's own rows, made small.

    python -m tools.models.word_table      some seconds; course_lib/widgets/neighbours/table.json

The words: those of the page on embeddings first, then the commonest of MiniLM's vocabulary (which is ordered by how
often a piece occurs), of three letters or more. Their rows, at length 1, are written in the DIRECTIONS directions along
which they vary most, each number in 4 bits. Printed, and kept in the table: how many words keep their nearest word, and
by how much a cosine moves (root mean square; mean rise where it is above 0.4).
"""

import base64
import json
import re

import torch
import torch.nn.functional as F

from course_lib.pretrained.files import MINILM
from course_lib.pretrained.minilm import MiniLM
from course_lib.widgets.neighbours import TABLE, vectors_of
from tools.repository import ROOT

COUNT, DIRECTIONS = 1200, 192
STEP = 0.3352  # of a standard deviation: the best even steps for sixteen values of a Gaussian  [Max 1960, table II]
PAGE = ROOT / "chapters" / "03_transformer" / "embeddings.myst.md"
MORE = [
    "chess",
    "good",
    "bad",
    "player",
    "tal",
    "automobile",
    "rook",
    "pawn",
    "bishop",
    "knight",
    "field",
    "bank",
    "pizza",
    "love",
    "computer",
    "music",
    "bread",
    "sea",
    "italian",
    "french",
    "spanish",
    "german",
    "yen",
    "rupee",
    "ruble",
    "kitten",
    "puppy",
    "duck",
    "goat",
    "bigger",
    "smaller",
    "better",
    "worse",
]


def words_of(vocabulary: list[str], page: str) -> list[str]:
    """The page's listed words, then the commonest."""
    lists = page.partition("LISTS = {")[2].partition("\n}")[0]
    known = set(vocabulary)
    named = [word for word in [*re.findall("[a-z]{2,}", lists), *MORE] if word in known]
    common = [piece for piece in vocabulary if re.fullmatch("[a-z]{3,}", piece)]
    return list(dict.fromkeys([*named, *common]))[:COUNT]


def packed(rows: torch.Tensor) -> tuple[list[float], str]:
    """Steps [DIRECTIONS] and, in base64, a number of 0 to 15 an entry, two in a byte, row by row."""
    _, _, directions = torch.linalg.svd(rows, full_matrices=False)
    seen = rows @ directions[:DIRECTIONS].T  # [words, DIRECTIONS]
    steps = [float(f"{STEP * each:.4g}") for each in seen.square().mean(0).sqrt().tolist()]
    codes = ((seen / torch.tensor(steps)).floor().clamp(-8, 7) + 8).to(torch.uint8)
    return steps, base64.b64encode((codes[:, 0::2] * 16 + codes[:, 1::2]).numpy().tobytes()).decode()


def main() -> None:
    model = MiniLM.load()
    words = words_of(model.vocabulary, PAGE.read_text(encoding="utf-8"))
    rows = F.normalize(model.vectors[[model.index(word) for word in words]].double(), dim=1)
    steps, codes = packed(rows)
    table = {"words": words, "steps": steps, "codes": codes}
    small = torch.tensor(vectors_of(table))
    true, ours = rows @ rows.T, small @ small.T
    apart = ~torch.eye(len(words), dtype=torch.bool)
    same = [(each - 9 * torch.eye(len(words))).argmax(1) for each in (true, ours)]
    facts = {
        "command": "python -m tools.models.word_table",
        "source": f"{MINILM.release}, Apache-2.0",
        "same_nearest": round((same[0] == same[1]).double().mean().item(), 3),
        "cosine_moves": round((ours - true)[apart].square().mean().sqrt().item(), 3),
        "near_rise": round((ours - true)[apart & (true > 0.4)].mean().item(), 3),
    }
    print(facts)
    TABLE.write_text(json.dumps(facts | table, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
