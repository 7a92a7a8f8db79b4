"""Train the English → French translator that comes with the course, score it on held-out sentences, and write its file.

    python -m tools.models.train_translator            about 4 minutes of one CPU core;
                                            course_lib/models/english_french.safetensors

Training uses the corpus' sentences of fewer than LONGEST words, and each of its clauses alone as well, so that short
sentences are not rare. See tools/models/recipe.py.
"""

import sys

import torch

from course_lib import long_work
from course_lib.text.batches import Pairs
from course_lib.text.corpora import Pair, clauses, english_french
from course_lib.text.vocabulary import END, Vocabulary, vocabularies
from course_lib.training import cross_entropy, translation_loss
from course_lib.transformer.models import Translator
from course_lib.translation import translate
from tools.models.recipe import BATCH, SEED, Recipe

RECIPE = Recipe(
    file="english_french.safetensors", command="python -m tools.models.train_translator", kind=Translator,
    config={"layers": 2, "d": 64, "m": 16, "h": 4, "r": 256}, steps=2600, warm=600, minutes=4,
)  # fmt: skip
LONGEST = 22  # words of a source
BEAM_SENTENCES, WIDTH = 100, 4  # of one and of two clauses each: beam search goes sentence by sentence
FEW = 60


def training_pairs() -> list[Pair]:
    """The sentences of fewer than LONGEST words, and every clause of the training part alone; no pair twice."""
    corpus = english_french()
    alone = [clause for pair in corpus.train for clause in clauses(pair)]
    return list(dict.fromkeys([*alone, *corpus.shorter_than(LONGEST).train]))


def answers_of(
    model, source: Vocabulary, target: Vocabulary, pairs: list[Pair], *, width: int = 1
) -> list[tuple[str, ...]]:
    """Each pair's source in French, with "⟨end⟩" behind what the model itself ended."""
    end = target.tokens[END]
    made = translate(model, source, target, [pair.source for pair in pairs], width=width)
    return [(*each.words, *[end] * each.finished) for each in made]


def compared(answers: list[tuple[str, ...]], pairs: list[Pair], end: str) -> dict[str, float | int | str]:
    """Shares of answers that are the reference to the letter, that end at all, and after as many words; which are
    exact."""
    both = [(answer, (*pair.target, end)) for answer, pair in zip(answers, pairs, strict=True)]
    return {
        "sentences": len(both),
        "exact": round(sum(answer == right for answer, right in both) / len(both), 4),
        "ended": round(sum(end in answer for answer, _ in both) / len(both), 4),
        "of the right length": round(sum(len(answer) == len(right) for answer, right in both) / len(both), 4),
        "which": "".join("01"[answer == right] for answer, right in both),
    }


def groups(pairs: list[Pair]) -> dict[int, list[Pair]]:
    """Sentences by number of clauses, in the corpus' order: all of 1 and 2 clauses, the first FEW of more."""
    found: dict[int, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(len(clauses(pair)), []).append(pair)
    return {count: group if count < 3 else group[:FEW] for count, group in sorted(found.items())}


def scores(model, source: Vocabulary, target: Vocabulary, pairs: list[Pair]) -> dict:
    """What the model does with held-out sentences: greedy, by clauses and by words; with a beam; and token by token."""
    end, by_clauses = target.tokens[END], groups(pairs)
    answers = {count: answers_of(model, source, target, group) for count, group in by_clauses.items()}
    by_words: dict[int, list[tuple]] = {}
    for count, group in by_clauses.items():
        for answer, pair in zip(answers[count], group, strict=True):
            by_words.setdefault((len(pair.source) - 1) // 10, []).append((answer, pair))
    searched = {}
    for count in (1, 2):
        group = by_clauses[count][:BEAM_SENTENCES]
        wide = answers_of(model, source, target, group, width=WIDTH)
        searched[str(count)] = {
            "greedy": compared(answers[count][:BEAM_SENTENCES], group, end),
            f"beam {WIDTH}": compared(wide, group, end),
        }
    return {
        "by clauses": {str(count): compared(answers[count], group, end) for count, group in by_clauses.items()},
        "by words": {
            f"{10 * i + 1} to {10 * i + 10}": compared(*map(list, zip(*rows, strict=True)), end)
            for i, rows in sorted(by_words.items())
        },
        "greedy and beam, by clauses": searched,
        "one clause, token by token": token_by_token(model, source, target, by_clauses[1]),
    }


@torch.no_grad()
def token_by_token(model, source: Vocabulary, target: Vocabulary, pairs: list[Pair]) -> dict[str, float]:
    """With the right beginning given: share of tokens that are right, the end included, and nats a token."""
    batch = Pairs.of_words(pairs, source, target, len(pairs)).batch_of(range(len(pairs)))
    logits = model(batch.source, batch.target, batch.source_lengths).logits
    right = (logits.argmax(-1) == batch.answers)[batch.answers != 0].double().mean().item()
    return {"right": round(right, 4), "nats": round(cross_entropy(logits, batch.answers).item(), 4)}


def main() -> int:
    corpus, pairs = english_french(), training_pairs()
    source, target = vocabularies(pairs)
    about = {
        "name": f"english_french, sentences of fewer than {LONGEST} words and every clause alone",
        "pairs": len(pairs),
        "credit": corpus.credit,
        "licence": corpus.licence,
    }
    data = Pairs.of_words(pairs, source, target, BATCH, SEED)
    languages = {"source": source, "target": target}
    return RECIPE.main(languages, data, translation_loss, about, lambda *made: scores(*made, list(corpus.test)))


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main))
