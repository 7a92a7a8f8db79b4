"""The texts of the course. The shipped ones were written by tools/models/corpora.py; each says who made it, and under
which licence.

english_french: sentences in both languages, by a grammar. number_words: numbers, English and German, as many as wanted,
in_words: one.
towns: names of Italian towns. english_prose: technical English. Files of your own: `read_pairs`, `read_descriptions`.
"""

import gzip
import random
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import takewhile
from typing import NamedTuple, Protocol

from course_lib import checks

from .readers import Pair, read_descriptions, read_pairs

__all__ = [
    "Corpus",
    "Pair",
    "english_french",
    "english_prose",
    "in_words",
    "number_words",
    "read_descriptions",
    "read_pairs",
    "towns",
]

# (English, French) between two clauses, drawn evenly.
JOINTS = (("and", "et"), ("but", "mais"), ("because", "parce que"), ("while", "pendant que"), ("when", "quand"))
MOST_CLAUSES = 6
SENTENCES = {"train": 12_000, "valid": 600, "test": 1_200}
VOWELS = tuple("aeiouyàâéèêëîïôœû")


class Corpus(NamedTuple):
    """Sentence pairs in three fixed parts. credit, licence: to be shown where the corpus is used."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    test: tuple[Pair, ...]
    credit: str
    licence: str

    def shorter_than(self, words: int) -> "Corpus":
        """The pairs whose source has fewer than `words` tokens, in all three parts, in the same order."""
        checks.positive_int("words", words)
        parts = (tuple(pair for pair in part if len(pair.source) < words) for part in self[:3])
        return Corpus(*parts, self.credit, self.licence)


class RandomNumbers(Protocol):
    """A generator of numbers in [0, 1): random.Random or numpy.random.Generator."""

    def random(self) -> float: ...


@cache
def _shipped(name: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The header's fields (credit, licence, command) and the lines of a shipped file."""
    packed = (resources.files(__package__) / "data" / name).read_bytes()
    lines = gzip.decompress(packed).decode().splitlines()
    header = list(takewhile(lambda line: line.startswith("# "), lines))
    fields: dict[str, str] = {}
    name = "about"
    for line in header:
        found = re.match(r"# (Credit|Licence|Command): ", line)
        if found:
            name = found[1].lower()
        fields[name] = f"{fields.get(name, '')} {line[found.end() if found else 2 :]}".strip()
    return fields, tuple(lines[len(header) :])


def _elided(joint: str, clause: str) -> str:
    """que + il → qu' il. In these clauses no word with an aspirated h comes first."""
    if joint.endswith(" que") and clause.startswith(VOWELS):
        joint = joint[:-1] + "'"
    return f"{joint} {clause}"


def _sentences(clauses: Sequence[tuple[str, str]], count: int, seed: int) -> tuple[Pair, ...]:
    """Sentence i has 1 + i mod 6 clauses. All clauses are used before one comes again. The same sentence never comes
    twice."""
    generator, waiting, found = random.Random(seed), [], {}

    def clause() -> tuple[str, str]:
        if not waiting:
            waiting.extend(sorted(clauses, key=lambda _: generator.random()))
        return waiting.pop()

    while len(found) < count:
        english, french = clause()
        for _ in range(len(found) % MOST_CLAUSES):
            joint, more = JOINTS[int(generator.random() * len(JOINTS))], clause()
            english, french = f"{english} {joint[0]} {more[0]}", f"{french} {_elided(joint[1], more[1])}"
        found.setdefault(f"{english} .", f"{french} .")
    return tuple(Pair(tuple(english.split()), tuple(french.split())) for english, french in found.items())


@cache
def english_french() -> Corpus:
    """12,000 / 600 / 1,200 distinct sentences of 1 to 6 clauses, 3 to 90 tokens, in lower case, ending with a full
    stop.

    Each clause was realised in English and in French by pyrealb from one random tree, so the two agree to the word. The
    grammar is real (adjectives that change side, agreement, elision, ne … pas, clitics, the passive); the content is
    nonsense: who does what to whom is drawn by chance. Clauses are joined here, by chance too. Clause i goes to the
    test where i mod 20 is 0, to the validation where it is 1 (the few with a word form that the training part lacks are
    left out): no clause of the test is in the training part, every word is. Every part holds each number of clauses
    equally often.

    What is not good French: two adjectives behind a noun stand in mirrored order, which is not always the usual one;
    tenses of joined clauses do not agree ("ran when … will sleep"); *beau-frère*, *petit ami* and *grand-père* mean
    more than their two words ("un petit ami" here is a small friend); the passé composé stands for every English past.
    """
    fields, lines = _shipped("english_french.tsv.gz")
    clauses = [tuple(line.split("\t")) for line in lines]
    parts = {"train": [clause for i, clause in enumerate(clauses) if i % 20 > 1]}
    known = {word for clause in parts["train"] for text in clause for word in text.split()}
    for first, name in enumerate(("test", "valid")):
        parts[name] = [each for each in clauses[first::20] if known.issuperset(" ".join(each).split())]
    made = (_sentences(parts[name], count, seed) for seed, (name, count) in enumerate(SENTENCES.items()))
    return Corpus(*made, fields["credit"], fields["licence"])


