"""Two translators in a real Chromium, on a page of their own: by keyboard, with PyTorch's numbers, from the address."""

import pytest
import torch

from course_lib import shipped
from course_lib.text.vocabulary import START
from course_lib.translation import translate
from course_lib.widgets import Translate
from course_lib.widgets.translate import sentence
from tests.shared.pages import drawn, rested
from tests.shared.widget_alone import alone, holds, is_busy, press, reaches
from tests.widgets.test_translate import distance

MODELS = ("rnnencdec", "rnnsearch")
visit = alone(lambda: [Translate()])


def ready(page):
    page.wait_for_selector(".tra")
    widget = page.locator(".tra")
    drawn(page)  # what was asked just now is begun
    is_busy(widget, False)
    return widget


def written(words):
    """Tokens as a reader writes them."""
    return " ".join(words).replace("' ", "'").replace(" .", ".")


def answers(text):
    """model → the words that Python says."""
    found = {}
    for name in MODELS:
        model, source, target, _ = getattr(shipped, name)()
        found[name] = translate(model, source, target, [text.split()])[0].words
    return found


def dial(widget, key, times=1):
    handle = widget.locator(".tra-dials input[type=range]")
    for _ in range(times):
        handle.press(key)


def shown(widget):
    """The alignment on the screen, [n, s]."""
    rows = widget.locator(".tra-matrix tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => +cell.dataset.value))"
    )
    return torch.tensor(rows)


def visible(widget, name):
    """What one model has said so far."""
    return widget.locator(f".tra-panel[aria-label={name}] .tra-word:not(.tra-later)").evaluate_all(
        "words => words.map(word => word.firstChild.data)"
    )


# ---- The models
def test_the_length_dial_makes_the_fixed_vector_fail(visit):
    """The outcome that the page is about, as Python computes it: by keyboard, from one clause to three."""
    with visit() as page:
        widget, errors = ready(page), []
        for clauses in (1, 2, 3):
            holds(widget, clauses=clauses)
            ready(page)
            english, french = sentence(0, clauses)
            for name, words in answers(english).items():
                assert widget.get_attribute(f"data-{name}") == written(words)
                assert widget.get_attribute(f"data-errors-{name}") == str(distance(words, french.split()))
            errors.append([int(widget.get_attribute(f"data-errors-{name}")) for name in MODELS])
            dial(widget, "ArrowRight")
        assert errors[0][0] < errors[1][0] < errors[2][0]  # the fixed vector
        assert all(looking <= fixed for fixed, looking in errors) and errors[2][1] < errors[2][0] / 3
        tally = widget.locator(".tra-tally tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.querySelectorAll('td')].slice(0, 3).map(cell => +cell.textContent))"
        )
        assert tally == [list(each) for each in zip(*errors, strict=True)]


def test_the_alignment_grows_row_by_row_and_is_pytorchs(visit):
    english, _ = sentence(0, 1)
    model, source, target, _ = shipped.rnnsearch()
    words = answers(english)["rnnsearch"]
    with torch.no_grad():
        read = torch.tensor([[START, *target.encode(words)]])
        want = model(torch.tensor([source.encode(english.split())]), read).weights[0]  # ⟨end⟩ has a row too
    with visit("translate.moment=0") as page:
        widget = ready(page)
        assert "Nothing is said yet" in widget.locator(".tra-told").first.inner_text()
        for step in range(1, len(words) + 2):
            press(widget, "Forward")
            holds(widget, step=step)
            got = shown(widget)
            assert got.shape == (step, want.shape[1]) and torch.allclose(got, want[:step], atol=2e-3)
            assert tuple(visible(widget, "RNNsearch")) == words[:step]
            looked = int(want[step - 1].argmax())
            if step <= len(words) and english.split()[looked] != ".":
                told = widget.locator(".tra-told").first.inner_text()
                assert (
                    f"says {words[step - 1]}, looks at {english.split()[looked]} {want[step - 1, looked]:.2f}" in told
                )
        assert widget.locator(".tra-matrix thead th").all_inner_texts() == english.split()
        press(widget, "Back")
        holds(widget, step=len(words))
        assert len(shown(widget)) == len(words)


# ---- By keyboard
def test_arrow_keys_move_over_the_alignment_and_the_cell_is_told(visit):
    with visit() as page:
        widget = ready(page)
        values, grid, told = shown(widget), widget.locator(".tra-matrix"), widget.locator(".tra-told").last
        english, words = sentence(0, 1)[0].split(), [*answers(sentence(0, 1)[0])["rnnsearch"], "⟨end⟩"]
        grid.focus()
        row, column = len(words) - 1, int(values[-1].argmax())
        for key, (down, right) in (
            ("ArrowUp", (-1, 0)),
            ("ArrowUp", (-1, 0)),
            ("ArrowLeft", (0, -1)),
            ("ArrowRight", (0, 1)),
            ("ArrowDown", (1, 0)),
        ):
            page.keyboard.press(key)
            row, column = row + down, max(0, min(len(english) - 1, column + right))
            holds(widget, row=row)
            holds(widget, column=column)
            assert (
                f"Step {row + 1}, writing “{words[row]}”: “{english[column]}” has weight {values[row, column]:.2f}"
                in told.inner_text()
            )
        page.keyboard.press("Home")
        holds(widget, column="0")
        assert page.locator(f"#{grid.get_attribute('aria-activedescendant')}").get_attribute("data-column") == "0"
        page.keyboard.press("ArrowLeft")  # the edge holds
        assert widget.get_attribute("data-column") == "0"


