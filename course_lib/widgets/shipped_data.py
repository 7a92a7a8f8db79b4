"""The shipped models as data for the page: the files in course_lib/models, read without torch. See
widgets/runtime/shipped.js and recurrent.js."""

import base64
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from safetensors import safe_open

from .base import graph, packed

MODELS = Path(__file__).parents[1] / "models"
# The page computes with these graphs: a transformer reads all tokens at once, a recurrent network one at a step.
GRAPHS_OF = {
    "english_french": ("read_translator",),
    "towns": ("read_towns",),
    "rnnencdec": ("read_recurrent_token", "read_rnnencdec_start", "read_rnnencdec_step"),
    "numbers": ("read_recurrent_token", "read_rnnencdec_start", "read_rnnencdec_step"),
    "rnnsearch": ("read_recurrent_token", "read_rnnsearch_start", "read_rnnsearch_step"),
}
SIDES = {"characters": "vocabulary"}
COMMANDS = {
    "english_french": "python -m tools.models.train_translator",
    "numbers": "python -m tools.models.train_numbers",
    "towns": "python -m tools.models.train_towns",
    "rnnencdec": "python studies/central_experiment.py",
    "rnnsearch": "python studies/central_experiment.py",
}
SPECIALS = ["⟨pad⟩", "⟨start⟩", "⟨end⟩", "⟨unk⟩"]  # as in course_lib.text, which may load torch


@cache
def blobs(name: str) -> dict[str, bytes]:
    """What the page needs to open the model, for a widget's `blobs`: the model under its name, each graph under the
    graph's.

    In the page `openModel` (shipped.js) opens a transformer, `openRecurrent` (recurrent.js) a recurrent network.
    ValueError unless `name` is a key of GRAPHS_OF; FileNotFoundError says how the file is made.
    """
    if name not in GRAPHS_OF:
        raise ValueError(f"name must be one of {', '.join(GRAPHS_OF)}, got {name!r}")
    return {name: _packed(name)} | {each: graph(each) for each in GRAPHS_OF[name]}


@cache
def metadata(name: str) -> dict:
    """What `course_lib.shipped` stores with the weights: config, vocabularies (special tokens left out), corpus,
    command, losses, scores."""
    with safe_open(_file(name), framework="numpy") as file:
        return json.loads(file.metadata()["info"])


def vocabularies(name: str) -> dict[str, list[str]]:
    """All tokens in the order of their numbers, the special ones first: "source" and "target", or "vocabulary"."""
    words = metadata(name)["vocabularies"]
    return {SIDES.get(side, side): [*SPECIALS, *tokens] for side, tokens in words.items()}


def pack(config: Mapping, tokens: Mapping[str, list[str]], parameters: Mapping[str, np.ndarray]) -> bytes:
    """JSON text for shipped.js: config, each list of tokens under its name, parameters as shape and base64 of float16
    numbers."""
    numbers = {
        name: {"shape": list(array.shape), "numbers": base64.b64encode(array.astype("<f2").tobytes()).decode()}
        for name, array in parameters.items()
    }
    return packed({"config": dict(config), **tokens, "parameters": numbers})


def _packed(name: str) -> bytes:
    with safe_open(_file(name), framework="numpy") as file:
        parameters = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 (the file is no dict)
    return pack(metadata(name)["config"], vocabularies(name), parameters)


def _file(name: str) -> Path:
    path = MODELS / f"{name}.safetensors"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: train it with `{COMMANDS[name]}`")
    return path
