"""A page with any of the book's own widgets, as the notebooks store them, but with today's front end: for tests of all
widgets."""

import json
from functools import cache
from pathlib import Path

from course_lib.widgets.base import DIST, content_key
from course_lib.widgets.exercise import BUNDLES
from tests.shared.pages import ROOT, listed
from tests.shared.widget_page import STATE, page_of

DATA = ROOT / "book" / "data" / "widgets"


@cache
def stored() -> dict[str, list[dict]]:
    """Class name → the states of the book's widgets of this class, page after page."""
    found = {}
    for page in listed():
        path = (ROOT / page).with_suffix(".ipynb")
        states = (
            json.loads(path.read_text())["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
            if path.exists()
            else {}
        )
        for model in states.values():
            if name := model["state"].get("_anywidget_id"):
                *_, room, kind = name.split(".")
                bundle = BUNDLES[model["state"]["spec"]["kind"]] if kind == "PredictionWidget" else room
                found.setdefault(kind, []).append(model["state"] | {"bundle": bundle})
    return found


def widgets() -> list[dict]:
    """One widget of each class, that with most dials, and both of a class that has two faces."""
    names = stored()
    faces = [
        max(states, key=lambda state: len(state.get("controls") or []))
        for name, states in names.items()
        if name not in ("Decoding", "ExerciseWidget")
    ]
    return faces + two(names["Decoding"], "model") + two(names["ExerciseWidget"], "kind")


def two(states: list[dict], trait: str) -> list[dict]:
    """The first widget with each value of the trait."""
    first = {}
    for state in states:
        first.setdefault(json.dumps(state.get(trait)), state)
    return list(first.values())


def name_of(state: dict) -> str:
    return state["bundle"] + "".join(
        f"-{state[trait]}"
        for trait in ("model", "kind")
        if state.get(trait) and state["bundle"] in ("decoding", "exercise")
    )


def bench(folder: Path, states: list[dict]) -> Path:
    """Write folder/page.html with these widgets in order; the path of the page."""
    fresh, data = [], {}
    for state in states:
        bundle, keys = state["bundle"], dict(state["data_keys"])
        front = {
            f"_{kind}": path.read_text()
            for kind, end in (("esm", "js"), ("css", "css"))
            if (path := DIST / f"{bundle}.{end}").exists()
        }
        for name, key in keys.items():
            text = (DATA / f"{key}.json").read_text()
            if name == "worker":  # code, too: today's
                text = json.dumps((DIST / f"{bundle}.worker.js").read_text())
                keys[name] = key = content_key(text.encode())
            data[key] = text
        fresh.append(
            {trait: value for trait, value in state.items() if trait != "bundle"} | front | {"data_keys": keys}
        )
    return page_of(folder, fresh, data, "Workbench")
