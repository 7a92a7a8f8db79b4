"""Practice: every exercise is collected, none is asked too early, and the schedule keeps Leitner's rules whatever the clock does."""

import datetime
import json
import re
from pathlib import Path

import pytest
import yaml
from course_book import placement, practice, questions, timetable

from tests.shared.graph_node import node

ROOT = Path(__file__).resolve().parents[2]
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
    shows = lambda *names: {"cell_type": "code", "source": [], "outputs": [{"data": {questions.VIEW: {"model_id": f"of {name}"}}} for name in names]}  # noqa: E731
    says = lambda text: {"cell_type": "markdown", "source": text.splitlines(keepends=True)}  # noqa: E731
    cells = [
        says("# The *title*\n\nWords.\n"), shows("first"),
        says("(my-label)=\n## A section\n\n```python\n# no heading, but a comment\n```\n"), shows("second", "first"),
        says("### Deeper down\n\n:::{note}\n## no section, but a box\n:::\n"), shows("third"),
    ]  # fmt: skip
    state = {f"of {name}": {"state": {"spec": {"id": name}}} for name in ("first", "second", "third")}
    (tmp_path / "page.ipynb").write_text(json.dumps({"metadata": {"widgets": {questions.STATE: {"state": state}}}, "cells": cells}))
    found = questions.page(tmp_path, "page")
    assert found.title == "The *title*"
    assert [(each.id, each.anchor) for each in found.questions] == [("first", "the-title"), ("second", "my-label"), ("third", "deeper-down")]


def test_a_box_never_asks_from_its_own_part_or_a_later_one():
    home = sources()
    order = {part["caption"]: n for n, part in enumerate(yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"])}
    for caption, pages in questions.parts(ROOT).items():
        asked = [name for part in practice.before(pages[0].path) for name in part["ids"]]
        if caption not in questions.OUTSIDE:
            assert all(home[name] < order[caption] for name in asked)
        assert bool(asked) == (caption != "Primer")
    everywhere = [name for part in practice.before("") for name in part["ids"]]
    assert not any(name.startswith("lab-") for name in everywhere) and "spectra-coin" not in everywhere and len(everywhere) > 150


def test_chapters_begin_with_a_box():
    for pages in questions.parts(ROOT).values():
        first = (ROOT / f"{pages[0].path}.myst.md").read_text()
        assert ("```{recall}" in first) == bool(re.match(r"chapters/0[1-6]", pages[0].path)), pages[0].path


def test_questions_that_need_their_page_are_left_out():
    by_hand = questions.left_out(ROOT)
    specs = {question.id: question.spec for pages in questions.parts(ROOT).values() for page in pages for question in page.questions}
    in_pools = {name for _, _, ids in practice.pools().values() for name in ids}
    for name, reason in by_hand.items():
        assert name in specs, f"{name} in practice.yml is no exercise of the book"
        assert len(reason) > 10
        assert not questions.ELSEWHERE.search(specs[name]["question"]), f"{name}: its words leave it out already"
    assert not in_pools & set(by_hand)
    assert "primer-chain" in in_pools and "skip-bound" not in in_pools  # which speaks of the theorem
    for phrase in ("on this page", "the table above", "in the figure", "by the theorem", "Predict before you read"):
        assert not questions.alone({"id": "x", "question": f"What holds {phrase}?"}, {})


@pytest.mark.parametrize("argument, said", [("most", "recall takes nothing or all"), ("", "this page has none before it")])
def test_a_wrong_box_is_refused_in_words(argument, said, monkeypatch):
    class Refused(Exception):
        pass

    box = object.__new__(practice.Recall)
    box.arguments = [argument] if argument else []
    monkeypatch.setattr(practice.Recall, "env", type("Env", (), {"docname": questions.parts(ROOT)["Primer"][0].path}))
    monkeypatch.setattr(practice.Recall, "note", lambda self: None)
    box.error = lambda words: Refused(words)
    with pytest.raises(Refused, match=said):
        box.run()


def test_links_lead_to_sections_and_pools_are_published(book):
    folder = book / "_static" / "data"
    for key, text, ids in practice.pools().values():
        delivered = (folder / f"{key}.js").read_text(encoding="utf-8")
        assert json.loads(json.loads("[" + delivered.removeprefix("__course.deliver(").removesuffix(")") + "]")[1]) == json.loads(text)
        for each in json.loads(text):
            path, anchor = each["page"].split("#")
            assert f'id="{anchor}"' in (book / path).read_text(encoding="utf-8"), each["page"]
            assert "_esm" not in each["spec"] and each["spec"]["id"] in ids
    code, style = (practice.card()[name].removeprefix("course:") for name in ("_esm", "_css"))
    assert f'deliver("{style}"' in (folder / f"{code}.js").read_text(encoding="utf-8")


def test_pages_say_how_many_exercises_they_have(book):
    for pages in questions.parts(ROOT).values():
        for page in pages:
            lines = re.findall(r'class="course-tally" data-ids="([^"]*)"', (book / f"{page.path}.html").read_text(encoding="utf-8"))
            assert [line.split() for line in lines] == [[each.id for each in page.questions]], page.path


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
        assert asked(*(["isDue", box(number, days), CLOCK] for days in (wait - 1, wait, wait + 30))) == [False, True, True]
    assert asked(["isDue", {"box": 5, "at": "-Infinity"}, CLOCK], ["isDue", None, CLOCK], ["days"]) == [True, False, DAYS]


def test_days_are_the_readers_own():
    late = datetime.datetime(2026, 3, 1, 23, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=9)))
    early, offset = late + datetime.timedelta(hours=1), -9 * 60  # as Date.getTimezoneOffset() has it in Tokyo
    then, now = (int(each.timestamp() * 1000) for each in (late, early))
    assert asked(["isDue", {"box": 1, "at": then}, {"now": now, "offset": offset}], ["isDue", {"box": 1, "at": then}, {"now": now, "offset": 0}]) == [True, False]
    assert asked(["dayOf", then, offset])[0] == late.date().toordinal() - datetime.date(1970, 1, 1).toordinal()


