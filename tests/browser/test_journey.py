"""Journey in a real Chromium, on a page of its own: by keyboard from the first stop to the last French word, with
PyTorch's numbers."""

import pytest
import torch
from playwright.sync_api import expect

from course_lib import shipped
from course_lib.widgets import Journey
from course_lib.widgets.journey import EXAMPLES, STATIONS
from tests.shared.pages import drawn
from tests.shared.widget_alone import alone, assert_it_fits_a_phone, assert_it_is_accessible, holds, in_scheme
from tests.widgets.test_journey import greedy

visit = alone(lambda: [Journey()])
HARD = (
    "encoder_read",
    "encoder_weights",
    "decoder_weights",
    "cross_gather",
    "decoder_hidden",
    "logits",
    "softmax",
    "words",
    "one_hot",
)


def journey(page):
    page.wait_for_selector(".jny[aria-busy=false]")
    return page.locator(".jny")


def link(**settings):
    return "&".join(f"journey.{name}={value}" for name, value in settings.items())


def entry(widget):
    """Row, column and value of the entry that the widget looks at."""
    data = widget.evaluate("root => ({ ...root.dataset })")
    return int(data["row"]), int(data["column"]), float(data["value"])


def test_every_stop_by_keyboard_shows_what_it_computes(visit):
    with visit(link(station="words", every=1)) as page:
        widget = journey(page)
        widget.get_by_role("button", name="Next stop").focus()
        seen, count = [], 49
        for stop in range(1, count + 1):
            holds(widget, stop=stop)
            data = widget.evaluate("root => ({ ...root.dataset })")
            seen.append(data["station"])
            assert widget.locator(".jny-told").inner_text().endswith(".")
            if "computed" in data and data["matrix"]:
                assert float(data["computed"]) == pytest.approx(float(data["value"]), abs=1e-4), data["station"]
            if stop < count:
                page.keyboard.press("ArrowRight")
        assert list(dict.fromkeys(seen)) == list(STATIONS)
        page.keyboard.press("ArrowLeft")
        holds(widget, stop=count - 1)


def test_the_express_halts_twelve_times_and_says_who_looks_where(visit):
    model, source, target, _ = shipped.translator()
    text, french = EXAMPLES[0], ["ils", "vendront", "les"]
    with torch.no_grad():
        cross = model(
            torch.tensor([source.encode(text.split())]), torch.tensor([target.encode(french, start=True)])
        ).cross_weights[1][0, :, -1]
    with visit(link(written="%20".join(french))) as page:
        widget = journey(page)
        widget.get_by_role("button", name="Next stop").focus()
        for halt in range(1, 10):
            holds(widget, halt=halt)
            page.keyboard.press("ArrowRight")
        widget.get_by_role("button", name="← Back").press("Enter")
        holds(widget, halt=9, station="cross_weights", layer=1)
        assert "stop 9 of 12" in widget.inner_text() and "“petites”" in widget.locator(".course-task").inner_text()
        said = widget.locator(".jny-across-words").inner_text()
        for head, row in enumerate(cross):
            best = int(row.argmax())
            assert f"head {head + 1} at “{text.split()[best]}” ({float(row[best]):.2f})" in said
        widget.get_by_role("button", name="scores", exact=True).press("Enter")
        holds(widget, halt=0)
        widget.get_by_role("switch", name="all stops").press("Space")
        expect(widget.locator(".jny-count")).to_contain_text("of 49")


def test_the_route_draws_the_memory_to_each_cross_attention(visit):
    with visit(link(station="memory")) as page:
        widget = journey(page)
        assert widget.locator(".jny-across").count() == 2 and widget.locator(".jny-trunk").count() == 2
        assert widget.locator(".jny-plus").count() == 2 * 2 + 2 * 3
        memory, cross = (
            widget.get_by_role("button", name=name).bounding_box()
            for name in ("encoder: norm: memory", "decoder, layer 1: cross-attention")
        )
        way = widget.locator(".jny-across").first.bounding_box()
        assert way["x"] == pytest.approx(memory["x"] + memory["width"], abs=5)
        assert way["x"] + way["width"] == pytest.approx(cross["x"], abs=5)


