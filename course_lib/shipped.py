"""The small models that come with the course: three translate English into French, one numbers into German, one invents
towns.

Each is a safetensors file in `course_lib/models`: float16 weights, and in its metadata everything that made them: the
model's options, the vocabularies, the corpus with its credit and licence, the command, the losses, the scores on
held-out text. `studies/central_experiment.py` and the commands of `tools/models` write them.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from course_lib import whole
from course_lib.recurrent import RNNencdec, RNNsearch
from course_lib.text.vocabulary import SPECIALS, Vocabulary
from course_lib.transformer.models import LanguageModel, Translator

FOLDER = Path(__file__).parent / "models"
KEYS = ("config", "vocabularies", "corpus", "command", "steps", "losses", "scores")


class ShippedTranslator(NamedTuple):
    """English in, French out: the model in eval mode, float32, a vocabulary for each language, and the file's
    metadata."""

    model: Translator | RNNencdec | RNNsearch
    source: Vocabulary
    target: Vocabulary
    info: dict[str, Any]


class ShippedTowns(NamedTuple):
    """Character after character: the model in eval mode, float32, its vocabulary of characters, and the file's
    metadata."""

    model: LanguageModel
    vocabulary: Vocabulary
    info: dict[str, Any]


@cache
def translator() -> ShippedTranslator:
    """The translator from English to French, read once: whoever changes its weights changes them for everyone.

    Its sources are lower-case words without START and END; `info["scores"]` says how much it gets right.
    """
    model, vocabularies, info = load_model(FOLDER / "english_french.safetensors", Translator, ("source", "target"))
    return ShippedTranslator(model, *vocabularies, info)


@cache
def rnnencdec() -> ShippedTranslator:
    """The recurrent translator without attention: its decoder knows the source by one vector. Read once, like the
    others."""
    model, vocabularies, info = load_model(FOLDER / "rnnencdec.safetensors", RNNencdec, ("source", "target"))
    return ShippedTranslator(model, *vocabularies, info)


@cache
def rnnsearch() -> ShippedTranslator:
    """The recurrent translator with attention, trained like `rnnencdec` on the same sentences. Read once, like the
    others."""
    model, vocabularies, info = load_model(FOLDER / "rnnsearch.safetensors", RNNsearch, ("source", "target"))
    return ShippedTranslator(model, *vocabularies, info)


@cache
def numbers() -> ShippedTranslator:
    """The recurrent translator without attention, of English numbers into German ones (see
    tools/models/train_numbers.py)."""
    model, vocabularies, info = load_model(FOLDER / "numbers.safetensors", RNNencdec, ("source", "target"))
    return ShippedTranslator(model, *vocabularies, info)


@cache
def town_model() -> ShippedTowns:
    """The model of town names, one character a token, read once: whoever changes its weights changes them for
    everyone."""
    model, vocabularies, info = load_model(FOLDER / "towns.safetensors", LanguageModel, ("characters",))
    return ShippedTowns(model, *vocabularies, info)


def load_model(
    path: Path, kind: type[nn.Module], names: tuple[str, ...]
) -> tuple[nn.Module, list[Vocabulary], dict[str, Any]]:
    """Read a model of this kind with the vocabularies of these names. Raises ValueError where the file does not fit."""
    if not path.is_file():
        raise ValueError(f"{path.name} is not in {path.parent}: install course_lib again, it comes with it")
    try:
        with safe_open(path, "pt") as file:
            info = json.loads((file.metadata() or {}).get("info", "{}"))
            weights = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118 (no mapping)
    except (SafetensorError, json.JSONDecodeError, OSError) as error:
        raise ValueError(f"{path} is damaged, install course_lib again: {error}") from None
    if missing := [key for key in KEYS if key not in info]:
        raise ValueError(f"{path} is no shipped model: its metadata lacks {', '.join(missing)}")
    if list(info["vocabularies"]) != list(names):
        raise ValueError(f"{path} has the vocabularies {list(info['vocabularies'])}, not {list(names)}")
    try:
        vocabularies = [Vocabulary(words) for words in info["vocabularies"].values()]
        model = kind(*map(len, vocabularies), **info["config"]).float()  # whatever the default is
        model.load_state_dict(weights)
    except (ValueError, TypeError, AttributeError, RuntimeError) as error:  # another kind, other sizes
        raise ValueError(f"{path} does not fit {kind.__name__} and its own metadata: {error}") from None
    return model.eval(), vocabularies, info


def write_model(path: Path, model: nn.Module, vocabularies: dict[str, Vocabulary], info: dict[str, Any]) -> None:
    """Write what `load_model` reads: the parameters as float16, `info` (with every key of KEYS but vocabularies) as
    metadata."""
    info = info | {"vocabularies": {name: each.tokens[len(SPECIALS) :] for name, each in vocabularies.items()}}
    if missing := [key for key in KEYS if key not in info]:
        raise ValueError(f"info must have the keys {', '.join(KEYS)}, got none of {', '.join(missing)}")
    weights = {name: tensor.detach().to(torch.float16) for name, tensor in model.named_parameters()}
    whole.write(path, save(weights, {"info": json.dumps(info, ensure_ascii=False)}))