def test_right_moves_on_and_wrong_goes_back_to_the_first_box():
    for number, wait in enumerate(DAYS, 1):
        due, early = box(number, wait), box(number, 0.25)
        right, wrong, too_early, wrong_early = asked(*(["after", stands, correct, CLOCK] for stands in (due, early) for correct in (True, False)))
        assert right == {"box": min(number + 1, 5), "at": NOW}
        assert wrong == wrong_early == {"box": 1, "at": NOW}
        assert too_early == early  # right once more within the same hour proves nothing
    assert asked(["after", None, True, CLOCK], ["after", None, False, CLOCK], ["after", {"box": 2, "at": "-Infinity"}, True, CLOCK]) == [
        {"box": 1, "at": NOW}, {"box": 1, "at": NOW}, {"box": 3, "at": NOW}]  # fmt: skip


def test_due_questions_come_first_and_new_ones_from_needed_parts():
    given = [
        {"id": "other", "needed": False, "stands": None}, {"id": "needed", "needed": True, "stands": None},
        {"id": "early", "needed": True, "stands": box(2, 1)}, {"id": "due", "needed": False, "stands": box(1, 2)},
        {"id": "overdue", "needed": False, "stands": box(1, 5)}, {"id": "unknown", "needed": False, "stands": {"box": 1, "at": "-Infinity"}},
        {"id": "tied", "needed": False, "stands": {"box": 1, "at": NOW - 2 * DAY - 60_000}},
    ]  # fmt: skip
    (ordered,) = asked(["order", given, CLOCK])
    assert [each["id"] for each in ordered] == ["unknown", "overdue", "tied", "due", "needed", "other", "early"]
    assert [each["why"] for each in ordered] == ["due"] * 4 + ["needed", "new", "early"]
    assert asked(["order", given[::-1], CLOCK]) == [ordered]


def test_the_order_of_the_day_holds_all_day_and_changes_overnight():
    fresh = [{"id": f"question-{n}", "needed": True, "stands": None} for n in range(60)]
    days = asked(*(["order", fresh, {"now": NOW + hours * 3_600_000, "offset": 0}] for hours in (0, 10, 24, 48)))
    ids = [[each["id"] for each in day] for day in days]
    assert ids[0] == ids[1] and len({tuple(each) for each in ids[1:]}) == 3


@pytest.mark.parametrize("due, fresh, today, wanted", [(5, 9, 0, 3), (1, 9, 0, 3), (0, 9, 0, 3), (0, 9, 3, 0), (1, 9, 3, 1), (0, 1, 0, 1), (2, 9, 1, 2), (0, 0, 0, 0)])
def test_at_most_three_are_asked_and_nothing_new_after_three(due, fresh, today, wanted):
    assert asked(["first", [{"why": "due"}] * due + [{"why": "new"}] * fresh + [{"why": "early"}], today]) == [wanted]


# ------------------------------------------------------------------------------------------- where to begin, what is next
def test_ten_questions_stand_for_pages_in_order_and_need_no_page_of_their_own():
    asked_there = [each for listed in placement.asked().values() for each in listed]
    order = [f"{page.path}.html" for pages in timetable.parts().values() for page in pages]
    places = [order.index(each["begin"]["page"]) for each in asked_there]
    assert len(asked_there) == 10 and places == sorted(set(places))
    assert [each["begin"]["page"] for each in placement.asked()["primers"]] == order[:4]  # all primers, and the chapters' first page next
    assert places[4] == 4 and all(questions.alone(each["spec"], questions.left_out(ROOT)) for each in asked_there)


