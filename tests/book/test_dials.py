"""Buttons in the text that set dials: each names a widget of its page, settings that this widget has, and a place there."""

import json
import re

import pytest
from course_book.dials import WRITTEN

from tests.shared.pages import ROOT

USED = re.compile(r"\{dials\}`([^`]+)`")
SOURCES = [path for folder in ("chapters", "labs", "book") for path in sorted((ROOT / folder).rglob("*.md")) if "{dials}`" in path.read_text()]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_button_sets_what_its_page_has(source):
    text = source.read_text()
    for used in USED.findall(text):
        _, settings, label = WRITTEN.fullmatch(used).groups()
        assert f"({label})=" in text
        for name, setting, _ in re.findall(r"([\w-]+)\.(\w+)=([^&]+)", settings):
            kind = re.search(rf"""(\w+)\([^)]*address="{name}\"""", text)[1]
            room = re.sub(r"(?<!^)([A-Z])", r"_\1", kind).lower()
            assert setting in json.loads((ROOT / "course_lib" / "widgets" / room / "settings.json").read_text())


def test_there_are_buttons():
    assert SOURCES


@pytest.mark.parametrize("wrong", ["explorer.d=8#w", "Set <explorer.d=8>", "Set <d=8#w>", "Set <explorer.d=8&<b>#w>"])
def test_what_is_no_button_is_refused(wrong):
    assert not WRITTEN.fullmatch(wrong)
