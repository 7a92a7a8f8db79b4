"""QuadraticWall in a real Chromium, on a page of its own: keyboard, the measured device."""

import math

import pytest

from course_lib import costs
from course_lib.widgets import QuadraticWall
from tests.shared.pages import drawn, rested
from tests.shared.widget_alone import alone, button, data, holds, reaches, slider
from tests.widgets.test_quadratic_wall import KINDS, STATE, blocks, transformer

# the default one, and one layer of every kind
visit = alone(lambda: [QuadraticWall(), QuadraticWall(256, 64, 4, 1, kinds=KINDS, chart="flops", address="every")])
UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "days": 86_400, "years": 365.25 * 86_400}


def first(page):
    return page.locator(".wal").first


def told(widget):
    return widget.locator(".wal-words").inner_text()


def cells(widget, kind):
    return widget.locator(f"tr[data-kind={kind}] > *").all_inner_texts()


def test_sizes_by_keyboard_and_reset(visit):
    with visit() as page:
        widget = first(page)
        assert "need 3 GiB: 83 % of what is kept." in told(widget) and "hold up to n = 9,062" in told(widget)
        slider(widget, "tokens n").press("End")
        holds(widget, n="1048576")
        assert "At n = 1,048,576 the stored maps" in told(
            widget
        ) and f"need {transformer(STATE, 2**20).maps // 2**40} TiB: nearly all" in told(widget)
        assert "That is beyond the wall: a P100’s 16 GiB end at n = 9,062" in told(widget)
        slider(widget, "tokens n").press("ArrowLeft")
        holds(widget, n="786432")
        assert slider(widget, "tokens n").get_attribute("aria-valuetext") == "786,432"
        slider(widget, "heads").press("End")
        holds(widget, h="128")
        slider(widget, "width").press("Home")  # 128 heads do not share a width of 64: as many as fit
        holds(widget, d="64")
        assert widget.get_attribute("data-h") == "64"
        rested(page)
        assert widget.locator("[role=status]").inner_text().split() == told(widget).split()
        button(widget, "reset").press("Enter")
        holds(widget, n="4096")
        assert (widget.get_attribute("data-d"), widget.get_attribute("data-h")) == ("512", "8")


def test_kinds_come_and_go_and_one_stays(visit):
    with visit() as page:
        widget = first(page)
        assert slider(widget, "window radius").is_visible() and slider(widget, "convolution over").is_hidden()
        for name, rest in (
            ("full, block by block", "full,window,linear"),
            ("window attention", "full,linear"),
            ("linear attention", "full"),
        ):
            widget.get_by_role("checkbox", name=name).press("Space")
            holds(widget, kinds=rest)
        widget.get_by_role("checkbox", name="full attention").press("Space")
        drawn(page)
        assert widget.get_by_role("checkbox", name="full attention").is_checked()  # the last one
        widget.get_by_role("checkbox", name="convolution").press("Space")
        holds(widget, kinds="full,convolution")
        assert slider(widget, "window radius").is_hidden() and slider(widget, "convolution over").is_visible()
        assert widget.locator("tbody tr").evaluate_all("all => all.map(x => x.dataset.kind)") == ["full", "convolution"]


def test_the_table_has_pythons_costs(visit):
    with visit() as page:
        widget, state = page.locator(".wal").nth(1), STATE | {"n": 256, "d": 64, "h": 4, "layers": 1}
        for kind in KINDS:
            flops, size, steps, path = blocks(kind, state)
            again = 2 * 256**2 * 64 if kind == "blockwise" else 0  # QKᵀ once more on the way back
            row = cells(widget, kind)
            flops += again / 3
            assert float(row[1].split("·")[0]) == pytest.approx(
                3 * flops / 10 ** (len(str(round(3 * flops))) - 1), rel=6e-3
            ), (kind, row)
            value, unit = row[2].split(" ")
            assert float(value) * {"KiB": 2**10, "MiB": 2**20}[unit] == pytest.approx(size, rel=6e-3) and (
                row[5],
                row[6],
            ) == (f"{steps:,}", f"{path:,}")
            assert row[3].endswith("µs") and float(row[3][:-3]) == pytest.approx(
                1e6 * costs.seconds(3 * flops, device=costs.P100_PEAK), rel=6e-3
            )
        widget.get_by_role("radio", name="forward").press("Space")
        holds(widget, work="forward")
        assert float(cells(widget, "full")[1].split("·")[0]) == pytest.approx(blocks("full", state)[0] / 1e7, rel=6e-3)


def test_the_page_measures_itself_in_a_worker(visit):
    with visit() as page:
        widget = first(page)
        assert "Reference, not your device" in widget.locator(".wal-device").inner_text()
        button(widget, "measure this device").press("Enter")
        reaches(widget, "measured", "x !== ''")
        assert widget.get_attribute("data-where") == "worker"
        rate = float(widget.get_attribute("data-measured"))
        assert 0 < rate < math.inf  # by a clock of the test's own it is exact: test_quadratic_wall
        assert widget.locator(".wal-device").inner_text().startswith("This device: ")
        assert widget.locator("thead th").nth(4).inner_text() == "your device"
        seconds = 3 * transformer(STATE).flops / rate
        value, unit = cells(widget, "full")[4].split(" ")
        assert float(value.replace(",", "")) * UNITS[unit] == pytest.approx(seconds, rel=6e-3)
        assert button(widget, "measure again").count() == 1
        assert "Reference" in page.locator(".wal").nth(1).locator(".wal-device").inner_text()


def test_heads_that_do_not_share_the_width_are_left_alone(visit):
    with visit("wall.d=500&wall.h=3") as page:
        assert data(first(page), "d", "h") == ["512", "8"]  # each a setting, both together none


def test_a_finger_on_the_chart_sets_n(visit):
    with visit() as page:
        widget = first(page)
        box = widget.locator(".wal-chart")
        box.scroll_into_view_if_needed()
        edge = box.bounding_box()
        page.mouse.click(edge["x"] + edge["width"] - 12, edge["y"] + 60)
        reaches(widget, "n", "x > 1000000")
        page.mouse.click(edge["x"] + 54, edge["y"] + 60)
        reaches(widget, "n", "x < 20")
