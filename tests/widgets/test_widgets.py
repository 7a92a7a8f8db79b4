"""The Python side of the widgets: what their state holds, what it refuses, and how larger data travels."""

import hashlib
import json
import math
import subprocess
import sys

import numpy as np
import pytest

from course_lib import widgets
from course_lib.widgets import base, settings
from course_lib.widgets.attention_by_hand import AttentionByHand, rotation
from course_lib.widgets.base import graph
from tests.shared.graph_node import ROOT, call, js
from tests.shared.refusals import refused


def test_widgets_need_no_torch():
    code = (
        "import sys; from tests.shared.made import NAMES, made; [made(name) for name in NAMES]; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT).returncode == 0


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="Nothing"):
        widgets.Nothing  # noqa: B018
    assert "AttentionByHand" in dir(widgets)


# the data channel


def test_a_published_state_holds_keys_and_never_the_bytes():
    data, widget = graph("attend_by_hand"), AttentionByHand()
    assert widget.data_keys == {"graph": hashlib.sha256(data).hexdigest()[:16]}
    assert "softmax" in data.decode() and "softmax" not in json.dumps(
        widget.get_state("data_keys") | widget.get_state("data")
    )


def test_a_kernels_state_holds_the_bytes_so_that_no_message_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.delenv(base.DATA_DIR)
    monkeypatch.chdir(tmp_path)
    widget = AttentionByHand()
    assert widget.get_state("data") == {"data": {widget.data_keys["graph"]: graph("attend_by_hand")}}
    assert not list(tmp_path.iterdir())


def test_a_published_widget_leaves_content_addressed_files_for_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv(base.DATA_DIR, str(tmp_path / "data"))
    key = AttentionByHand().data_keys["graph"]
    file = tmp_path / "data" / f"{key}.json"
    assert file.read_bytes() == graph("attend_by_hand")
    file.write_bytes(b"cut short")
    assert AttentionByHand().data_keys["graph"] == key and file.read_bytes() == graph("attend_by_hand")
    assert list((tmp_path / "data").iterdir()) == [file]  # no scratch file stays behind


def test_a_notebook_without_widgets_shows_words():
    assert repr(AttentionByHand()) == "Attention by hand: run this cell to bring it to life."


def test_a_missing_bundle_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "DIST", tmp_path)
    with pytest.raises(FileNotFoundError, match="make widgets"):
        AttentionByHand().get_state()


# the traits


def test_arrays_become_plain_lists_and_the_row_is_in_the_middle():
    widget = AttentionByHand(("a", "b", "c"), np.eye(3)[:, :2], W_Q=np.eye(2))
    assert (
        widget.vectors == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
        and widget.W_Q == [[1.0, 0.0], [0.0, 1.0]]
        and widget.row == 1
    )


def test_a_rotation_turns_row_vectors_anticlockwise():
    turned = np.array([1.0, 0.0]) @ np.array(rotation(30, 2))
    assert turned == pytest.approx([2 * math.cos(math.pi / 6), 2 * math.sin(math.pi / 6)])
    assert math.copysign(1, rotation(0)[1][0]) == 1  # no negative zero in a notebook's stored state


# Of all settings test_declared_settings.py asks what their settings.json says; these have a check of their own.
BAD = [
    ("tokens", "hammer"), ("tokens", ["one"]), ("tokens", ["a", " "]), ("tokens", ["a"] * 9), ("tokens", ["a", 1]),
    ("goal", [2]), ("goal", [2, 2]), ("goal", [0, 5]), ("goal", [0.5, 1]), ("goal", "ab"),
    ("vectors", [[0, 0]] * 4), ("vectors", [[0, 0, 0]] * 5), ("vectors", [[0, 3.5]] * 5), ("vectors", [[0,
    math.nan]] * 5), ("vectors", "xy"),
    ("W_Q", 1.0), ("W_K", [[1, 0], [0, math.inf]]), ("W_V", [[1, 0], [0]]), ("W_V", None), ("row", 5), ("row", -1),
    ("row", 1.0), ("row", True),
    ("temperature", True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_wrong_setting_is_named_and_changes_nothing(name, value):
    refused(AttentionByHand, name, value)


def test_the_number_of_tokens_stays():
    widget = AttentionByHand()
    with pytest.raises(ValueError, match=r"^tokens must stay 5 words, got 3"):
        widget.tokens = ["a", "b", "c"]
    widget.tokens = list("abcde")
    assert widget.tokens == list("abcde")


def test_links_hold_turns_entries_and_rows_from_one():
    def asked(act, settings):
        return call(*(js("attention_by_hand/address.js").codecs(2)[name][act](value) for name, value in settings))

    turned, points = rotation(60, 1.5), [[0.5, -1.234], [3, 0]]
    values = [
        ("W_Q", turned),
        ("W_V", [[1, 0.5], [-0.25, 2]]),
        ("vectors", points),
        ("temperature", 0.12345),
        ("row", 1),
        ("causal", True),
    ]
    assert asked("write", values) == ["60,1.5", "1,0.5,-0.25,2", "0.5,-1.23,3,0", "0.123", "2", "1"]
    texts = [("W_K", "1,0,0.5,2"), ("vectors", "0.5,1,-3,0"), ("temperature", "100"), ("row", "2"), ("view", "scores")]
    assert asked("read", texts) == [[[1, 0], [0.5, 2]], [[0.5, 1], [-3, 0]], 20, 1, "scores"]
    assert np.array(asked("read", [("W_Q", "60,1.5")])[0]) == pytest.approx(np.array(turned))
    wrong = [
        ("W_Q", "60,11"),
        ("W_Q", "1,0,0"),
        ("W_Q", "1,0,0,11"),
        ("vectors", "0,0"),
        ("vectors", "0,0,0,4"),
        ("temperature", "0"),
        ("row", "0"),
        ("row", "3"),
    ]
    assert asked("read", wrong) == [None] * len(wrong)


@pytest.mark.parametrize(
    ("declared", "right", "wrong", "words"),
    [
        ({"kind": "whole", "takes": [2, 64], "step": 2}, 8, 7, "a whole number from 2 to 64, a multiple of 2"),
        ({"kind": "text", "takes": [1, 5]}, "a b", "  ", "a text of 1 to 5 characters"),
        ({"kind": "text", "takes": [0, 3], "none": ""}, "", "long", "a text of at most 3 characters or None"),
        ({"kind": "number", "takes": [2, 1_000_000]}, 2.0, 1e7, "a number from 2 to 1000000"),
    ],
)
def test_a_declared_setting_is_checked_in_its_own_words(declared, right, wrong, words):
    assert settings.check("one", declared, right) == right
    with pytest.raises(ValueError, match=f"^one must be {words}, got {wrong!r}"):
        settings.check("one", declared, wrong)
