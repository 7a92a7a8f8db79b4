"""The sentences of the study: single short clauses of the shipped corpus, to train on and held out."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from course_lib.text.batches import Pairs
from course_lib.text.corpora import Pair, clauses, english_french
from course_lib.text.vocabulary import Vocabulary, vocabularies

LONGEST, HELD_OUT = 10, 400  # a source has fewer words than this, its full stop counted; sentences held out


class Data(NamedTuple):
    """Vocabularies and sentences; the held-out ones hold no word that training has not shown."""

    source: Vocabulary
    target: Vocabulary
    train: tuple[Pair, ...]
    held_out: tuple[Pair, ...]

    def batches(self, size: int, seed: int) -> Pairs:
        """The training sentences in an order that the seed settles."""
        return Pairs.of_words(self.train, self.source, self.target, size, seed)

    def held(self) -> Pairs:
        return Pairs.of_words(self.held_out, self.source, self.target, len(self.held_out))


@cache
def data() -> Data:
    """The clauses of the training part, and the first HELD_OUT of the validation and test parts, of which training has
    none."""
    corpus = english_french()
    train, others = _short(corpus.train), _short((*corpus.valid, *corpus.test))
    source, target = vocabularies(train)
    known = [pair for pair in others if all(w in source for w in pair.source) and all(w in target for w in pair.target)]
    return Data(source, target, tuple(train), tuple(known[:HELD_OUT]))


def _short(pairs: Iterable[Pair]) -> list[Pair]:
    single = dict.fromkeys(clause for pair in pairs for clause in clauses(pair))
    return [clause for clause in single if len(clause.source) < LONGEST]
