"""What a beam repairs and which names exist: the counts held together."""

import pytest

from course_lib.results import load
from course_lib.text.corpora import clauses as clauses_of
from course_lib.text.corpora import english_french
from studies import decoding

TABLE = load("decoding")


@pytest.mark.parametrize("clauses", [1, 2])
def test_the_first_sentences_are_searched_again(clauses):
    """Few sentences change, so that of the first five the counts are at most the table's."""
    pairs = decoding.held_out(clauses, 5)
    assert all(len(clauses_of(pair)) == clauses and pair in english_french().test for pair in pairs)
    found = [decoding.answers(pair) for pair in pairs]
    row = next(row for row in TABLE["search"] if row["clauses"] == clauses)
    for i, (width, power) in enumerate(decoding.BEAMS, 2):
        some, all_of_them = decoding.counted(found, i, power), row["beams"][f"width {width}"]
        assert all(some[name] <= all_of_them[name] for name in some)


def test_greedy_is_right_as_often_as_the_models_file_says():
    from course_lib.shipped import translator

    stored = translator().info["scores"]["greedy and beam, by clauses"]
    for row in TABLE["search"][:2]:
        both = stored[str(row["clauses"])]
        assert row["sentences"] == both["greedy"]["sentences"] == 100
        assert row["greedy"] == round(100 * both["greedy"]["exact"])
        assert row["beams"]["width 4"]["exact"] == round(100 * both["beam 4"]["exact"])


def test_what_changes_adds_up():
    for row in TABLE["search"]:
        for found in row["beams"].values():
            assert found["exact"] == row["greedy"] + found["repaired"] - found["spoilt"]
            assert found["repaired"] + found["spoilt"] <= found["changed"]
            assert max(found["likelier than right"], found["above right"]) <= row["sentences"] - found["exact"]


def test_where_greedy_is_right_the_right_text_has_its_probability():
    """The right text's is summed from one pass over all places, greedy's from one step after the other."""
    for pair in decoding.held_out(2, 4):
        right, first, *_ = decoding.answers(pair)
        assert right[0] == first[0] and right[1] == pytest.approx(first[1], abs=1e-4)
