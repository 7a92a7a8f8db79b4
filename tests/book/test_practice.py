"""Practice: every exercise is collected, none is asked too early, and the schedule keeps Leitner's rules whatever the
clock does."""

import datetime
import json
import re

import pytest
import yaml
from course_book import practice, questions

from tests.shared.graph_node import node
from tests.shared.malformed import MALFORMED
from tools.repository import ROOT

DAY = 86_400_000
NOW = 20_000 * DAY + 9 * 3_600_000  # nine in the morning of day 20,000, in a place whose clock shows UTC
CLOCK = {"now": NOW, "offset": 0}
DAYS = [1, 3, 7, 21, 60]


def asked(*calls):
    return node("practice.mjs", calls)


# ------------------------------------------------------------------------------------------------------ collection
def sources():
    """Id → number of its part in the table of contents, from the edited sources alone: what stands in an `ask(…)`."""
    found = {}
    for number, part in enumerate(yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"]):
        for each in part["chapters"]:
            path = ROOT / f"{each['file']}.myst.md"
            text = path.read_text() if path.exists() else ""
            ids = re.findall(r'^ask\(\w+\(\s*id="([\w-]+)"', text, re.M)
            for name in re.findall(r"^ask\((\w+)\)", text, re.M):
                ids += re.findall(rf'^{name} = \w+\(\s*id="([\w-]+)"', text, re.M)
            found |= dict.fromkeys(ids, number)
    return found


def test_every_exercise_of_the_sources_is_collected_once():
    ids = [question.id for pages in questions.parts(ROOT).values() for page in pages for question in page.questions]
    assert len(ids) == len(set(ids))
    assert set(ids) == set(sources())


def test_a_question_stands_in_the_section_above_it(tmp_path):
    shows = lambda name: {"cell_type": "code", "outputs": [{"data": {questions.VIEW: {"model_id": name}}}]}
    says = lambda text: {"cell_type": "markdown", "source": [text]}
    cells = [
        says("# The *title*"), shows("first"),
        says("(my-label)=\n## A section\n\n```python\n# no heading, but a comment\n```\n"), shows("second"),
        shows("first"),
        says("### Deeper down\n\n:::{note}\n## no section, but a box\n:::\n"), shows("third"),
    ]  # fmt: skip
    state = {name: {"state": {"spec": {"id": name}}} for name in ("first", "second", "third")}
    (tmp_path / "page.ipynb").write_text(
        json.dumps({"metadata": {"widgets": {questions.STATE: {"state": state}}}, "cells": cells})
    )
    found = questions.page(tmp_path, "page")
    assert found.title == "The *title*"
    assert [(each.id, each.anchor) for each in found.questions] == [
        ("first", "the-title"),
        ("second", "my-label"),
        ("third", "deeper-down"),
    ]


def test_a_box_never_asks_from_its_own_part_or_a_later_one():
    home = sources()
    order = {part["caption"]: n for n, part in enumerate(yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"])}
    for caption, pages in questions.parts(ROOT).items():
        asked = [name for part in practice.before(pages[0].path) for name in part["ids"]]
        if caption not in questions.OUTSIDE:
            assert all(home[name] < order[caption] for name in asked)
        assert bool(asked) == (caption != "Primer")
    everywhere = [name for part in practice.before("") for name in part["ids"]]
    assert (
        not any(name.startswith("lab-") for name in everywhere)
        and "spectra-coin" not in everywhere
        and len(everywhere) > 150
    )


def test_chapters_begin_with_a_box():
    for pages in questions.parts(ROOT).values():
        first = (ROOT / f"{pages[0].path}.myst.md").read_text()
        assert ("```{recall}" in first) == bool(re.match(r"chapters/0[1-6]", pages[0].path)), pages[0].path


def test_questions_that_need_their_page_are_left_out():
    specs = {
        question.id: question.spec
        for pages in questions.parts(ROOT).values()
        for page in pages
        for question in page.questions
    }
    in_pools = {name for _, _, ids in practice.pools().values() for name in ids}
    by_hand = set(questions.BY_HAND.split())
    assert set(specs) >= by_hand
    assert not any(
        questions.ELSEWHERE.search(specs[name]["question"]) for name in by_hand
    )  # its words leave it out already
    assert not in_pools & by_hand
    assert "primer-chain" in in_pools and "skip-bound" not in in_pools  # which speaks of the theorem
    for phrase in ("on this page", "the table above", "in the figure", "by the theorem", "Predict before you read"):
        assert not questions.alone({"id": "x", "question": f"What holds {phrase}?"})


def test_links_lead_to_sections_and_pools_are_published(book):
    folder = book / "_static" / "data"
    for key, text, ids in practice.pools().values():
        delivered = (folder / f"{key}.js").read_text(encoding="utf-8")
        assert json.loads(
            json.loads("[" + delivered.removeprefix("__course.deliver(").removesuffix(")") + "]")[1]
        ) == json.loads(text)
        for each in json.loads(text):
            path, anchor = each["page"].split("#")
            assert f'id="{anchor}"' in (book / path).read_text(encoding="utf-8"), each["page"]
            assert "_esm" not in each["spec"] and each["spec"]["id"] in ids
    code, style = (practice.card()[name].removeprefix("course:") for name in ("_esm", "_css"))
    assert f'deliver("{style}"' in (folder / f"{code}.js").read_text(encoding="utf-8")


# -------------------------------------------------------------------------------------------------------- schedule
def page_record(days_ago, right=True, tried=1):
    return {"tried": tried, "at": None if days_ago is None else NOW - days_ago * DAY, "right": right}


def box(number, days_ago):
    return {"box": number, "at": NOW - days_ago * DAY}


def test_where_a_question_stands():
    cases = [
        ((None, None), None),
        ((page_record(0, tried=0), None), None),  # only hints were read
        ((page_record(2), None), box(1, 2)),
        ((page_record(2, right=False), None), box(1, 2)),
        ((page_record(None, right=None), None), {"box": 1, "at": "-Infinity"}),  # an old record
        ((page_record(9), box(3, 2)), box(3, 2)),
        ((page_record(1), box(3, 2)), box(3, 1)),  # seen again on its page: the wait begins anew
        ((page_record(1, right=False), box(3, 2)), box(1, 1)),
        ((page_record(2, right=False), box(3, 2)), box(3, 2)),  # of one moment: the box has told the page
        ((None, box(4, 5)), box(4, 5)),
        ((page_record(-400), None), {"box": 1, "at": "-Infinity"}),  # from a clock a year ahead
        ((page_record(-0.5), None), box(1, 0)),  # the clock went back by half a day
    ]
    assert asked(*(["standing", *given, NOW] for given, _ in cases)) == [wanted for _, wanted in cases]


def test_it_is_due_when_its_days_are_over_and_not_before():
    for number, wait in enumerate(DAYS, 1):
        assert asked(*(["isDue", box(number, days), CLOCK] for days in (wait - 1, wait, wait + 30))) == [
            False,
            True,
            True,
        ]
    assert asked(["isDue", {"box": 5, "at": "-Infinity"}, CLOCK], ["isDue", None, CLOCK], ["days"]) == [
        True,
        False,
        DAYS,
    ]


def test_days_are_the_readers_own():
    late = datetime.datetime(2026, 3, 1, 23, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=9)))
    early, offset = late + datetime.timedelta(hours=1), -9 * 60  # as Date.getTimezoneOffset() has it in Tokyo
    then, now = (int(each.timestamp() * 1000) for each in (late, early))
    assert asked(
        ["isDue", {"box": 1, "at": then}, {"now": now, "offset": offset}],
        ["isDue", {"box": 1, "at": then}, {"now": now, "offset": 0}],
    ) == [True, False]
    assert asked(["dayOf", then, offset])[0] == late.date().toordinal() - datetime.date(1970, 1, 1).toordinal()


def test_right_moves_on_and_wrong_goes_back_to_the_first_box():
    for number, wait in enumerate(DAYS, 1):
        due, early = box(number, wait), box(number, 0.25)
        right, wrong, too_early, wrong_early = asked(
            *(["after", stands, correct, CLOCK] for stands in (due, early) for correct in (True, False))
        )
        assert right == {"box": min(number + 1, 5), "at": NOW}
        assert wrong == wrong_early == {"box": 1, "at": NOW}
        assert too_early == early  # right once more within the same hour proves nothing
    assert asked(["after", None, True, CLOCK], ["after", None, False, CLOCK], ["after", {"box": 2, "at": "-Infinity"},
        True, CLOCK]) == [
        {"box": 1, "at": NOW}, {"box": 1, "at": NOW}, {"box": 3, "at": NOW}]  # fmt: skip


def test_due_questions_come_before_new_ones():
    given = [
        {"id": "new", "stands": None}, {"id": "early", "stands": box(2, 1)}, {"id": "due", "stands": box(1, 2)},
        {"id": "overdue", "stands": box(1, 5)}, {"id": "unknown", "stands": {"box": 1, "at": "-Infinity"}},
        {"id": "tied", "stands": {"box": 1, "at": NOW - 2 * DAY - 60_000}},
    ]  # fmt: skip
    (ordered,) = asked(["order", given, CLOCK])
    assert [each["id"] for each in ordered] == ["unknown", "overdue", "tied", "due", "new", "early"]
    assert [each["why"] for each in ordered] == ["due"] * 4 + ["new", "early"]
    assert asked(["order", given[::-1], CLOCK]) == [ordered]


def test_the_order_of_the_day_holds_all_day_and_changes_overnight():
    fresh = [{"id": f"question-{n}", "stands": None} for n in range(60)]
    days = asked(*(["order", fresh, {"now": NOW + hours * 3_600_000, "offset": 0}] for hours in (0, 10, 24, 48)))
    ids = [[each["id"] for each in day] for day in days]
    assert ids[0] == ids[1] and len({tuple(each) for each in ids[1:]}) == 3


@pytest.mark.parametrize(
    "due, fresh, today, wanted",
    [(5, 9, 0, 3), (1, 9, 0, 3), (0, 9, 0, 3), (0, 9, 3, 0), (1, 9, 3, 1), (0, 1, 0, 1), (2, 9, 1, 2), (0, 0, 0, 0)],
)
def test_at_most_three_are_asked_and_nothing_new_after_three(due, fresh, today, wanted):
    assert asked(["first", [{"why": "due"}] * due + [{"why": "new"}] * fresh + [{"why": "early"}], today]) == [wanted]


# ----------------------------------------------------------------------------------------------------- what is next
def pages(*worked):
    """Five pages: solved of two exercises, and when; None is untouched."""
    return [
        {"tried": 2, "solved": each[0], "total": 2, "at": each[1]}
        if each
        else {"tried": 0, "solved": 0, "total": 2, "at": None}
        for each in worked
    ]


def test_what_is_next():
    cases = [
        ((None,) * 5, (-1, 0)), ((None, None, (1, 5), None, None), (2, 3)), ((None, None, (2, 5), None, None), (-1, 3)),
        (((2, 9), None, None, None, (1, 4)), (-1, 1)), ((None, (2, 5), None, None, (1, 9)), (4, 0)), (((2, 1),) * 5,
        (-1, -1)),
    ]  # fmt: skip
    found = asked(*(["onwards", pages(*worked)] for worked, _ in cases))
    assert [(each["unfinished"], each["next"]) for each in found] == [wanted for _, wanted in cases]


# ---------------------------------------------------------------------------------------------- records and the file
def test_corrupt_records_count_as_none():
    prediction = {"answer": "house", "sure": None, "right": True, "seen": True, "at": NOW}
    bad = {
        "asExercise": [None, 3, "x", [], {}, {"tried": -1}, {"tried": "1"}, {"solved": True}],
        "asRecall": [
            None,
            {},
            {"box": 0, "at": 1},
            {"box": 6, "at": 1},
            {"box": 1.5, "at": 1},
            {"box": 1},
            {"box": 1, "at": -1},
            {"box": 1, "at": "1"},
        ],
        "asPrediction": [None, 3, [], {}, {**prediction, "at": "1"}, {**prediction, "at": -1}, {"at": NOW}],
    }
    for name, records in bad.items():
        assert asked(*([name, each] for each in records)) == [None] * len(records), name
    good = [{"box": number, "at": at} for number in (1, 5) for at in (0, NOW)]
    assert asked(*(["asRecall", each] for each in good)) == good
    assert asked(["exercise", "corrupt"], ["exercise", "list"], ["exercise", "missing"]) == [None] * 3
    odd = [
        {**prediction, **each} for each in ({"sure": "80"}, {"sure": 1e9}, {"sure": 12}, {"right": 1}, {"seen": "yes"})
    ]
    assert asked(*(["asPrediction", each] for each in odd)) == [prediction] * 3 + [
        {**prediction, "right": None},
        {**prediction, "seen": False},
    ]
    (old,) = asked(["asExercise", {"answer": "a", "hints": 1, "tried": 2, "solved": True}])
    assert old == {"answer": "a", "hints": 1, "tried": 2, "solved": True, "at": None, "right": None}


def record(at=NOW - DAY, **more):
    return {"answer": "1", "hints": 0, "tried": 1, "solved": True, "at": at, "right": True, **more}


def test_a_file_comes_back_as_it_went():
    exercises, recall = (
        {"a": record(), "b": record(None, right=None, answer=[["1", "2"], ["x"]])},
        {"a": {"box": 3, "at": NOW}},
    )
    predictions = {"c": {"answer": [0.5, 1.25], "sure": 80, "right": False, "seen": False, "at": NOW}}
    (text,) = asked(["write", exercises, recall, predictions, NOW])
    assert asked(["read", text, NOW]) == [
        {"exercises": exercises, "recall": recall, "predictions": predictions, "refused": 0}
    ]
    (old,) = asked(["read", file(), NOW])  # from before there were any
    assert old["predictions"] == {}


def file(**more):
    return json.dumps({"format": "attention-by-hand-progress", "version": 1, "exercises": {}, "recall": {}, **more})


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": "other"}', file(version=2), file()[:-1], " " * 2_000_001]
)
def test_a_bad_file_is_refused_in_words(text):
    (found,) = asked(["read", text, NOW])
    assert found["problem"].endswith("Nothing was changed.")


