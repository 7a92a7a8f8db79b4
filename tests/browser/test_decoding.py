"""Decoding in a real Chromium, on a page of its own: by keyboard, with PyTorch's numbers, from the address."""

import re

import pytest
import torch

from course_lib import shipped
from course_lib.decoding import beam, greedy, restrict
from course_lib.text.corpora import towns
from course_lib.text.vocabulary import END, START
from course_lib.widgets import Decoding
from tests.shared.pages import drawn
from tests.shared.widget_alone import alone, holds, is_busy, press, reaches

TEXT = "the old teachers do not see the black cat in the garden"
visit = alone(lambda: [Decoding(text=TEXT), Decoding("towns"), Decoding("table")])
NEVER = 3  # ⟨pad⟩, ⟨start⟩, ⟨unk⟩: no letters of a name


def part(page, name):
    return page.locator(f".dec-of-{name}")


def ready(widget):
    drawn(widget.page)  # what was asked just now is begun
    is_busy(widget, False)
    return widget


def slide(widget, label, key, times=1):
    handle = widget.locator(".course-slider").filter(has_text=label).locator("input")
    for _ in range(times):
        handle.press(key)
    drawn(widget.page)


def searched(text=TEXT, width=3, power=0.6):
    """What Python finds: the model's own search, and greedy's."""
    model, source, target, _ = shipped.translator()
    tokens = torch.tensor([source.encode([*text.split(), "."])])
    options = {"start": START, "end": END, "longest": 2 * tokens.shape[1] + 10}
    found = beam(model.step, model.start(tokens), width=width, length_power=power, trace=True, **options)
    plain = greedy(model.step, model.start(tokens), **options)
    return model, tokens, target, found, plain


def written(target, tokens):
    text = " ".join(target.decode(tokens))
    return re.sub(r" ([.,])", r"\1", text.replace("' ", "'"))


def scores(widget):
    return [
        float(x) for x in widget.locator(".dec-ranking li").evaluate_all("rows => rows.map(row => row.dataset.score)")
    ]


# ---- The translator
def test_each_step_of_the_search_is_pythons(visit):
    with visit("translator.moment=0") as page:
        widget = ready(part(page, "translator"))
        _, _, target, found, plain = searched()
        assert widget.get_attribute("data-steps") == str(len(found.trace))
        for step, choice in enumerate(found.trace, start=1):
            press(widget, "Forward")
            holds(widget, step=step)
            want = [each.score for each in (*choice.kept, *choice.dropped[:3])]
            assert scores(widget)[: len(want)] == pytest.approx(want, abs=2e-3)
            assert widget.locator(".dec-tree .dec-node.dec-out").count() == len(choice.dropped[:3])
        assert widget.get_attribute("data-best") == written(target, found.tokens[0])
        assert widget.get_attribute("data-greedy") == written(target, plain.tokens[0])
        assert widget.locator(".dec-tag:visible").count() == 1


def test_dials_by_keyboard_and_the_address(visit):
    with visit() as page:
        widget = ready(part(page, "translator"))
        slide(widget, "beam width", "ArrowRight", 2)
        slide(widget, "length power", "ArrowRight", 4)
        holds(widget, width="5")
        ready(widget)
        _, _, target, found, _ = searched(width=5, power=1.0)
        assert widget.get_attribute("data-best") == written(target, found.tokens[0])
        assert scores(widget)[:5] == pytest.approx(found.score.tolist(), abs=2e-3)
        widget.locator(".dec-ranking button").nth(1).press("Enter")
        holds(widget, chosen=written(target, found.tokens[1]))
        page.wait_for_url("**translator.hypothesis=2*")
        link = page.url
    assert "translator.width=5" in link and "translator.length_power=1" in link and "towns." not in link
    with visit(link.split("?")[1]) as page:
        widget = ready(part(page, "translator"))
        assert (widget.get_attribute("data-width"), widget.get_attribute("data-chosen")) == (
            "5",
            written(target, found.tokens[1]),
        )


def test_a_readers_sentence_is_translated_and_unknown_words_are_said(visit):
    with visit() as page:
        widget = ready(part(page, "translator"))
        field = widget.get_by_label("English sentence")
        field.fill("The zeppelin sleeps")
        field.press("Enter")
        ready(widget)
        assert "“zeppelin”" in widget.locator(".course-problem").first.inner_text()
        assert widget.get_attribute("data-chosen")
        assert widget.locator(".dec-heat th[scope=col]").all_inner_texts() == ["the", "zeppelin", "sleeps", "."]
        field.fill("  ")
        field.press("Enter")
        drawn(page)
        assert "Type a sentence" in widget.locator(".course-problem").first.inner_text()
        widget.locator("select").select_option(index=2)
        ready(widget)
        assert widget.locator(".course-problem").first.inner_text() == ""


# ---- A language in a table
def test_in_the_small_language_the_length_power_chooses_the_sentence(visit):
    """By hand: 0.4 · 0.9 · 0.6 = 0.216 in three words, 0.4 · 0.9 · 0.4 = 0.144 in four; log .216 / 3 < log .144 / 4."""
    with visit("table.width=2&table.length_power=0") as page:
        widget = ready(part(page, "table"))
        assert (widget.get_attribute("data-best"), widget.get_attribute("data-greedy")) == ("a dog", "the dog")
        assert scores(widget)[:2] == pytest.approx([-1.5325, -1.9379], abs=1e-3)
        slide(widget, "length power", "ArrowRight", 10)
        holds(widget, best="a dog sleeps")
        assert scores(widget)[:2] == pytest.approx([-1.9379 / 4, -1.5325 / 3], abs=1e-3)
        assert widget.locator("form, .dec-heat").count() == 0


