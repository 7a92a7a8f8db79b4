"""SHA-256 where a browser keeps its own from a page, against Python's: lengths round one block and more."""

import hashlib

from tests.shared.graph_node import call, js

TEXTS = ["", "abc", *("é" * 20 + "x" * length for length in (14, 15, 16, 23, 24, 25)), "a" * 1000]


def test_both_ways_are_pythons():
    right = [hashlib.sha256(text.encode()).hexdigest() for text in TEXTS]
    page, bytes_ = js("real_model/engine/sha256.js"), [js().Uint8Array["from"](list(text.encode())) for text in TEXTS]
    assert call([page.sha256(each) for each in bytes_], [page.digest(each) for each in bytes_]) == [right, right]