GOOD = {
    "exercises": {"a": record(), "b": record(answer=["1", "2"])},
    "recall": {"c": {"box": 3, "at": NOW}},
    "predictions": {"b": {"answer": "house", "sure": 80, "right": True, "seen": False, "at": NOW}},
}


def test_what_makes_no_sense_in_a_file_is_refused_and_the_rest_is_taken():
    bad = [
        {"zzz": record()},
        {"a": {"tried": "x"}},
        {"a": record(NOW + 3 * DAY)},
        *({"a": record(answer=answer)} for answer in ("x" * 6000, {"a": 1}, [["x"] * 3000])),
        {"constructor": record()},
    ]
    for each, found in zip(
        bad, asked(*(["read", file(**GOOD | {"exercises": each}), NOW] for each in bad)), strict=True
    ):
        assert found == {**GOOD, "exercises": {}, "refused": 1}, each
    places = [(kind, id, field) for kind, kept in GOOD.items() for id, each in kept.items() for field in each]
    texts = [
        file(**GOOD | {kind: GOOD[kind] | {id: GOOD[kind][id] | {field: value}}})
        for kind, id, field in places
        for value in MALFORMED
    ]
    texts += [file(**GOOD | {kind: value}) for kind in GOOD for value in MALFORMED]
    for text, found in zip(texts, asked(*(["read", text, NOW] for text in texts)), strict=True):
        for each in found["exercises"].values():
            assert (
                each["tried"] >= 0
                and each["hints"] in range(4)
                and isinstance(each["solved"], bool)
                and (each["at"] is None or 0 <= each["at"] <= NOW + DAY)
            ), text
        assert all(each["box"] in range(1, 6) and each["at"] <= NOW + DAY for each in found["recall"].values()), text
        assert all(
            each["sure"] in (None, *range(50, 100)) and each["right"] in (True, False, None)
            for each in found["predictions"].values()
        ), text