# ---- The towns
def test_ten_names_begin_with_what_stands_there_and_no_special_token_is_drawn(visit):
    with visit("towns.text=Monte&towns.temperature=5&towns.seed=4") as page:
        widget = part(page, "towns")
        press(widget, "Draw one letter")
        reaches(widget, "drawn", "x.length === 1")
        begun = "Monte" + widget.get_attribute("data-drawn")
        press(widget, "Ten names")
        names = [name for name, _ in names_of(widget)]
        assert all(name.startswith(begun) for name in names) and len(set(names)) == 10
        assert not any("⟨" in name for name in names)
        press(widget, f"Show all {len(shipped.town_model().vocabulary) - NEVER}")
        shown = " ".join(widget.locator(".dec-bars tbody th").all_inner_texts())
        assert "⟨" not in shown


def distribution(widget):
    """Token number → probability, of the rows shown."""
    return dict(
        widget.locator(".dec-bars tbody tr").evaluate_all(
            "rows => rows.map(row => [+row.dataset.token, +row.dataset.p])"
        )
    )


def test_the_bars_are_pythons_and_the_dials_cut_them(visit):
    model, vocabulary, _ = shipped.town_model()
    with torch.no_grad():
        logits = model(torch.tensor([[START, *vocabulary.encode(list("Mon"))]])).logits[0, -1]
    with visit("towns.text=Mon") as page:
        widget = part(page, "towns")
        reads = widget.get_attribute("data-reads")
        press(widget, f"Show all {len(vocabulary) - NEVER}")
        for act, dials in (
            (lambda: None, {}),
            (lambda: slide(widget, "temperature", "PageUp"), {"temperature": 10**0.25}),
            (lambda: slide(widget, "top-k", "Home"), {"temperature": 10**0.25, "top_k": 1}),
            (lambda: slide(widget, "top-k", "ArrowRight", 5), {"temperature": 10**0.25, "top_k": 6}),
            (lambda: slide(widget, "top-p", "ArrowLeft", 40), {"temperature": 10**0.25, "top_k": 6, "top_p": 0.6}),
        ):
            act()
            want = restrict(logits, **({"temperature": 1.0} | dials))
            letters = [END, *range(NEVER + 1, len(vocabulary))]
            holds(widget, kept=int((want[letters] > 0).sum()))
            got = distribution(widget)
            assert [got[token] for token in letters] == pytest.approx(want[letters].tolist(), abs=2e-3), dials
        assert widget.locator(".dec-bars tr.dec-cut").count() == len(letters) - int((want > 0).sum())
        assert widget.get_attribute("data-reads") == reads  # a dial asks the model nothing


def names_of(widget):
    reaches(widget, "invented", "x !== ''")
    return [row.split("\n") for row in widget.locator(".dec-names li").all_inner_texts()]


def test_one_seed_gives_the_same_names_and_they_are_marked_truly(visit):
    known = set(towns())
    with visit("towns.temperature=0.5&towns.seed=7") as page:
        widget = part(page, "towns")
        press(widget, "Ten names")
        first = names_of(widget)
        assert len(first) == 10 and len({name for name, _ in first}) > 5
        assert all((kind == "exists") == (name in known) for name, kind in first)
        page.wait_for_url("**towns.listed=1*")
        link = page.url
        seed = widget.get_by_label("seed")
        seed.fill("8")
        seed.press("Enter")
        holds(widget, seed="8")
        assert "has changed since" in widget.inner_text()
        press(widget, "Ten names")
        assert names_of(widget) != first
    with visit(link.split("?")[1]) as page:
        assert names_of(part(page, "towns")) == first


def test_letter_by_letter_is_the_name_at_once(visit):
    with visit("towns.text=Mon&towns.seed=3") as page:
        widget = part(page, "towns")
        press(widget, "Finish the name")
        holds(widget, ended="true")
        whole = widget.get_attribute("data-drawn")
        assert whole.endswith("⟨end⟩")
        widget.locator(".dec-name").filter(has_text=re.compile("exists|invented")).wait_for()
        assert widget.locator(".dec-name").inner_text().startswith("Mon")
        press(widget, "Start again")
        holds(widget, drawn="")
        for count in range(1, len(whole) - len("⟨end⟩") + 2):
            press(widget, "Draw one letter")
            reaches(widget, "drawn", f"x.startsWith({whole[:count]!r})")
        holds(widget, drawn=whole)
        assert widget.locator(".dec-strip").is_visible()


def test_a_beginning_is_typed_or_refused_and_a_letter_taken(visit):
    with visit() as page:
        widget = part(page, "towns")
        field = widget.get_by_label("the name begins with")
        field.press_sequentially("Ro☃")
        drawn(page)
        assert "“☃”" in widget.locator(".course-problem").inner_text() and field.get_attribute("aria-invalid") == "true"
        assert widget.get_attribute("data-text") == "Ro"
        field.press("Backspace")
        drawn(page)
        holds(widget, text="Ro")
        assert widget.locator(".course-problem").inner_text() == ""
        taken = widget.locator(".dec-bars button").first
        letter = taken.inner_text()
        taken.press("Enter")
        holds(widget, text="Ro" + letter)
