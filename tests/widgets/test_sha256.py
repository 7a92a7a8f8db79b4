"""SHA-256 where a browser keeps its own from a page, against Python's: lengths round one block and more."""

import hashlib

from tests.shared.graph_node import node

TEXTS = ["", "abc", *("é" * 20 + "x" * length for length in (14, 15, 16, 23, 24, 25)), "a" * 1000]


def test_both_ways_are_pythons():
    right = [hashlib.sha256(text.encode()).hexdigest() for text in TEXTS]
    assert node("sha256.mjs", TEXTS) == [right, right]
