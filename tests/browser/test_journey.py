"""The journey in the published page: by keyboard from the first stop to the last French word, with PyTorch's numbers."""

import pytest
import torch

from course_lib import shipped
from course_lib.widgets.journey import EXAMPLES, STATIONS
from tests.shared.barriers import COLOURS, barriers
from tests.shared.pages import HANG, drawn, in_scheme, opened
from tests.widgets.test_journey import greedy

pytestmark = pytest.mark.browser
PAGE = "chapters/03_transformer/01_journey.html"
HARD = ("encoder_read", "encoder_weights", "decoder_weights", "cross_gather", "decoder_hidden", "logits", "softmax", "words", "one_hot")


def journey(page):
    """The page's first Journey, scrolled to and drawn."""
    page.locator(".course-widget[data-widget=Journey]").first.scroll_into_view_if_needed()  # its data comes when it comes near
    widget = page.locator(".jny").first
    widget.scroll_into_view_if_needed()
    page.wait_for_selector(".jny[data-ready]")
    return widget


def link(site, **settings):
    return f"{site}{PAGE}?" + "&".join(f"journey.{name}={value}" for name, value in settings.items())


def reaches(widget, name, value):
    widget.evaluate(
        """(root, [name, value, hang]) => new Promise((done, fail) => {
             const end = Date.now() + hang;
             const look = () => root.dataset[name] === value ? done()
               : Date.now() > end ? fail(Error(`${name} stayed ${root.dataset[name]}, wanted ${value}`)) : setTimeout(look, 10);
             look();
           })""",
        [name, str(value), HANG],
    )


def entry(widget):
    """Row, column and value of the entry that the widget looks at."""
    data = widget.evaluate("root => ({ ...root.dataset })")
    return int(data["row"]), int(data["column"]), float(data["value"])


def test_every_stop_by_keyboard_shows_what_it_computes(browser, site):
    with opened(browser, link(site, station="words")) as (page, troubles):
        widget = journey(page)
        widget.get_by_role("button", name="Next stop").focus()
        seen, count = [], 49
        for stop in range(1, count + 1):
            reaches(widget, "stop", stop)
            data = widget.evaluate("root => ({ ...root.dataset })")
            seen.append(data["station"])
            assert widget.locator(".jny-told").inner_text().endswith(".")
            if "computed" in data and data["matrix"]:
                assert float(data["computed"]) == pytest.approx(float(data["value"]), abs=1e-4), data["station"]
            if stop < count:
                page.keyboard.press("ArrowRight")
        assert list(dict.fromkeys(seen)) == list(STATIONS)
        page.keyboard.press("ArrowLeft")
        reaches(widget, "stop", count - 1)
        assert troubles == []


def test_word_by_word_to_the_end_as_pytorch_translates(browser, book):
    model, source, target, _ = shipped.translator()
    for text in EXAMPLES[:2]:
        french = greedy(model, list(source.tokens), list(target.tokens), text.split())
        with opened(browser, link(book.as_uri() + "/", sentence=text, station="softmax")) as (page, troubles):
            widget = journey(page)
            for count in range(1, len(french) + 1):
                if count == 2:  # the long way round: from the last stop back to the decoder's first
                    widget.get_by_role("button", name=f"Write “{french[1]}” and go on").press("Enter")
                    reaches(widget, "station", "target_words")
                else:
                    widget.get_by_role("button", name="Next word", exact=True).press("Enter")
                reaches(widget, "written", " ".join(french[:count]))
            reaches(widget, "next", "⟨end⟩")
            widget.get_by_role("button", name="Next word", exact=True).press("Enter")
            reaches(widget, "done", "true")
            assert widget.get_by_role("button", name="Finished").is_disabled()
            widget.get_by_role("button", name="Take back").press("Enter")
            widget.get_by_role("button", name="Take back").press("Enter")
            reaches(widget, "written", " ".join(french[:-1]))
            widget.get_by_role("button", name="Start again").press("Enter")
            reaches(widget, "written", "")
            assert troubles == []