def test_the_moment_is_in_the_address(visit):
    with visit() as page:
        widget = ready(page)
        dial(widget, "ArrowRight")
        holds(widget, clauses="2")
        ready(page)
        widget.locator("select").select_option(index=1)
        holds(widget, example="1")
        ready(page)
        press(widget, "Back")
        page.wait_for_url("**translate.moment=*")
        link, step = page.url, widget.get_attribute("data-step")
        assert "translate.clauses=2" in link and "translate.example=2" in link
    with visit(link.split("?")[1]) as page:
        widget = ready(page)
        assert (
            widget.get_attribute("data-step"),
            widget.get_attribute("data-clauses"),
            widget.get_attribute("data-example"),
        ) == (step, "2", "1")


# ---- The reader's own sentence
def test_a_readers_sentence_is_translated_refused_or_warned_of(visit):
    with visit() as page:
        widget = ready(page)
        field = widget.get_by_label("English sentence")
        field.fill("  ")
        field.press("Enter")
        drawn(page)
        assert "type a sentence first" in widget.locator(".course-problem").first.inner_text()
        assert field.get_attribute("aria-invalid") == "true" and widget.get_attribute("data-text") == sentence(0, 1)[0]
        field.fill("The zeppelin sees a white horse")
        field.press("Enter")
        reaches(widget, "text", "x.startsWith('The zeppelin')")
        ready(page)
        assert "“zeppelin” is not among" in widget.locator(".tra-warning").inner_text()
        assert widget.locator(".tra-matrix thead th").all_inner_texts() == [
            "the",
            "⟨unk⟩",
            "sees",
            "a",
            "white",
            "horse",
            ".",
        ]
        want = answers("the zeppelin sees a white horse .")
        assert [widget.get_attribute(f"data-{name}") for name in MODELS] == [written(want[name]) for name in MODELS]
        assert (
            widget.get_attribute("data-errors-rnnsearch") == ""
            and "no reference" in widget.locator(".tra-count").first.inner_text()
        )
        pick = widget.locator(".tra-pick select")
        pick.evaluate(
            "pick => { pick.value = 'own'; pick.dispatchEvent(new Event('change', { bubbles: true })); }"
        )  # quicker than a frame
        drawn(page)
        assert widget.get_attribute("data-text").startswith("The zeppelin") and pick.input_value() == "own"
        field.fill("the horse sleeps and " * 28)
        field.press("Enter")
        reaches(widget, "text", "x.length > 400")
        ready(page)
        assert (
            "These are 113 tokens. In training no sentence had more than 30."
            in widget.locator(".tra-warning").inner_text()
        )
        field.fill("a " * 150)
        field.press("Enter")
        drawn(page)
        assert (
            "At most 120 tokens fit here, words and marks; these are 151."
            in widget.locator(".course-problem").first.inner_text()
        )
        dial(widget, "ArrowRight")
        holds(widget, text=sentence(0, 2)[0])


def test_an_offered_sentence_opens_before_its_first_word_and_has_its_reference(visit):
    with visit() as page:
        widget = ready(page)
        pick = widget.locator(".tra-pick select")
        pick.select_option("the queen sees a white red house .")
        reaches(widget, "text", "x.startsWith('the queen')")
        ready(page)
        assert widget.get_attribute("data-step") == "0" and pick.input_value().startswith("the queen")
        assert "maison rouge blanche" in widget.locator(".tra-reference").inner_text()
        assert (widget.get_attribute("data-errors-rnnsearch"), widget.get_attribute("data-errors-rnnencdec")) == (
            "0",
            "1",
        )
        pick.select_option("0")
        holds(widget, text=sentence(0, 1)[0])
        words = widget.locator(".course-known")
        words.locator("summary").press("Enter")
        assert words.locator("p").inner_text().split(", ")[:3] == ["a", "agreement", "agreements"]


def test_what_happens_is_spoken(visit):
    with visit() as page:
        widget = ready(page)
        rested(page)
        assert widget.locator("[aria-live]").inner_text() == ""  # nothing before the reader has touched something
        press(widget, "Back")
        page.wait_for_function("document.querySelector('.tra [aria-live]').textContent.includes('RNNsearch says')")
        widget.locator(".tra-matrix").focus()
        page.keyboard.press("ArrowUp")
        page.wait_for_function("document.querySelector('.tra [aria-live]').textContent.includes('has weight')")


# ---- What is near
@pytest.mark.parametrize("clauses", [1, 6])
def test_on_a_phone_the_alignment_has_scrolled_to_its_newest_row(visit, clauses):
    with visit(f"translate.clauses={clauses}", width=375) as page:
        cell = ready(page).locator(".tra-cell")
        assert cell.evaluate(
            "cell => { const box = cell.closest('.tra-scroll').getBoundingClientRect(), at = "
            "cell.getBoundingClientRect(); return at.right <= box.right && at.bottom <= box.bottom + 1; }"
        )


# The widget is far down before any script of the page runs.
FAR = """new MutationObserver((changes, watcher) => {
  if (!document.head) return;
  document.head.appendChild(document.createElement("style")).textContent = "h1 { padding-bottom: 4000px }";
  watcher.disconnect();
}).observe(document, { childList: true, subtree: true });"""


def test_nothing_is_fetched_before_it_comes_near(visit):
    asked = set()
    with visit(width=800, wait=False, asked=asked, fresh=True) as page:
        ready(page)  # nothing of this first visit is still to be asked for
        page.add_init_script(FAR)
        asked.clear()
        page.reload()
        page.wait_for_selector("html[data-course-ready]")
        rested(page)
        before = len(asked)
        page.locator(".tra").scroll_into_view_if_needed()
        ready(page)
        assert len(asked) - before >= 7  # the sentences, two models, five graphs: one file may be shared