def test_what_a_full_storage_refuses_is_done_again_to_what_another_tab_has_written_since():
    calls = [
        ("full", True),
        ("change", "a", {"tried": 1}),
        ("change", "a", {"hints": 2}),
        ("stored", "a"),
        ("exercise", "a"),
    ]
    calls += [
        ("full", False),
        ("elsewhere", "a", record(tried=3)),
        ("exercise", "a"),
        ("change", "a", {"hints": 3}),
        ("stored", "a"),
    ]
    _, one, two, nothing, here, _, _, both, three, kept = asked(*calls)
    assert (one, two, nothing, three) == (False, False, None, True) and (here["tried"], here["hints"]) == (1, 2)
    assert both == record(tried=1, hints=2) and kept == record(tried=1, hints=3)


def test_of_two_records_the_newer_is_kept_and_solved_stays_solved():
    old, new = record(NOW - DAY), record(NOW, solved=False, right=False)
    kept = {**new, "solved": True}
    assert asked(["newer", old, new], ["newer", new, old], ["newer", None, old], ["newer", new, None]) == [
        kept,
        kept,
        old,
        new,
    ]
    assert asked(["newer", record(hints=2, tried=3), new]) == [{**kept, "hints": 2, "tried": 3}]  # as on the card
    undated = record(None)
    assert asked(["newer", undated, old], ["newer", undated, {**undated, "tried": 4}]) == [old, {**undated, "tried": 4}]
    assert asked(
        ["newer", {"box": 2, "at": 5}, {"box": 1, "at": 9}], ["newer", {"box": 2, "at": 5}, {"box": 1, "at": 5}]
    ) == [{"box": 1, "at": 9}, {"box": 2, "at": 5}]
