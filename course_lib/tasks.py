"""Small tasks that cannot be solved without looking at other tokens, in letters a reader can check.

A question is a row of independent uniform draws, one below each of `bounds`; `spell` writes it as n tokens and says
which answers are asked for, and where. Most answers are written behind the question, "a b c → c b", so that each answer
is the next token, as in a language model; `recall` answers on the spot. In `text` every letter is asked for, and none
is certain: it is drawn with the chances of its two predecessors. The page has the same tasks:
widgets/attention_explorer/tasks.js.
"""

import math
from collections.abc import Callable, Sequence
from importlib import resources
from typing import NamedTuple, Protocol

import numpy as np

from course_lib import checks

LENGTH = 6
LETTERS = tuple("abcdefghij")
PAIRS, QUERIES, KEYS, DIGITS = 4, 4, tuple("abcdef"), tuple("012345")
ARROW = "→"
ENGLISH_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
ENGLISH_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
GERMAN_ONES = ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
GERMAN_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")


class Uniform(Protocol):
    """A random generator of numbers in [0, 1), for example `course_lib.graphs.Generator`."""

    def uniform(self, count: int) -> np.ndarray: ...


class Batch(NamedTuple):
    """tokens int64 [b, n]; targets int64 [b, n], -1 where no answer is asked for. Both count in the task's
    vocabulary."""

    tokens: np.ndarray
    targets: np.ndarray


class Task(NamedTuple):
    """vocabulary: the words; n tokens; bounds of the draws; spell: draws [b, len(bounds)] → Batch; fed: whether an
    answer is the next token; blind: the least expected loss, in nats per asked token, of a predictor that sees its own
    token and place and nothing else; floor: the least of any predictor that sees all that came before. 0: answers are
    determined."""

    name: str
    vocabulary: tuple[str, ...]
    n: int
    bounds: tuple[int, ...]
    spell: Callable[[np.ndarray], Batch]
    fed: bool
    blind: float
    floor: float = 0.0

    def batch(self, generator: Uniform, b: int) -> Batch:
        """b questions, drawn row by row; ValueError unless b is an int > 0."""
        checks.positive_int("b", b)
        draws = generator.uniform(b * len(self.bounds)).reshape(b, -1)  # [b, draws]
        return self.spell((draws * np.array(self.bounds)).astype(np.int64))


def _after(question: np.ndarray, answer: np.ndarray, arrow: int) -> Batch:
    """Question, arrow, answer without its last token; each answer is asked for one place before it stands."""
    sign = np.full((len(question), 1), arrow)
    tokens = np.concatenate([question, sign, answer[:, :-1]], axis=1)
    return Batch(tokens, np.concatenate([np.full_like(question, -1), answer], axis=1))


def _letters(name: str, answer: Callable[[np.ndarray], np.ndarray], blind: float) -> Task:
    def spell(draws: np.ndarray) -> Batch:
        return _after(draws, answer(draws), len(LETTERS))

    return Task(name, (*LETTERS, ARROW), 2 * LENGTH, (len(LETTERS),) * LENGTH, spell, True, blind)


def _recall(draws: np.ndarray) -> Batch:
    """Pairs of letter and digit, then letters alone: each asks for the digit of its *first* pair."""
    keys, digits, picks = np.split(draws, [PAIRS, 2 * PAIRS], axis=1)
    pairs = np.stack([keys, digits + len(KEYS)], axis=-1).reshape(len(draws), -1)  # [b, 2·pairs]
    asked = np.take_along_axis(keys, picks, 1)  # [b, queries]
    first = (keys[:, None, :] == asked[:, :, None]).argmax(-1)
    answer = np.take_along_axis(digits, first, 1) + len(KEYS)
    return Batch(np.concatenate([pairs, asked], 1), np.concatenate([np.full_like(pairs, -1), answer], 1))


NUMBER_WORDS = (*ENGLISH_ONES, *ENGLISH_TENS, "hundred", *GERMAN_ONES, *GERMAN_TENS, "hundert", "und", ARROW)


def _numbers(draws: np.ndarray) -> Batch:
    """three hundred fifty four → drei hundert vier und fünfzig: tens and ones cross."""
    hundreds, tens, ones = draws.T
    place = {word: i for i, word in enumerate(NUMBER_WORDS)}
    word = [np.full_like(ones, place[w]) for w in ("hundred", "hundert", "und")]
    german, german_tens = place[GERMAN_ONES[0]], place[GERMAN_TENS[0]]
    question = [hundreds, word[0], tens + len(ENGLISH_ONES), ones]
    answer = [hundreds + german, word[1], ones + german, word[2], tens + german_tens]
    return _after(np.stack(question, 1), np.stack(answer, 1), place[ARROW])