def clauses(pair: Pair) -> list[Pair]:
    """The clauses that a sentence of `english_french` was joined from, each with a full stop of its own."""
    sides = []
    for side in (0, 1):
        words = {
            joint[side].split()[0]: len(joint[side].split()) for joint in JOINTS
        }  # "parce que", and "parce qu'", are two
        parts, rest = [[]], iter(pair[side][:-1])
        for word in rest:
            if word in words:
                parts.append([])
                for _ in range(words[word] - 1):
                    next(rest)
            else:
                parts[-1].append(word)
        sides.append(parts)
    return [Pair((*english, "."), (*french, ".")) for english, french in zip(*sides, strict=True)]


def towns() -> list[str]:
    """10,632 names of Italian municipalities, present and past, distinct, in alphabetical order.

    Every word begins with a capital ("San Martino Al Cimino"), as the source has it. Credit: python-codicefiscale
    (MIT).
    """
    return list(_shipped("towns.txt.gz")[1])


def english_prose() -> str:
    """Technical English, one paragraph a line: the prose of Python's own language reference, without code.

    A fixed copy, because the reference changes with the version of Python. Credit and licence: Python Software
    Foundation, PSF License Version 2; the file's header has the copyright notice.
    """
    return "\n".join(_shipped("prose.txt.gz")[1])


GERMAN = (
    "ein eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn "
    "neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend und"
)
# the longest first: "eins" before "ein", "sechzehn" before "sech…"
_MORPHEME = re.compile("|".join(sorted(GERMAN.split(), key=len, reverse=True)))


def german_morphemes(number: str) -> list[str]:
    """vierundfünfzig → vier und fünfzig. Words that are written alone (eine Million) stay whole."""
    tokens = []
    for word in number.split():
        pieces = _MORPHEME.findall(word)
        tokens += pieces if "".join(pieces) == word else [word]
    return tokens


@cache
def _stored_words() -> dict[int, tuple[str, str]]:
    """Number → English and German: 1 to 999, and one and two of each power of a thousand."""
    rows = (line.split("\t") for line in _shipped("numbers.tsv.gz")[1])
    return {int(number): (english, german) for number, english, german in rows}


def in_words(number: int) -> Pair:
    """A number from 1 to 10²⁴ - 1 in words, English and German, the German in morphemes: 54 → fifty four, vier und
    fünfzig.

    Put together from stored words of num2words, a thousand at a time, and the same as that package's.
    """
    checks.whole("number", number, 1, 10**24 - 1)
    number, words, english, german = int(number), _stored_words(), [], ""  # an int of NumPy ends at 2^63
    for power in range(7, 0, -1):
        group, unit = number // 1000**power % 1000, 1000**power
        if group:
            english += [words[group][0], words[unit][0].split()[1]]
            many = words[group][1] + words[2 * unit][1].removeprefix("zwei")
            german += f"{words[unit][1] if group == 1 else many} "
    if rest := number % 1000:
        english += ["and"] * (rest < 100 < number) + [words[rest][0]]
        german += words[rest][1]
    return Pair(tuple(" ".join(english).replace("-", " ").split()), tuple(german_morphemes(german)))


def number_words(count: int, generator: RandomNumbers, *, digits: int = 24) -> list[Pair]:
    """`count` distinct numbers in words, English → German in morphemes: fifty four → vier und fünfzig.

    The number of digits is drawn evenly from 1 to `digits` (≤ 24), then each digit: short numbers come more often than
    among all numbers, but none twice. generator: random.Random or numpy.random.Generator. Words by the package
    num2words (LGPL).
    """
    checks.positive_int("count", count)
    checks.whole("digits", digits, 1, 24)
    if count > 9 * 10 ** (digits - 1):
        checks.fail("count", f"at most 9·10^{digits - 1}, the numbers of {digits} digits", count)
    found: dict[int, Pair] = {}
    while len(found) < count:
        length = 1 + int(generator.random() * digits)
        number = 1 + int(generator.random() * 9)
        for _ in range(length - 1):
            number = 10 * number + int(generator.random() * 10)
        if number not in found:
            found[number] = in_words(number)
    return list(found.values())
