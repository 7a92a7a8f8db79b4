"""A reader for GGUF, the file format in which small language models are handed round: facts, then tensors of few bits.

The file says GGUF, a version, two counts; then come the facts (a name, a type, a value), then each tensor's name,
shape, type and place, then, aligned, the tensors' blocks. Numbers are little-endian, a text is its length and its
bytes. Three types of tensor are read here: F32, Q8_0 and Q4_1. The tests hold the result to the format's own library,
number by number.
"""

import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_lib import checks

# A fact's type → how struct writes it; two more types are a text and a list.
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
F32, Q4_1, Q8_0 = 0, 3, 8
BLOCK = 32  # so many neighbouring weights share their scale
# The bytes of one block: a 16-bit scale, for Q4_1 a 16-bit offset, then the small integers.
Q4_1_BLOCK = np.dtype([("scale", "<f2"), ("offset", "<f2"), ("pairs", "u1", BLOCK // 2)])
Q8_0_BLOCK = np.dtype([("scale", "<f2"), ("integers", "i1", BLOCK)])
STORED = {F32: (np.dtype("<f4"), 1), Q4_1: (Q4_1_BLOCK, BLOCK), Q8_0: (Q8_0_BLOCK, BLOCK)}  # a block, and its weights


class Cursor:
    """A place in the bytes that moves on with everything that is read, never beyond the end, whatever a length says."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = memoryview(data)
        self.at = 0

    def take(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise ValueError(f"{size} bytes should stand at byte {self.at} of {len(self.data)}")
        self.at += size
        return bytes(self.data[self.at - size : self.at])

    def number(self, kind: str) -> Any:
        return struct.unpack("<" + kind, self.take(struct.calcsize("<" + kind)))[0]

    def text(self) -> str:
        return self.take(self.number("Q")).decode()

    def fact(self, kind: int) -> Any:
        if kind == TEXT:
            return self.text()
        if kind == LIST:
            inner, count = self.number("I"), self.number("Q")
            return [self.fact(inner) for _ in range(count)]
        checks.one_of("a fact's type", kind, (*NUMBERS, TEXT, LIST))
        return self.number(NUMBERS[kind])


def scan_gguf(path: Path) -> tuple[np.memmap, list[tuple[str, list[int], int, int]], dict[str, Any]]:
    """The file's bytes; of each tensor its name, shape, type and the place of its first byte; every fact by name.

    Raises ValueError for a file that is no GGUF of version 3, or is cut short.
    """
    try:
        data = np.memmap(path, mode="r")
        cursor, facts, headers = Cursor(data), {}, []
        checks.one_of("its first bytes", cursor.take(4), [b"GGUF"])
        checks.one_of("its version", cursor.number("I"), [3])
        tensor_count, fact_count = cursor.number("Q"), cursor.number("Q")
        for _ in range(fact_count):
            name = cursor.text()
            facts[name] = cursor.fact(cursor.number("I"))
        for _ in range(tensor_count):
            name = cursor.text()
            sizes = [cursor.number("Q") for _ in range(cursor.number("I"))]  # the fastest axis first
            headers.append((name, sizes[::-1], cursor.number("I"), cursor.number("Q")))
        aligned = facts.get("general.alignment", 32)
        checks.positive_int("general.alignment", aligned)
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"path must name a whole GGUF file of version 3, got {path.name}: {problem}") from None
    first = -(-cursor.at // aligned) * aligned
    return data, [(name, shape, kind, first + at) for name, shape, kind, at in headers], facts


def read_gguf(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Every tensor, as float32, and every fact of the file, both by name. A map is stored, and comes, as [outputs,
    inputs].

    Raises ValueError for a file that is no GGUF of version 3, is cut short, or has a tensor of another type.
    """
    data, headers, facts = scan_gguf(path)
    whose = f"of tensor {{}} in {path.name}"
    return {name: expand(data, at, kind, shape, whose.format(name)) for name, shape, kind, at in headers}, facts


def expand(data: np.ndarray, at: int, kind: int, shape: list[int], whose: str = "of a tensor") -> Tensor:
    """The tensor whose bytes begin at `at`, as float32. An error says `whose`."""
    checks.one_of(f"the type {whose} (F32 is 0, Q4_1 3, Q8_0 8)", kind, tuple(STORED))
    stored, each = STORED[kind]
    count, rest = divmod(math.prod(shape), each)
    if rest or count * stored.itemsize > len(data) - at:
        checks.fail(
            f"the shape {whose}", f"whole blocks of {each} within the file's {len(data)} bytes", f"{shape} at byte {at}"
        )
    blocks = np.frombuffer(data, stored, count, at)
    if kind == F32:
        weights = blocks.astype(np.float32)
    elif kind == Q8_0:
        weights = blocks["integers"] * blocks["scale"].astype(np.float32)[:, None]
    else:
        # Byte i of a block holds the 4-bit integers of weights i (low half) and i + 16 (high half).
        integers = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], 1)
        scale, offset = (blocks[part].astype(np.float32)[:, None] for part in ("scale", "offset"))
        weights = integers * scale + offset
    return torch.from_numpy(weights.reshape(shape))
