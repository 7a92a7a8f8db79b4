"""Exercises on paper say what their cards say, in the same order; sheets hold no answers, the answer book all of them."""

import json
from pathlib import Path

from course_book import questions, sheets

from tests.shared.graph_node import node

ROOT = Path(__file__).resolve().parents[2]
VECTORS = json.loads((ROOT / "tests/js/exercise_vectors.json").read_text(encoding="utf-8"))
ALL = [(page, each.spec) for pages in questions.parts(ROOT).values() for page in pages for each in page.questions]


def test_marks_are_those_of_the_cards():
    assert [sheets.rich(text) for text, _ in VECTORS["rich"]] == [shown for _, shown in VECTORS["rich"]]


def test_options_and_steps_stand_in_the_order_of_the_cards():
    specs = [spec for _, spec in ALL if spec["kind"] in ("choice", "arrange")]
    asked = [["shown" if spec["kind"] == "choice" else "shuffled", spec] for spec in specs]
    orders = [[each["text"] if isinstance(each, dict) else each for each in order] for order in node("exercise_check.mjs", asked)]
    assert [[text for _, text in sheets.options(spec)] for spec in specs] == orders and len(specs) > 150


def test_a_sheet_asks_everything_and_answers_nothing(book):
    for caption, pages in questions.parts(ROOT).items():
        if pages[0].path.startswith("chapters/"):
            text = (book / sheets.address(pages[0].path.split("/")[1])).read_text(encoding="utf-8")
            specs = [each.spec for page in pages for each in page.questions]
            assert [text.count(f'id="{spec["id"]}"') for spec in specs] == [1] * len(specs), caption
            assert not any(sheets.rich(spec["solution"]) in text for spec in specs if len(spec["solution"]) > 30), caption


def test_the_answer_book_gives_every_exercise_its_answer(tmp_path):
    from tools.book import answers

    text = "".join(path.read_text(encoding="utf-8") for path in answers.write(tmp_path))
    for _, spec in ALL:
        solution = sheets.html.escape(spec["solution"]) if spec["kind"] == "function" else sheets.rich(spec["solution"])
        assert solution in text, spec["id"]
        if spec["kind"] == "value":
            assert f"<strong>{sheets.html.escape(spec['shown'])}</strong>" in text, spec["id"]
