"""What every lab is: a goal, what it needs, a time a session has, and a last question without a single answer."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LABS = sorted((ROOT / "labs").glob("*.myst.md"))


def faults(text: str) -> list[str]:
    """What a lab's source lacks."""
    found = []
    frame = re.search(r"```\{admonition\} What this lab is\n(.*?)```", text, re.S)
    words = frame[1] if frame else ""
    if not re.search(r"\*\*Goal\*\*: \w", words):
        found.append("no goal")
    if not re.search(r"\*\*You need\*\*.*\]\(\S+\)", words):
        found.append("needs nothing that one can go to")
    time = re.search(r"\*\*It takes\*\* (?:about )?(\d+)(?: to (\d+))? minutes", words)
    if time is None or not 45 <= int(time[1]) <= int(time[2] or time[1]) <= 90:
        found.append("its time is not within 45 and 90 minutes")
    parts = [part for part in re.split(r"^## ", text, flags=re.M)[1:] if not part.startswith("Sources")]
    if not parts or "question without a single answer" not in parts[-1].split("\n")[0]:
        found.append("its last part is no question without a single answer")
    elif "?" not in parts[-1].split("\n", 1)[1]:
        found.append("its last part asks nothing")
    return found


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.name.split(".")[0])
def test_a_lab_says_what_it_is_and_ends_open(path):
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ("**Goal**: ", "**Aim**: ", "goal"),
        ("60 to 90 minutes", "60 to 120 minutes", "time"),
        ("60 to 90 minutes", "an hour", "time"),
        ("A question without a single answer", "One more", "question"),
    ],
)
def test_the_check_sees_what_is_missing(right, wrong, fault):
    text = (ROOT / "labs" / "sequence_to_sequence.myst.md").read_text(encoding="utf-8")
    assert right in text and any(fault in each for each in faults(text.replace(right, wrong)))
