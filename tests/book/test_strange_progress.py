"""A progress file with anything in place of anything: it is refused in words, or each record is taken whole or refused with its reason."""

import json

import pytest

from tests.book.test_practice import DAY, NOW, asked, file, record
from tests.shared.strange import STRANGE

GOOD = {"exercises": {"a": record(), "b": record(answer=["1", "2"], solved=False)}, "recall": {"c": {"box": 3, "at": NOW - DAY}},
        "predictions": {"b": {"answer": "house", "sure": 80, "right": True, "seen": False, "at": NOW - DAY}}}  # fmt: skip
FIELDS = [("exercises", "a", field) for field in record()] + [("recall", "c", field) for field in ("box", "at")]
FIELDS += [("predictions", "b", field) for field in GOOD["predictions"]["b"]]


def changed(path: tuple[str, ...], value: object) -> str:
    made = json.loads(json.dumps(GOOD))
    place = made
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return file(**made)


def typed(answer: object) -> bool:
    return isinstance(answer, str) or (isinstance(answer, list) and all(map(typed, answer)))


PLACES = [("exercises",), ("recall",), ("predictions",), ("version",), ("format",), ("exercises", "a"), ("recall", "c"), *FIELDS]
TEXTS = {
    "anything": [changed(path, value) for path in PLACES for value in STRANGE],
    "names": [changed((kind, str(value)), GOOD["exercises"]["a"]) for kind in GOOD for value in STRANGE],
    "cut": [file(**GOOD)[:end] for end in range(0, len(file(**GOOD)), 3)],
}


def held(file: dict) -> list[str]:
    return [name for kind in GOOD for name in file.get(kind) or {}]


@pytest.mark.parametrize("kind", TEXTS)
def test_a_strange_file_is_told_and_loses_nothing(kind):
    for text, found in zip(TEXTS[kind], asked(*(["read", text, NOW] for text in TEXTS[kind])), strict=True):
        if "problem" in found:
            assert found["problem"].endswith("Nothing was changed."), text
            continue
        given = json.loads(text)
        told = [name for name, why in found["refused"] if why]
        assert sorted([*held(found), *told]) == sorted(held(given)), text
        for name, kept in found["exercises"].items():
            assert name in "abc" and kept["tried"] >= 0 and kept["hints"] in range(4) and isinstance(kept["solved"], bool), text
            assert kept["at"] is None or 0 <= kept["at"] <= NOW + DAY, text
            assert kept["answer"] is None or typed(kept["answer"]), text
        for name, kept in found["recall"].items():
            assert name in "abc" and kept["box"] in range(1, 6) and kept["at"] <= NOW + DAY, text
        for name, kept in found["predictions"].items():
            assert name in "abc" and kept["sure"] in (None, *range(50, 100)) and kept["right"] in (True, False, None) and kept["at"] <= NOW + DAY, text
            assert typed(kept["answer"]) or all(isinstance(height, (int, float)) for height in kept["answer"]), text
