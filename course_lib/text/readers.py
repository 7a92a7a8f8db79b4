"""Sentence pairs from files of your own: tab-separated lines, or the package descriptions of Debian."""

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import NamedTuple, TextIO
from unicodedata import normalize

from course_lib import checks

from .tokenisers import words

Tokenise = Callable[[str], Sequence[str]]


class Pair(NamedTuple):
    """One sentence in two languages, as tokens."""

    source: tuple[str, ...]
    target: tuple[str, ...]


def _open(path: str | Path) -> TextIO:
    """The file as text, without a byte order mark, unpacked where its name ends in .gz, .bz2 or .xz."""
    opener = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.get(Path(path).suffix.lower(), open)
    return opener(path, "rt", encoding="utf-8-sig")


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Numbered from 1, in the form NFC. ValueError, with the file's name, where it is no UTF-8 or not packed so."""
    number = 0
    with _open(path) as file:
        try:
            for number, line in enumerate(file, 1):
                yield number, normalize("NFC", line.rstrip("\r\n"))
        except UnicodeDecodeError as error:
            raise _malformed(
                path, number + 1, "text in UTF-8", f"the bytes {error.object[error.start : error.end]!r}"
            ) from None
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise _malformed(path, number + 1, f"packed as {Path(path).suffix} says, and whole", error) from None


def _malformed(path: str | Path, line: int, takes: str, got: object) -> ValueError:
    return ValueError(f"{path}, line {line}: must be {takes}, got {got}")


def read_pairs(path: str | Path, *, columns: tuple[int, int] = (0, 1), tokenise: Tokenise = words) -> list[Pair]:
    """The sentence pairs of a UTF-8 file of tab-separated lines, as Tatoeba and its mirrors offer; .gz, .bz2, .xz are
    unpacked.

    columns: where source and target stand, counted from 0; others (numbers, authors) are ignored. Blank lines are
    skipped. Raises ValueError, with the file's name and the line, where a column is missing or empty.
    """
    if len(columns) != 2 or not all(isinstance(each, Integral) and each >= 0 for each in columns):
        checks.fail("columns", "two ints ≥ 0", repr(columns))
    pairs = []
    for number, line in _lines(path):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) <= max(columns):
            raise _malformed(path, number, f"{max(columns) + 1} or more columns with tabs between", repr(line[:60]))
        texts = [tuple(tokenise(cells[column])) for column in columns]
        for column, text in zip(columns, texts, strict=True):
            if not text:
                raise _malformed(path, number, f"a sentence in column {column}", repr(line[:60]))
        pairs.append(Pair(*texts))
    return pairs


class _Stanza(NamedTuple):
    line: int
    fields: dict[str, list[str]]  # name → first line, then the lines that continue it


def _stanzas(path: str | Path) -> Iterator[_Stanza]:
    """Debian's control format: "Name: value", lines that begin with a space continue it, a blank line ends the
    stanza."""
    fields: dict[str, list[str]] = {}
    name, first = None, 0
    for number, line in _lines(path):
        if not line.strip():
            if fields:
                yield _Stanza(first, fields)
            fields, name = {}, None
        elif line[0] in " \t":
            if name is None:
                raise _malformed(path, number, "a field before a line that continues it", repr(line[:60]))
            fields[name].append(line[1:])
        else:
            field = re.match(r"([!-9;-~]+):\s*(.*)", line)
            if field is None:
                raise _malformed(path, number, 'a field, "Name: value"', repr(line[:60]))
            name = field[1].lower()
            if name in fields:
                raise _malformed(path, number, "a field that this stanza has not yet", repr(line[:60]))
            first = first if fields else number
            fields[name] = [field[2]]
    if fields:
        yield _Stanza(first, fields)


def _descriptions(path: str | Path, language: str) -> dict[str, list[str]]:
    """Description-md5 → the short description, then the paragraphs of the long one."""
    found = {}
    for stanza in _stanzas(path):
        for name in ("description-md5", f"description-{language}"):
            if name not in stanza.fields:
                raise _malformed(path, stanza.line, f"a stanza with the field {name}", ", ".join(stanza.fields))
        short, *lines = stanza.fields[f"description-{language}"]
        # in Debian's format a lone dot parts paragraphs, and lines that begin with a second space are lists, kept as
        # typed
        text = "\n".join("" if line.strip() == "." or line.startswith(" ") else line for line in lines)
        paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", text) if each.strip()]
        found[stanza.fields["description-md5"][0]] = [short, *paragraphs]
    return found


def _sentences(paragraph: str) -> list[str]:
    return re.split(r"(?<=[.!?:])\s+(?=[A-ZÀ-Ý])", paragraph)


def read_descriptions(
    path_en: str | Path, path_it: str | Path, *, tokenise: Tokenise = words, languages: tuple[str, str] = ("en", "it")
) -> list[Pair]:
    """Sentence pairs of Debian's package descriptions, English and Italian, by human translators (the DDTP).

    Takes two index files of one suite, `Translation-en` and `Translation-it`, as the archive has them (.bz2, .xz) or
    unpacked, and joins their entries on Description-md5. The short description is one pair. The long ones are paired
    where both have as many paragraphs: sentence by sentence where those are as many too, else the whole paragraph.
    Lists are left out, and so are pairs that are the same in both languages, which nobody translated; a pair is given
    once.

    Debian 12's main section gives 134,885 pairs. Each text has the licence of its package, so none is shipped here.
    Raises ValueError, with the file's name and the line, where a file is no index of that language.
    """
    ours, theirs = (_descriptions(path, each) for path, each in zip((path_en, path_it), languages, strict=True))
    pairs: dict[Pair, None] = {}
    for md5, (short, *paragraphs) in ours.items():
        if md5 not in theirs:
            continue
        other_short, *other_paragraphs = theirs[md5]
        texts = [(short, other_short)]
        if len(paragraphs) == len(other_paragraphs):
            for here, there in zip(paragraphs, other_paragraphs, strict=True):
                cut = _sentences(here), _sentences(there)
                texts += zip(*cut, strict=True) if len(cut[0]) == len(cut[1]) else [(here, there)]
        for here, there in texts:
            pair = Pair(tuple(tokenise(here)), tuple(tokenise(there)))
            if pair.source and pair.target and pair.source != pair.target:
                pairs[pair] = None
    return list(pairs)