def answers(**tries):
    """Records of placement's cards: 1 right at once, 2 right at the second try, 0 wrong, -1 right after a hint."""
    how = {1: (1, 0, True), 2: (2, 0, True), 0: (1, 0, False), -1: (1, 1, True)}
    return {f"placement.{name}": dict(zip(("tried", "hints", "solved"), how[each], strict=True)) for name, each in tries.items()}


def test_what_is_known_at_the_first_try_is_skipped_and_the_first_gap_is_where_to_begin():
    at = lambda name: {"page": name}  # noqa: E731
    way = {"primers": [{"id": name, "begin": at(name)} for name in "pq"], "chapters": [{"id": name, "begin": at(name)} for name in "abc"]}
    (none,) = asked(["placed", way, {}])
    assert none == {"answered": 0, "total": 5, "skip": [], "read": [at("p"), at("q")], "begin": at("a")}
    some, every, gap = asked(*(["placed", way, answers(**tries)] for tries in (
        {"p": 1, "q": 2, "a": -1, "b": 1}, dict.fromkeys("pqabc", 1), {"a": 1, "b": 0, "c": 1})))  # fmt: skip
    assert (some["skip"], some["read"], some["begin"]) == ([at("p")], [at("q")], at("a"))
    assert (every["read"], every["begin"], every["answered"]) == ([], None, 5)
    assert gap["begin"] == at("b")


def pages(*worked):
    """The pages p q a b c: solved of two exercises, and when; None is untouched."""
    rows = [{"page": name, "tried": 0, "solved": 0, "total": 2, "at": None} for name in "pqabc"]
    return [row | ({"tried": 2, "solved": each[0], "at": each[1]} if each else {}) for row, each in zip(rows, worked, strict=True)]


def test_what_is_next():
    fresh = {"answered": 0, "skip": [], "read": [], "begin": {"page": "a"}}
    placed = {"answered": 3, "skip": [{"page": "p"}], "read": [{"page": "q"}], "begin": {"page": "b"}}
    know_all = {**placed, "skip": [{"page": "p"}, {"page": "q"}], "read": [], "begin": None}
    nothing = (None,) * 5
    cases = [
        (nothing, fresh, (-1, 0)), (nothing, placed, (-1, 1)),  # the primer that is worth its time
        (nothing, know_all, (-1, 4)),  # what comes after all that was asked
        ((None, None, (1, 5), None, None), fresh, (2, 3)), ((None, None, (2, 5), None, None), fresh, (-1, 3)),
        ((None, (2, 5), None, None, None), placed, (-1, 3)),  # the beginning, past the chapter's first page
        (((2, 9), None, None, None, (1, 4)), fresh, (-1, 1)), ((None, None, None, None, (2, 4)), placed, (-1, 1)),
        (((2, 1),) * 5, fresh, (-1, -1)),
    ]  # fmt: skip
    found = asked(*(["onwards", pages(*worked), place, "c"] for worked, place, _ in cases))
    assert [(each["unfinished"], each["next"]) for each in found] == [wanted for *_, wanted in cases]


# ---------------------------------------------------------------------------------------------- records and the file
def test_corrupt_records_count_as_none():
    bad = [None, 3, "x", [], {}, {"tried": -1}, {"tried": "1"}, {"solved": True}]
    assert asked(*(["asExercise", each] for each in bad)) == [None] * len(bad)
    bad = [None, {}, {"box": 0, "at": 1}, {"box": 6, "at": 1}, {"box": 1.5, "at": 1}, {"box": 1}, {"box": 1, "at": -1}, {"box": 1, "at": "1"}]
    assert asked(*(["asRecall", each] for each in bad)) == [None] * len(bad)
    good = [{"box": number, "at": at} for number in (1, 3, 5) for at in (0, NOW)]
    assert asked(*(["asRecall", each] for each in good)) == good
    assert asked(["exercise", "corrupt"], ["exercise", "list"], ["exercise", "missing"]) == [None] * 3
    (old,) = asked(["asExercise", {"answer": "a", "hints": 1, "tried": 2, "solved": True}])
    assert old == {"answer": "a", "hints": 1, "tried": 2, "solved": True, "at": None, "right": None}


def record(at=NOW - DAY, **more):
    return {"answer": "1", "hints": 0, "tried": 1, "solved": True, "at": at, "right": True, **more}


