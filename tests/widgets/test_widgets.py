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
from course_lib.widgets.attention_by_hand import CONTROLS, AttentionByHand, rotation
from course_lib.widgets.base import graph


@pytest.fixture(autouse=True)
def _no_data_dir(monkeypatch):
    monkeypatch.delenv(base.DATA_DIR, raising=False)


def test_importing_the_widgets_imports_no_torch():
    code = "import sys, course_lib.widgets as w; w.AttentionByHand; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="Nothing"):
        widgets.Nothing  # noqa: B018
    assert "AttentionByHand" in dir(widgets)


# the data channel


def test_the_state_holds_keys_and_never_the_bytes():
    data = graph("attend_by_hand")
    widget = AttentionByHand()
    assert widget.data_keys == {"graph": hashlib.sha256(data).hexdigest()[:16]}
    state = {name: value for name, value in widget.get_state().items() if name not in ("_esm", "_css")}
    assert "softmax" in data.decode() and "softmax" not in json.dumps(state, default=str)
    assert len(json.dumps(state, default=str)) < 3000


def test_put_leaves_content_addressed_files_for_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv(base.DATA_DIR, str(tmp_path / "data"))
    widget = AttentionByHand()
    files = sorted((tmp_path / "data").iterdir())
    assert [file.name for file in files] == [f"{widget.data_keys['graph']}.json"]
    assert files[0].read_bytes() == graph("attend_by_hand")
    key = widget.put(b"\x00\x01", suffix="bin")
    assert (tmp_path / "data" / f"{key}.bin").read_bytes() == b"\x00\x01"
    (tmp_path / "data" / f"{key}.bin").write_bytes(b"cut short")
    assert widget.put(b"\x00\x01", suffix="bin") == key
    assert (tmp_path / "data" / f"{key}.bin").read_bytes() == b"\x00\x01"
    assert len(list((tmp_path / "data").iterdir())) == 2  # no scratch file stays behind


def test_without_a_data_dir_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    AttentionByHand()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("data", "suffix", "name"), [("text", "json", "data"), (b"", "exe", "suffix")])
def test_put_refuses(data, suffix, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        AttentionByHand().put(data, suffix=suffix)


def ask(widget, monkeypatch, content):
    sent = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append((content, buffers)))
    widget._handle_custom_msg(content, [])
    return sent


def test_a_front_end_gets_the_bytes_of_a_key(monkeypatch):
    widget = AttentionByHand()
    key = widget.data_keys["graph"]
    assert ask(widget, monkeypatch, {"type": "data", "key": key}) == [({"type": "data", "key": key}, [graph("attend_by_hand")])]


def test_an_unknown_key_is_answered_in_words(monkeypatch):
    [(content, buffers)] = ask(AttentionByHand(), monkeypatch, {"type": "data", "key": "0" * 16})
    assert buffers is None and content["key"] == "0" * 16 and "no data" in content["error"]


@pytest.mark.parametrize("content", [{"type": "other"}, {}, "data"])
def test_other_messages_are_left_alone(monkeypatch, content):
    assert ask(AttentionByHand(), monkeypatch, content) == []


def test_a_missing_bundle_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "DIST", tmp_path)
    with pytest.raises(FileNotFoundError, match="make widgets"):
        AttentionByHand().get_state()


# the traits


def test_arrays_become_plain_lists_and_the_row_is_in_the_middle():
    widget = AttentionByHand(("a", "b", "c"), np.eye(3)[:, :2], W_Q=np.eye(2), controls=("causal", "vectors"))
    assert widget.vectors == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]] and widget.W_Q == [[1.0, 0.0], [0.0, 1.0]]
    assert widget.row == 1 and widget.controls == ["vectors", "causal"]
    json.dumps({name: getattr(widget, name) for name in ("tokens", "vectors", "W_Q", *CONTROLS)})


def test_a_rotation_turns_row_vectors_anticlockwise():
    turned = np.array([1.0, 0.0]) @ np.array(rotation(30, 2))
    assert turned == pytest.approx([2 * math.cos(math.pi / 6), 2 * math.sin(math.pi / 6)])
    assert math.copysign(1, rotation(0)[1][0]) == 1  # no negative zero in a notebook's stored state


BAD = [
    ("tokens", "hammer"), ("tokens", ["one"]), ("tokens", ["a", " "]), ("tokens", ["a"] * 9), ("tokens", ["a", 1]),
    ("vectors", [[0, 0]] * 4), ("vectors", [[0, 0, 0]] * 5), ("vectors", [[0, 3.5]] * 5), ("vectors", [[0, math.nan]] * 5), ("vectors", "xy"),
    ("W_Q", 1.0), ("W_K", [[1, 0], [0, math.inf]]), ("W_V", [[1, 0], [0]]), ("W_V", None),
    ("temperature", 0), ("temperature", -1), ("temperature", math.nan), ("temperature", "1"), ("temperature", True), ("temperature", 21),
    ("scaled", 1), ("causal", "yes"), ("predict", None), ("row", 5), ("row", -1), ("row", 1.0), ("row", True),
    ("view", "maps"), ("controls", "vectors"), ("controls", ["scale"]), ("controls", 3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_wrong_argument_is_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} must "):
        AttentionByHand(**{name: value})


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_wrong_assignment_is_named_and_changes_nothing(name, value):
    widget = AttentionByHand()
    before = getattr(widget, name)
    with pytest.raises(ValueError, match=f"^{name} must "):
        setattr(widget, name, value)
    assert getattr(widget, name) == before


def test_the_number_of_tokens_stays():
    widget = AttentionByHand()
    with pytest.raises(ValueError, match=r"^tokens must stay 5 words, got 3"):
        widget.tokens = ["a", "b", "c"]
    widget.tokens = list("abcde")
    assert widget.tokens == list("abcde")


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