def test_word_by_word_to_the_end_as_pytorch_translates(visit):
    model, source, target, _ = shipped.translator()
    for text in EXAMPLES[:2]:
        french = greedy(model, list(source.tokens), list(target.tokens), text.split())
        with visit(link(sentence=text, station="softmax")) as page:
            widget = journey(page)
            for count in range(1, len(french) + 1):
                if count == 2:  # the long way round: from the last stop back to the decoder's first
                    widget.get_by_role("button", name=f"Write “{french[1]}” and go on").press("Enter")
                    holds(widget, station="target_words")
                else:
                    widget.get_by_role("button", name="Next word", exact=True).press("Enter")
                holds(widget, written=" ".join(french[:count]))
            holds(widget, next="⟨end⟩")
            widget.get_by_role("button", name="Next word", exact=True).press("Enter")
            holds(widget, done="true")
            assert widget.get_by_role("button", name="Finished").is_disabled()
            widget.get_by_role("button", name="Take back").press("Enter")
            widget.get_by_role("button", name="Take back").press("Enter")
            holds(widget, written=" ".join(french[:-1]))
            widget.get_by_role("button", name="Start again").press("Enter")
            holds(widget, written="")


def test_a_look_across_is_pytorchs_and_the_address_brings_it_back(visit):
    model, source, target, _ = shipped.translator()
    text = EXAMPLES[0]
    french = greedy(model, list(source.tokens), list(target.tokens), text.split())[:3]
    ids = torch.tensor([source.encode(text.split())]), torch.tensor([target.encode(french, start=True)])
    with torch.no_grad():
        cross = model(*ids).cross_weights
    place = {"sentence": text, "written": "%20".join(french), "station": "cross_weights", "layer": 2, "head": 3}
    with visit(link(**place)) as page:
        widget = journey(page)
        row, column, value = entry(widget)
        assert row == len(french) and column == int(cross[1][0, 2, row].argmax())
        assert value == pytest.approx(float(cross[1][0, 2, row, column]), abs=1e-4)
        face = widget.locator(".jny-face")
        face.focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Home")
        holds(widget, row=row - 1)
        holds(widget, column=0)
        value = entry(widget)[2]
        assert value == pytest.approx(float(cross[1][0, 2, row - 1, 0]), abs=1e-4)
        assert f"{value:.3f}" in widget.locator(".jny-readout").inner_text()
        assert (
            widget.get_attribute("data-station") == "cross_weights"
        )  # the arrows moved in the matrix, not along the route
        page.wait_for_url("**journey.column=1*")
        link_back = page.url
    with visit(link_back.split("?")[1]) as page:
        assert entry(journey(page)) == (row - 1, 0, value)


def test_jumps_heads_and_matrices(visit):
    with visit(link(station="words")) as page:
        widget = journey(page)
        widget.get_by_role("button", name="decoder, layer 2: cross-attention").press("Enter")
        holds(widget, station="cross_read")
        holds(widget, layer=1)
        widget.get_by_role("button", name="K, s × m", exact=False).press("Enter")
        holds(widget, matrix="K")
        before = entry(widget)
        widget.get_by_role("radio", name="head 2").check(force=True)
        holds(widget, head=1)
        assert entry(widget)[2] != before[2]
        widget.get_by_role("button", name="weights", exact=True).press("Enter")
        holds(widget, station="cross_weights")
        box = widget.locator(".jny-face").bounding_box()
        page.mouse.click(box["x"] + 3, box["y"] + 3)
        holds(widget, row=0)
        holds(widget, column=0)


def test_a_readers_own_sentence_is_taken_or_refused_in_words(visit):
    with visit(link(written="le")) as page:
        widget = journey(page)
        field = widget.get_by_label("English sentence")
        before = widget.get_attribute("data-sentence")
        field.fill("the zebra sees the door")
        field.press("Enter")
        drawn(page)
        assert "“zebra” is not among them" in widget.locator(".course-problem").inner_text()
        assert widget.get_attribute("data-sentence") == before
        field.fill("The OLD king sees the door")
        field.press("Enter")
        holds(widget, sentence="the old king sees the door .")
        assert widget.get_attribute("data-written") == "" and widget.locator(".course-problem").inner_text() == ""


@pytest.mark.parametrize("station", HARD)
def test_a_stop_is_accessible_and_fits_a_phone(visit, station):
    with visit(link(station=station, written="le%20."), width=375) as page:
        widget = journey(page)
        holds(widget, station=station)
        assert_it_fits_a_phone(page, widget)
        for scheme in ("light", "dark"):
            in_scheme(page, ".jny", scheme)
            assert_it_is_accessible(page, ".jny")
