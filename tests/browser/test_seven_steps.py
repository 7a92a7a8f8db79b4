"""The seven steps of one word in a real browser: PyTorch's numbers at every step, each entry the sum of its products,
and all by keyboard."""

import pytest
import torch
from playwright.sync_api import expect

from course_lib.shipped import rnnsearch
from course_lib.widgets.seven_steps import SevenSteps
from tests.shared.widget_alone import alone, holds, settled

pytestmark = pytest.mark.browser
visit = alone(lambda: [SevenSteps()])
TEXT, WRITTEN = "the old king sees a white house .", ["le", "vieux", "roi", "voit", "une"]


def truth() -> dict[str, torch.Tensor]:
    """What PyTorch's own modules make of the step, by the names in the widget."""
    shipped = rnnsearch()
    model, decoder = shipped.model, shipped.model.decoder
    with torch.no_grad():
        source = torch.tensor([shipped.source.encode(TEXT.split())])
        state = model.start(source)
        for token in shipped.target.encode(WRITTEN[:-1], start=True):
            _, state = model.step(torch.tensor([token]), state)
        logits, after = model.step(torch.tensor(shipped.target.encode(WRITTEN[-1:])), state)
        H, q = model.encode(source).H[0], state.s
        score = decoder.score
        keys = H @ score.W_k
        T = torch.tanh(q @ score.W_q + keys)
        S = (T @ score.w)[None]
        found = {"H": H, "q": q, "K": keys, "T": T, "S": S, "A": S.softmax(-1), "C": after.C, "sₜ": after.s}
        return found | {"P": logits.softmax(-1).topk(10).values, "z": logits.topk(10).values}


def shown(widget) -> tuple[str, int, int, float, float]:
    data = widget.evaluate("root => ({ ...root.dataset })")
    return (
        data["shownMatrix"],
        int(data["shownRow"]),
        int(data["shownColumn"]),
        float(data["value"]),
        float(data["computed"] or "nan"),
    )


def test_every_step_has_pytorchs_numbers_and_each_is_the_sum_of_its_products(visit):
    expected = truth()
    with visit() as page:
        widget = settled(page.locator(".svn"))
        holds(widget, moment=5, said="maison", step=1)
        checked = set()
        for step in range(1, 8):
            page.get_by_role("button", name=f"{step} ").first.click()
            holds(widget, step=step)
            for button in widget.locator(".jny-thumb").all():
                button.click()
                for key in ("", "ArrowRight", "ArrowDown"):
                    if key:
                        widget.locator(".jny-face").press(key)
                    page.evaluate("() => new Promise(requestAnimationFrame)")
                    name, row, column, value, computed = shown(widget)
                    if computed == computed:
                        assert value == pytest.approx(computed, abs=2e-5), (step, name, row, column)
                    if name in expected:
                        assert value == pytest.approx(expected[name][row, column].item(), abs=2e-5), (
                            step,
                            name,
                            row,
                            column,
                        )
                        checked.add(name)
        assert checked == set(expected)


def test_by_keyboard_another_word_and_a_sentence_of_ones_own(visit):
    with visit("seven.step=4") as page:
        widget = settled(page.locator(".svn"))
        holds(widget, step=4, shownMatrix="S")
        widget.get_by_role("button", name="5 Weights").focus()
        page.keyboard.press("Enter")
        holds(widget, step=5)
        page.keyboard.press("ArrowRight")
        holds(widget, step=6)
        page.keyboard.press("ArrowLeft")
        holds(widget, step=5)
        expect(widget.locator(".svn-told")).to_contain_text("“house” gets")
        widget.get_by_role("button", name="blanche").click()
        holds(widget, said="blanche", moment=6)
        expect(widget.locator(".svn-told")).to_contain_text("“white” gets")
        field = widget.get_by_label("English sentence")
        field.fill("")
        field.press("Enter")
        expect(widget.get_by_role("status").filter(has_text="Type a sentence")).to_be_visible()
        field.fill("a zebra sees the king")
        field.press("Enter")
        expect(widget.get_by_role("status").filter(has_text="has not read “zebra”")).to_be_visible()
        page.wait_for_function("location.search.includes('seven.text')")
