"""A vocabulary: the finite list of tokens that a model knows, and the number of each."""

from collections import Counter
from collections.abc import Iterable, Sequence

from course_lib import checks

PAD, START, END, UNKNOWN = range(4)
SPECIALS = ("⟨pad⟩", "⟨start⟩", "⟨end⟩", "⟨unk⟩")


class Vocabulary:
    """Tokens in a fixed order. The first four are the special ones; the others follow as given.

    tokens: tuple of str; tokens[i] is the token with number i.
    """

    def __init__(self, words: Iterable[str]):
        """words: distinct strings, none of them a special token; ValueError otherwise."""
        if isinstance(words, str):
            checks.fail("words", "a list of strings", "one string: write list(words) if its characters are meant")
        words = tuple(words)
        for word, count in Counter(words).items():
            if not isinstance(word, str) or not word:
                checks.fail("words", "strings that are not empty", repr(word))
            if word in SPECIALS:
                checks.fail("words", "without the special tokens, which are added here", word)
            if count > 1:
                checks.fail("words", "distinct", f"{word!r} {count} times")
        self.tokens = SPECIALS + words
        self._number = {word: i for i, word in enumerate(words, len(SPECIALS))}

    @classmethod
    def from_counts(cls, texts: Iterable[Sequence[str]], least: int = 1, most: int | None = None) -> "Vocabulary":
        """The tokens that occur `least` times or more in the tokenised `texts`, the `most` frequent of them.

        The most frequent comes first; of equally frequent ones, the first seen. A special token in the texts is
        refused.
        """
        checks.positive_int("least", least)
        if most is not None:
            checks.positive_int("most", most)
        counts: Counter[str] = Counter()
        for text in texts:
            if isinstance(text, str):
                checks.fail("texts", "lists of tokens", f"a string, {text[:30]!r}: cut it with a tokeniser first")
            counts.update(text)
        return cls(word for word, count in counts.most_common(most) if count >= least)

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, word: object) -> bool:
        return word in self._number

    def number(self, word: str) -> int:
        """The token's number; UNKNOWN where the vocabulary lacks it."""
        return self._number.get(word, UNKNOWN)

    def encode(self, words: Sequence[str], *, start: bool = False, end: bool = False) -> list[int]:
        """Numbers of the tokens, with START before and END behind where asked. A token that is not known becomes
        UNKNOWN, and so does a special one: that somebody writes ⟨end⟩ ends nothing."""
        if isinstance(words, str):
            checks.fail("words", "a list of tokens", f"a string, {words[:30]!r}: cut it with a tokeniser first")
        return [START] * start + [self.number(word) for word in words] + [END] * end

    def decode(self, ids: Iterable[int], *, specials: bool = False) -> list[str]:
        """Tokens of the numbers, e.g. a row of a tensor. ⟨pad⟩, ⟨start⟩ and ⟨end⟩ are dropped unless `specials`; ⟨unk⟩
        stays, because a word was lost there. ValueError for a number that is none of the vocabulary's."""
        words = []
        for value in ids:
            i = value if isinstance(value, int) else int(value)
            if not 0 <= i < len(self):
                takes = f"from 0 to {len(self) - 1}"
                checks.fail("ids", takes, f"{i}: use the vocabulary that the ids were made with")
            if specials or i not in (PAD, START, END):
                words.append(self.tokens[i])
        return words


def vocabularies(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> tuple[Vocabulary, Vocabulary]:
    """Of the words of sentence pairs, one for each side."""
    return Vocabulary.from_counts(pair[0] for pair in pairs), Vocabulary.from_counts(pair[1] for pair in pairs)
