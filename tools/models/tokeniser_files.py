"""What the page needs to cut a text as the two real models do: their pieces, and which characters count as what.

The libraries behind the models know other years of Unicode than a reader's browser. So the classes of characters are
not left to the browser: they are asked of the models' own tokenisers, one code point after the other, and travel with
the pieces, as ranges of hexadecimal numbers. course_lib/widgets/runtime/byte_pairs.js and word_pieces.js read what is
made here.
"""

import base64
import sys
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from course_lib.pretrained.files import MINILM_WORDS, SMOLLM, locate
from course_lib.pretrained.gguf_file import scan_gguf

LETTER = "a"  # stands between any two characters that are asked about
APART = "ʘ"  # the same, where case and accents are taken away: no other letter becomes this one
CONTROL = 3  # how GGUF marks a piece that is no text
EVERY = [chr(c) for c in chain(range(0xD800), range(0xE000, sys.maxunicode + 1)) if chr(c) != APART]
# The planes where Unicode has put anything that is not for private use. In all others there is no letter, digit, space
# or mark.
ASSIGNED = [each for each in EVERY if each != LETTER and (each < chr(0x34000) or chr(0xE0000) <= each < chr(0xE1000))]
TEXT = LETTER + "".join(f"{each}{LETTER}" for each in ASSIGNED)


def ranges(codes: Iterable[int]) -> str:
    """ "41-5a 61-7a aa": sorted code points as ranges."""
    numbers = np.array(sorted(codes))
    starts = numbers[np.diff(numbers, prepend=-2) > 1]
    ends = numbers[np.diff(numbers, append=sys.maxunicode + 2) > 1]
    return " ".join(f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in zip(starts.tolist(), ends.tolist(), strict=True))


def alone(cut: Callable[[str], list[tuple[str, tuple[int, int]]]]) -> set[int]:
    """The code points that are a part of their own where they stand between letters."""
    return {ord(TEXT[start]) for _, (start, end) in cut(TEXT) if end == start + 1} - {ord(LETTER)}


def missing(cut: Callable[[str], list[tuple[str, tuple[int, int]]]]) -> set[int]:
    """The code points that part letters and are in no part."""
    held = np.zeros(len(TEXT), bool)
    for _, (start, end) in cut(TEXT):
        held[start:end] = True
    return {ord(TEXT[i]) for i in np.flatnonzero(~held)}


def facts() -> dict[str, Any]:
    """Of SmolLM2's file, without its weights."""
    return scan_gguf(locate(SMOLLM))[2]


def byte_pairs() -> dict[str, Any]:
    """Of SmolLM2: {special, alphabet, merges, letters, numbers}; merge k makes piece 252 + k of two earlier ones."""
    from tokenizers import pre_tokenizers

    known = facts()
    pieces, merges = known["tokenizer.ggml.tokens"], known["tokenizer.ggml.merges"]
    first = len(pieces) - len(merges)
    special = [p for p, kind in zip(pieces, known["tokenizer.ggml.token_type"], strict=True) if kind == CONTROL]
    assert pieces[: len(special)] == special and pieces[first:] == [merge.replace(" ", "") for merge in merges]
    ids = {piece: i for i, piece in enumerate(pieces)}
    pairs = np.array([[ids[half] for half in merge.split(" ")] for merge in merges], "<u2")
    numbers = alone(pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str)
    others = alone(pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str)
    letters = (
        {ord(each) for each in (*ASSIGNED, LETTER, APART)} - others - numbers - {ord(" ")}
    )  # a space goes with the letter behind it
    return {
        "special": special, "alphabet": "".join(pieces[len(special) : first]),
        "merges": base64.b64encode(pairs.tobytes()).decode(),
        "letters": ranges(letters), "numbers": ranges(numbers),
    }  # fmt: skip


def word_pieces() -> dict[str, Any]:
    """Of MiniLM: {pieces, special, dropped, changed, spaces, marks}: marks of punctuation, changed by case or
    accents."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(locate(MINILM_WORDS)))
    ids = tokenizer.get_vocab()
    pieces = sorted(ids, key=ids.__getitem__)
    assert list(map(ids.__getitem__, pieces)) == list(range(len(pieces)))
    special = {piece: ids[piece] for piece in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")}
    became = dict(zip(EVERY, tokenizer.normalizer.normalize_str(APART.join(EVERY)).split(APART), strict=True))
    cut = tokenizer.pre_tokenizer.pre_tokenize_str
    return {
        "pieces": "\n".join(pieces), "special": special,
        "dropped": ranges(ord(each) for each, to in became.items() if to == ""),
        "changed": ranges(ord(each) for each, to in became.items() if to.strip() not in ("", each)),
        "apart": ranges(ord(each) for each, to in became.items() if len(to) > 2 and to[0] == to[-1] == " "),
        "spaces": ranges(missing(cut)), "marks": ranges(alone(cut)),
    }  # fmt: skip
