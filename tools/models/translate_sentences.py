"""Write the sentences that the translators' widget offers: course_lib/widgets/translate/sentences.json.

    python -m tools.models.translate_sentences

They are the first COUNT sentences of six clauses in the corpus' test part, as they come: none is chosen for what a
model does with it, and no clause of them was in any training. Each is cut before its joints, so that its first k
clauses are a sentence too. OFFERS are chosen for what the models do with them; their French is the grammar's order,
adjectives behind the noun in mirror order.
"""

import json
import sys
from pathlib import Path

from course_lib.text.corpora import MOST_CLAUSES, Pair, english_french

COUNT = 8
JOINTS = (
    ("and", "but", "because", "while", "when"),
    ("et", "mais", "parce", "pendant", "quand"),
)  # the first word of each
OFFERS = [
    ("three words in mirrored order", "the queen sees a white red house .", "la reine voit une maison rouge blanche ."),
    ("a word is dropped, attention or not", "the white red house sleeps .", "la maison rouge blanche dort ."),
]
PATH = Path(__file__).resolve().parents[2] / "course_lib" / "widgets" / "translate" / "sentences.json"


def pieces(words: tuple[str, ...], joints: tuple[str, ...]) -> list[str]:
    """A sentence without its full stop, cut before each joint."""
    parts: list[list[str]] = [[]]
    for word in words[:-1]:
        if word in joints:
            parts.append([])
        parts[-1].append(word)
    return [" ".join(part) for part in parts]


def cut(pair: Pair) -> list[tuple[str, str]]:
    """(English, French) of each clause, with the joint before it."""
    return list(zip(*(pieces(words, joints) for words, joints in zip(pair, JOINTS, strict=True)), strict=True))


def table() -> dict:
    corpus = english_french()
    chains = [each for each in map(cut, corpus.test) if len(each) == MOST_CLAUSES][:COUNT]
    return {
        "command": "python -m tools.models.translate_sentences",
        "credit": corpus.credit,
        "licence": corpus.licence,
        "chains": chains,
        "offers": OFFERS,
    }


def main() -> int:
    PATH.write_text(json.dumps(table(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
