"""Three ways to cut a text into tokens: words, characters, and the pieces that byte-pair encoding learns.

Byte-pair encoding [Gage 1994; Sennrich et al. 2016] starts from characters and merges, again and again, the pair of
neighbours that is most frequent. Words that occur often become one token, rare ones stay in pieces, none is unknown.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category, normalize

from course_lib import checks

from .vocabulary import SPECIALS, UNKNOWN

# Looks like the middle dot (U+00B7), for which it is a second code: no text in the form NFC has it, so no word here.
END_OF_WORD = "\u0387"
HIDDEN = "\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # soft hyphen, directions, byte order mark


def words(text: str) -> list[str]:
    """The words of a text, and each punctuation mark, as they are written (in Unicode's form NFC): no change of case.

    "didn't", "l'homme" and "bad-tempered" are one word each; accents and vowel signs stay with their letter. Spaces,
    and signs that are not seen, are lost, so `" ".join` does not always undo it.
    """
    return _words().findall(normalize("NFC", text))


@cache
def _words() -> re.Pattern[str]:
    """Twin: widgets/runtime/text.js. Python's `re` has no class of marks, so they are listed."""
    every = (chr(i) for plane in (range(0x20000), range(0xE0100, 0xE01F0)) for i in plane)  # the others have no marks
    with_it = "".join(each for each in every if category(each)[0] == "M") + "\u200c\u200d"  # and the joiners
    word = rf"\w[\w{with_it}]*(?:(?:['’·‐‑-]|[{HIDDEN}]+)[\w{with_it}]+)*"
    sign, tail = rf"[^\w\s{HIDDEN}\u200b-\u200d]", rf"[{with_it}\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
    return re.compile(rf"{word}|[\U0001f1e6-\U0001f1ff]{{2}}|{sign}{tail}(?:(?<=\u200d){sign}{tail})*")


def characters(text: str) -> list[str]:
    """Every character of the text in the form NFC, spaces too. `"".join` undoes it."""
    return list(normalize("NFC", text))


class Merge(NamedTuple):
    """One step of learning: the pair, how often it was seen in the text as it stood then, and what it becomes."""

    pair: tuple[str, str]
    count: int

    @property
    def piece(self) -> str:
        return "".join(self.pair)


class MergeStep(NamedTuple):
    """One step of reading a word: the merge applied (None: before the first), and the pieces after it."""

    merge: Merge | None
    pieces: tuple[str, ...]


def join(pieces: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    """Every occurrence of the pair becomes one piece; where two overlap (a a a) the left one wins."""
    joined: list[str] = []
    i = 0
    while i < len(pieces):
        if pieces[i : i + 2] == pair:
            joined.append(pieces[i] + pieces[i + 1])
            i += 2
        else:
            joined.append(pieces[i])
            i += 1
    return tuple(joined)


class BytePairs:
    """Merges in the order they were learned, and the characters they start from.

    alphabet: the characters of the text learned from, in order of appearance, END_OF_WORD last. pieces: alphabet and
    merged pieces, each once: the tokens that `encode` can give, besides ⟨unk⟩. Characters stand for bytes here: the
    original's 256 bytes would be unreadable on a page, at the price of characters that can be unknown.
    """

    def __init__(self, alphabet: Iterable[str], merges: Iterable[Merge]):
        """alphabet: single characters, or END_OF_WORD; every merge must join pieces that exist by then."""
        self.alphabet = tuple(alphabet)
        self.merges = tuple(merges)
        pieces = dict.fromkeys(self.alphabet)
        for merge in self.merges:
            for half in merge.pair:
                if half not in pieces:
                    checks.fail("merges", "of pieces that are in the alphabet or were merged before", repr(half))
            pieces[merge.piece] = None
        self.pieces = tuple(pieces)
        self._rank = {}
        for i, merge in enumerate(self.merges):
            self._rank.setdefault(merge.pair, i)

    @classmethod
    def learn(cls, text: str | Iterable[str] | Mapping[str, int], merges: int) -> "BytePairs":
        """Learn up to `merges` merges from a text, a list of words, or the words' counts; fewer where nothing is left.

        Of equally frequent pairs the one first seen wins: words in order of appearance, each from left to right.
        """
        checks.whole("merges", merges, 0)
        counts = _counts(text)
        alphabet = dict.fromkeys(character for word in counts for character in word)
        return cls(
            (*alphabet, END_OF_WORD), (merge for merge, _ in zip(cls.learning(counts), range(merges), strict=False))
        )

    @staticmethod
    def learning(text: str | Iterable[str] | Mapping[str, int]) -> Iterator[Merge]:
        """The merges, one by one, for as long as a word has two pieces: what `learn` collects, and a page can watch."""
        counts = _counts(text)
        corpus = [((*word, END_OF_WORD), count) for word, count in counts.items()]
        seen: Counter[tuple[str, str]] = Counter()
        for pieces, count in corpus:
            for pair in pairwise(pieces):
                seen[pair] += count
        while seen:
            most = max(seen.values())
            tied = {pair for pair, count in seen.items() if count == most}
            best = next(pair for pieces, _ in corpus for pair in pairwise(pieces) if pair in tied)
            yield Merge(best, most)
            for i, (pieces, count) in enumerate(corpus):
                joined = join(pieces, best) if best[0] in pieces and best[1] in pieces else pieces
                if joined != pieces:  # only the counts of words that changed move
                    for pair in pairwise(pieces):
                        seen[pair] -= count
                    for pair in pairwise(joined):
                        seen[pair] += count
                    corpus[i] = (joined, count)
            seen = +seen  # pairs that are gone

    def steps(self, word: str) -> list[MergeStep]:
        """How a word is put together: its characters and END_OF_WORD, then one merge a step, earliest learned first.

        A character that was never seen is ⟨unk⟩ and merges with nothing.
        """
        if not word or word.split() != [word]:
            checks.fail("word", "one word, without spaces", repr(word))
        known = set(self.alphabet)
        pieces = tuple(each if each in known else SPECIALS[UNKNOWN] for each in (*normalize("NFC", word), END_OF_WORD))
        steps = [MergeStep(None, pieces)]
        while True:
            ranks = [self._rank[pair] for pair in pairwise(pieces) if pair in self._rank]
            if not ranks:
                return steps
            merge = self.merges[min(ranks)]
            pieces = join(pieces, merge.pair)
            steps.append(MergeStep(merge, pieces))

    def encode(self, word: str) -> list[str]:
        """The pieces of a word; the last carries END_OF_WORD. Never seen whole: more pieces, down to characters."""
        return list(self.steps(word)[-1].pieces)

    def encode_text(self, text: str) -> list[str]:
        """The pieces of all `words` of a text."""
        found = words(text)
        pieces = {word: self.encode(word) for word in dict.fromkeys(found)}  # most words of a text come again
        return [piece for word in found for piece in pieces[word]]

    def decode(self, pieces: Iterable[str]) -> list[str]:
        """The words again: pieces are joined up to each END_OF_WORD. A last word that is not ended counts too."""
        return [word for word in "".join(pieces).split(END_OF_WORD) if word]


def _counts(text: str | Iterable[str] | Mapping[str, int]) -> Mapping[str, int]:
    """Words and how often they occur, in order of appearance."""
    given = text if isinstance(text, Mapping) else Counter(words(text) if isinstance(text, str) else text)
    counts: Counter[str] = Counter()
    for word, count in given.items():
        checks.positive_int(f"the count of {word!r}", count)
        if not word or word.split() != [word]:
            checks.fail("text", "words without spaces", repr(word))
        counts[normalize("NFC", word)] += count
    if not counts:
        checks.fail("text", "one word or more", "none")
    return counts