def test_a_look_across_is_pytorchs_and_the_address_brings_it_back(browser, site):
    model, source, target, _ = shipped.translator()
    text = EXAMPLES[0]
    french = greedy(model, list(source.tokens), list(target.tokens), text.split())[:3]
    ids = torch.tensor([source.encode(text.split())]), torch.tensor([target.encode(french, start=True)])
    with torch.no_grad():
        cross = model(*ids).cross_weights
    place = {"sentence": text, "written": "%20".join(french), "station": "cross_weights", "layer": 2, "head": 3}
    with opened(browser, link(site, **place)) as (page, troubles):
        widget = journey(page)
        row, column, value = entry(widget)
        assert row == len(french) and column == int(cross[1][0, 2, row].argmax())
        assert value == pytest.approx(float(cross[1][0, 2, row, column]), abs=1e-4)
        face = widget.locator(".jny-face")
        face.focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Home")
        reaches(widget, "row", row - 1)
        reaches(widget, "column", 0)
        value = entry(widget)[2]
        assert value == pytest.approx(float(cross[1][0, 2, row - 1, 0]), abs=1e-4)
        assert f"{value:.3f}" in widget.locator(".jny-readout").inner_text()
        assert widget.get_attribute("data-station") == "cross_weights"  # the arrows moved in the matrix, not along the route
        page.wait_for_url("**journey.column=1*")
        link_back = page.url
        assert troubles == []
    with opened(browser, link_back) as (page, _):
        assert entry(journey(page)) == (row - 1, 0, value)


def test_jumps_heads_and_matrices(browser, site):
    with opened(browser, link(site, station="words")) as (page, troubles):
        widget = journey(page)
        widget.get_by_role("button", name="decoder, layer 2: cross-attention").press("Enter")
        reaches(widget, "station", "cross_read")
        reaches(widget, "layer", 1)
        widget.get_by_role("button", name="K, s × m", exact=False).press("Enter")
        reaches(widget, "matrix", "K")
        before = entry(widget)
        widget.get_by_role("radio", name="head 2").check(force=True)
        reaches(widget, "head", 1)
        assert entry(widget)[2] != before[2]
        widget.get_by_role("button", name="weights", exact=True).press("Enter")
        reaches(widget, "station", "cross_weights")
        box = widget.locator(".jny-face").bounding_box()
        page.mouse.click(box["x"] + 3, box["y"] + 3)
        reaches(widget, "row", 0)
        reaches(widget, "column", 0)
        assert troubles == []


def test_a_readers_own_sentence_is_taken_or_refused_in_words(browser, site):
    with opened(browser, link(site, written="le")) as (page, troubles):
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
        reaches(widget, "sentence", "the old king sees the door .")
        assert widget.get_attribute("data-written") == "" and widget.locator(".course-problem").inner_text() == ""
        assert troubles == []


def test_an_address_that_makes_no_sense_changes_nothing(browser, site):
    with opened(browser, link(site, sentence="zebra", written="zèbre", station="moon", layer=9, head=99, row=1999)) as (page, troubles):
        widget = journey(page)
        assert widget.get_attribute("data-station") in STATIONS and widget.get_attribute("data-written") == ""
        assert troubles == []


@pytest.mark.parametrize("station", HARD)
def test_a_stop_is_accessible_in_light_and_dark(browser, site, station):
    with opened(browser, link(site, station=station, written="%20".join(["le", "."]))) as (page, _):
        reaches(journey(page), "station", station)
        assert barriers(page, context=".jny") == []
        in_scheme(page, "dark")
        assert barriers(page, COLOURS, ".jny") == []


def test_stops_fit_a_phone(browser, site):
    with opened(browser, link(site, station="words"), width=375) as (page, _):
        for station in HARD:
            page.goto(link(site, station=station, written="le"))
            journey(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), station
            small = page.locator(".jny button:visible, .jny summary:visible").evaluate_all(
                "all => all.map(node => [node.textContent, node.getBoundingClientRect()]).filter(([, box]) => box.width < 24 || box.height < 24).map(([text]) => text)"
            )
            assert small == [], station
