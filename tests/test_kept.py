"""Rows kept on the disk come back, and only to the settings that they were made with."""

from typing import NamedTuple

import pytest

from course_lib.kept import KeptRows

SETTINGS = {"rate": 0.1, "steps": 20}


class Row(NamedTuple):
    seed: int
    loss: float


class Rows(KeptRows):
    head, Row = "trial", Row

    def key(self, row):
        return row.seed

    def wrong(self, row):
        return None if row.loss >= 0 else "a loss below 0"


@pytest.fixture
def path(tmp_path):
    rows = Rows(tmp_path / "rows.jsonl", SETTINGS)
    for seed in (3, 1):
        rows.add(Row(seed, seed / 2))
    return rows.path


def test_what_was_added_is_there_again(path):
    assert Rows(path, SETTINGS).rows == {3: Row(3, 1.5), 1: Row(1, 0.5)}
    assert Rows(path, dict(reversed(SETTINGS.items()))).rows and Rows.settings_in(path) == SETTINGS


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (SETTINGS | {"steps": 21}, "its steps is 20, got 21"),
        (SETTINGS | {"decay": 0.5}, "its decay is None, got 0.5"),  # a setting that has come since
        ({"rate": 0.1}, "its steps is 20, got None"),  # one that has gone
    ],
)
def test_other_settings_are_refused_and_the_file_is_left(path, settings, said):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=said):
        Rows(path, settings)
    assert path.read_bytes() == before