def test_a_file_comes_back_as_it_went():
    exercises, recall = {"a": record(), "b": record(None, right=None, answer=[["1", "2"], ["x"]])}, {"a": {"box": 3, "at": NOW}}
    predictions = {"c": {"answer": [0.5, 1.25], "sure": 80, "right": False, "seen": False, "at": NOW}}
    (text,) = asked(["write", exercises, recall, predictions, NOW])
    assert asked(["read", text, NOW]) == [{"exercises": exercises, "recall": recall, "predictions": predictions, "refused": []}]
    (old,) = asked(["read", file(), NOW])  # from before there were any
    assert old["predictions"] == {}


def test_a_prediction_that_makes_no_sense_counts_as_none():
    good = {"answer": "house", "sure": None, "right": True, "seen": True, "at": NOW}
    bad = [None, 3, [], {}, {**good, "at": "1"}, {**good, "at": -1}, {"at": NOW}]
    assert asked(*(["asPrediction", each] for each in bad)) == [None] * len(bad)
    odd = [{**good, "sure": "80"}, {**good, "sure": 1e9}, {**good, "sure": 12}, {**good, "right": 1}, {**good, "seen": "yes"}]
    mended = [good, good, good, {**good, "right": None}, {**good, "seen": False}]
    assert asked(*(["asPrediction", each] for each in odd)) == mended
    (found,) = asked(["read", file(predictions={"a": {**good, "answer": {"x": 1}}, "zzz": good, "b": {**good, "at": NOW + 3 * DAY}, "c": {**good, "answer": [1, None]}}), NOW])
    assert {id for id, _ in found["refused"]} == {"a", "b", "c", "zzz"} and found["predictions"] == {}


def file(**more):
    return json.dumps({"format": "attention-by-hand-progress", "version": 1, "exercises": {}, "recall": {}, **more})


@pytest.mark.parametrize(
    "text, said",
    [("", "cut short"), ("{", "cut short"), ("[]", "not a progress file"), ("null", "not a progress file"), ('{"format": "other"}', "not a progress file"),
     (file(version=2), "version 2"), (file(version=None), "version null"), (file(exercises=[]), "damaged"), (file(recall=None), "damaged"), (" " * 2_000_001, "far larger")],
)  # fmt: skip
def test_a_bad_file_is_refused_in_words(text, said):
    (found,) = asked(["read", text, NOW])
    assert said in found["problem"] and found["problem"].endswith("Nothing was changed.")


def test_bad_records_are_refused_one_by_one():
    bad = {"zzz": record(), "b": {"tried": "x"}, "c": record(NOW + 3 * DAY)}
    (found,) = asked(["read", file(exercises={"a": record(), **bad}, recall={"a": {"box": 9, "at": 1}}), NOW])
    assert found["exercises"] == {"a": record()} and found["recall"] == {}
    assert dict(found["refused"]) == {"zzz": "is no exercise of this book", "b": "has a record that makes no sense", "c": "has a date in the future", "a": "has a record that makes no sense"}
    for answer in ("x" * 6000, {"a": 1}, [1], [["x"] * 3000]):
        (found,) = asked(["read", file(exercises={"a": record(answer=answer)}), NOW])
        assert found["refused"] == [["a", "has an answer that makes no sense"]]
    (found,) = asked(["read", file(exercises={"__proto__": record()}).replace("__proto__", "constructor"), NOW])
    assert found["refused"] == [["constructor", "is no exercise of this book"]]


def test_what_a_full_storage_refuses_is_done_again_to_what_another_tab_has_written_since():
    calls = [("full", True), ("change", "a", {"tried": 1}), ("change", "a", {"hints": 2}), ("stored", "a"), ("exercise", "a")]
    calls += [("full", False), ("elsewhere", "a", record(tried=3)), ("exercise", "a"), ("change", "a", {"hints": 3}), ("stored", "a")]
    _, one, two, nothing, here, _, _, both, three, kept = asked(*calls)
    assert (one, two, nothing, three) == (False, False, None, True) and (here["tried"], here["hints"]) == (1, 2)
    assert both == record(tried=1, hints=2) and kept == record(tried=1, hints=3)


def test_of_two_records_the_newer_is_kept_and_solved_stays_solved():
    old, new = record(NOW - DAY), record(NOW, solved=False, right=False)
    kept = {**new, "solved": True}
    assert asked(["newer", old, new], ["newer", new, old], ["newer", None, old], ["newer", new, None]) == [kept, kept, old, new]
    assert asked(["newer", record(hints=2, tried=3), new]) == [{**kept, "hints": 2, "tried": 3}]  # as on the card
    undated = record(None)
    assert asked(["newer", undated, old], ["newer", undated, {**undated, "tried": 4}]) == [old, {**undated, "tried": 4}]
    assert asked(["newer", {"box": 2, "at": 5}, {"box": 1, "at": 9}], ["newer", {"box": 2, "at": 5}, {"box": 1, "at": 5}]) == [{"box": 1, "at": 9}, {"box": 2, "at": 5}]