# FOLLOW[10a + b]: the line of two signs a, b holds 16 signs, each as likely to come next. Counted in the 2,449 words of
# Italian town names that have no letters but these nine, and rounded to sixteenths; "·" stands between words, and
# before the first.
SIGNS = tuple("·aeionrlst")
FOLLOW = (resources.files("course_lib.text") / "data" / "letters.txt").read_text(encoding="utf-8").split()
_NEXT = np.array([[SIGNS.index(sign) for sign in line] for line in FOLLOW]).reshape(len(SIGNS), len(SIGNS), -1)


def _text(draws: np.ndarray) -> Batch:
    """Signs by a Markov chain of order two; the first follows "··", as if a word began."""
    said = [np.zeros(len(draws), np.int64)] * 2
    for draw in draws.T:
        said.append(_NEXT[said[-2], said[-1], draw])
    return Batch(np.stack(said[1:-1], 1), np.stack(said[2:], 1))


def _text_floors(n: int) -> tuple[float, float]:
    """Means over n places of H(next | sign, place) and of H(next | sign, sign before): the second is the chain's
    entropy per sign."""
    v = len(SIGNS)
    P = np.stack([(sign == _NEXT).mean(-1) for sign in range(v)], -1)  # [before, sign, next]
    pairs, blind, floor = np.eye(v * v)[0].reshape(v, v), 0.0, 0.0
    for _ in range(n):
        joint = pairs[:, :, None] * P
        pairs = joint.sum(0)  # [sign, next], at the next place [before, sign]
        blind += (_entropy(pairs) - _entropy(pairs.sum(1))) / n
        floor += (_entropy(joint) - _entropy(joint.sum(2))) / n
    return blind, floor


def _sorted_blind(values: int, length: int) -> float:
    """Mean over the places k of H(k-th smallest | the one before it), of `length` uniform draws below `values`.

    From P(k-th smallest ≤ a and (k+1)-th ≤ b): the numbers of draws ≤ a and ≤ b are multinomial.
    """

    def both(k: int, a: int, b: int) -> float:  # Pr(X_(k) ≤ a, X_(k+1) ≤ b), a ≤ b: at least k are ≤ a and k+1 are ≤ b
        p, q, rest = (a + 1) / values, (b - a) / values, (values - 1 - b) / values
        return math.fsum(  # the same on every Python: since 3.12 `sum` rounds otherwise
            math.comb(length, i) * math.comb(length - i, j) * p**i * q**j * rest ** (length - i - j)
            for i in range(k, length + 1)
            for j in range(max(0, k + 1 - i), length - i + 1)
        )

    total = 0.0
    for k in range(length):
        joint = np.zeros((values, values))
        cumulative = np.zeros((values + 1, values + 1))
        for a in range(values):
            for b in range(values):
                cumulative[a + 1, b + 1] = both(k, min(a, b), b)
        joint = np.diff(np.diff(cumulative, axis=0), axis=1).clip(0)  # Pr(X_(k) = a, X_(k+1) = b)
        if k == 0:  # before the first answer stands the arrow
            joint = joint.sum(0, keepdims=True)
        total += _entropy(joint) - _entropy(joint.sum(1))
    return total / length


def _entropy(p: np.ndarray) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        _letters("reverse", lambda letters: letters[:, ::-1], math.log(len(LETTERS))),
        _letters("copy", lambda letters: letters, math.log(len(LETTERS))),
        _letters("sort", lambda letters: np.sort(letters, axis=1), _sorted_blind(len(LETTERS), LENGTH)),
        Task("recall", (*KEYS, *DIGITS), 2 * PAIRS + QUERIES, (len(KEYS),) * PAIRS + (len(DIGITS),) * PAIRS + (PAIRS,
        ) * QUERIES,
             _recall, False, math.log(len(DIGITS))),
        Task("numbers", NUMBER_WORDS, 9, (9, 8, 9), _numbers, True, (2 * math.log(9) + math.log(8)) / 5),
        Task("text", SIGNS, 2 * LENGTH, (_NEXT.shape[-1],) * 2 * LENGTH, _text, True, *_text_floors(2 * LENGTH)),
    )
}  # fmt: skip


def one_hot(indices: np.ndarray, vocab: int) -> np.ndarray:
    """float32 [..., vocab]; zeros where the index is -1."""
    return (np.asarray(indices)[..., None] == np.arange(vocab)).astype(np.float32)


def words(task: Task, indices: Sequence[int]) -> list[str]:
    return [task.vocabulary[i] for i in indices]
