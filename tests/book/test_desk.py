"""The teacher's plans are made of the pages' own times: nothing comes twice or too early, and no other cut has a shorter longest week."""

import itertools
import random
import re

import pytest
from course_book import desk, questions, sheets, timetable

COURSES = desk.plans()["courses"]


def lesson(minutes):
    return desk.Lesson("chapters/a/b", "", minutes, 0, 0, "")


def test_weeks_are_cut_where_the_longest_is_shortest():
    chance = random.Random(0)
    for _ in range(40):
        plan = [lesson(chance.choice([20, 35, 60, 90])) for _ in range(chance.randint(3, 8))]
        count = chance.randint(1, 3)
        cut = desk.weeks(plan, count)
        assert [each for week in cut for each in week] == plan and all(cut) and len(cut) == count
        longest = min(
            max(sum(each.minutes for each in plan[a:b]) for a, b in itertools.pairwise((0, *ends, len(plan))))
            for ends in itertools.combinations(range(1, len(plan)), count - 1)
        )
        assert max(sum(each.minutes for each in week) for week in cut) == longest
    with pytest.raises(ValueError, match="at most 2 weeks"):
        desk.weeks([lesson(1), lesson(1)], 3)


@pytest.mark.parametrize("count", COURSES)
def test_a_course_needs_nothing_that_comes_later(count):
    plan = desk.listed(COURSES[count])
    order = [each.path for each in plan]
    assert {each.path for each in plan if each.lab} and not any(each.startswith("chapters/00") for each in order)
    for at, each in enumerate(plan):
        assert not set(timetable.wants(each.need)) & set(order[at:]), each.path
    hours = [sum(each.minutes for each in week) / 60 for week in desk.weeks(plan, count)]
    assert max(hours) < 5


def test_a_need_that_is_named_by_its_label_or_with_an_anchor_counts():
    assert timetable.wants("[a](../chapters/01_encoder_decoder/01_neurons#l17-relu), {ref}`Adam <l17-optimisers>`, {ref}`l17-optimisers` and sums") == [
        "chapters/01_encoder_decoder/01_neurons", *["chapters/01_encoder_decoder/02_losses_and_descent"] * 2,
    ]  # fmt: skip
    asks = timetable.asking(timetable.parts())["3 · The Transformer"]["1 · Encoder and decoder"]
    assert asks == {f"chapters/03_transformer/{name}" for name in ("11_feed_forward", "15_stabilisers", "24_linear_recurrences")}


def test_exercises_predictions_and_checks_in_python_are_counted_apart():
    """In a chapter every exercise is in the page; only a lab has checks that its page does not ask."""
    cards = {each.path: each for pages in questions.parts(desk.ROOT).values() for each in pages}
    for page in (each for listed in timetable.parts().values() for each in listed):
        card = cards[page.path]
        assert page.predictions == len(card.predictions), page.path
        if page.path.startswith("labs/"):
            written = re.findall(r'^ *id="', (desk.ROOT / f"{page.path}.myst.md").read_text(encoding="utf-8"), re.M)
            assert page.exercises + page.predictions == len(written) and page.exercises >= len(card.questions), page.path
        else:
            assert page.exercises == len(card.questions), page.path


def test_a_step_that_names_nothing_is_refused():
    for wrong in ("03_transformer/99_nothing", "lab 99", "03_transformer to 99_nothing"):
        with pytest.raises(ValueError, match="names no page"):
            desk.listed([wrong])
    with pytest.raises(ValueError, match="comes twice"):
        desk.listed(["02_attention", "02_attention/03_scores"])
    assert len(desk.core("02_attention")) == 6  # its pages and its lab


def test_a_teacher_of_chapter_3_finds_everything_on_its_kit(book):
    """Every address that she needs for two weeks stands there, and leads somewhere (tools.book.links holds that for each link)."""
    text = (book / "book/kits.html").read_text(encoding="utf-8")
    part = text.split('id="kit-3"')[1].split('id="kit-4"')[0]
    pages = [each for each in desk.lessons().values() if not each.lab and desk.chapter(each.path) == "03_transformer"]
    for each in pages:
        assert f'href="../{each.path}.html"' in part and f'href="../{each.path}_slides.html"' in part
    for needed in ('href="../chapters/03_transformer/exercise_sheet.html"', 'href="../labs/03_transformer.html"', "labs/solutions/03_transformer.ipynb",
                   "_build/assignments/03_transformer.ipynb", "Week 1", "Week 2"):  # fmt: skip
        assert needed in part, needed
    words = re.sub(r"<[^>]+>", "", text)
    assert "make answers" in words and "make assignments" in words and 'href="class_predictions.html"' in text


@pytest.mark.parametrize("folder", sorted({desk.chapter(each.path) for each in desk.lessons().values() if not each.lab} - {"00_primer"}))
def test_two_weeks_of_a_chapter_need_nothing_that_comes_later(folder):
    order = [each.path for each in desk.core(folder)]
    for at, each in enumerate(desk.core(folder)):
        assert not set(timetable.wants(each.need)) & set(order[at:]), each.path


def test_what_a_way_needs_beside_it_is_said():
    plan = {each["name"]: desk.listed(each["pages"]) for each in desk.plans()["ways"]}
    missing = desk.beside(plan["theory"])
    assert missing["chapters/03_transformer/19_block_of_today"] == ["chapters/05_universality/03_universality"]
    assert missing["chapters/03_transformer/16_what_heads_do"] == ["chapters/06_gaussian_attention/07_what_keeps_apart"]
    assert "chapters/01_encoder_decoder/05_gradients" not in missing  # Regression in context asks for Losses, which the way has
    assert "chapters/03_transformer/13_next_word" not in missing  # the source asks for it or for Losses, which the way has
    source = desk.listed(["04_memoryless/01_source"])
    assert list(desk.beside(source)) == ["chapters/01_encoder_decoder/02_losses_and_descent"]
    whole = plan["theory"] + desk.in_turn(plan["theory"])
    assert len({each.path for each in whole}) == len(whole) and not desk.beside(whole) and len(desk.in_turn(plan["theory"])) > len(missing)
    own = [each.path for each in plan["attention and its maps"]]  # the explorer asks for Positions: here it is
    assert all(set(timetable.wants(desk.lessons()[path].need)) & set(own) <= set(own[: own.index(path)]) for path in own)
    assert "chapters/03_transformer/08_positions" in own


def test_numbers_on_the_sheet_are_joined():
    assert sheets.spans([(1, 3), (9, 9), (4, 7)]) == "1–7, 9"
    pages = [each for each in desk.lessons().values() if each.path.startswith("chapters/04")]
    numbers = sheets.numbers("04_memoryless")
    assert [numbers[each.path][1] - numbers[each.path][0] + 1 for each in pages] == [each.exercises for each in pages]
    assert sheets.spans(list(numbers.values())) == f"1–{sum(each.exercises for each in pages)}"
