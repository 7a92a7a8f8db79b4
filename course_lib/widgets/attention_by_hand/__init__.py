"""Attention by hand: a few words as points in the plane, the three maps as dials, every number drawn as it changes."""

import math
from collections.abc import Sequence

import numpy as np
import traitlets

from .. import settings
from ..base import Checked, CourseWidget, graph

MATRICES = ("W_Q", "W_K", "W_V")
CONTROLS = ("vectors", *MATRICES, "temperature", "scaled", "causal")
VIEWS = ("scores", "weights", "outputs")
LIMIT = 3.0  # the plane drawn is [-3, 3]²
TEMPERATURES = (0.05, 20.0)

TOKENS = ("the", "carpenter", "hammer", "tool", "nail")
VECTORS = ((-0.2, -0.3), (-1.7, 0.2), (1.6, 0.3), (0.5, 1.6), (1.2, -1.4))


def rotation(degrees: float, stretch: float = 1.0) -> list[list[float]]:
    """The map x ↦ x·W that turns the row vector x anticlockwise by an angle in degrees and multiplies its length."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [[stretch * c, stretch * s], [-stretch * s + 0.0, stretch * c]]  # + 0.0: no negative zero in the state


IDENTITY = rotation(0)


class AttentionByHand(CourseWidget):
    """Attention among n tokens in the plane: softmax(q·kᵀ·scale / temperature)·v with q = x·W_Q, k = x·W_K, v = x·W_V.

    tokens [n] non-empty words, n from 2 to 8; vectors [n, 2], one row a token, entries in [-3, 3]; W_Q, W_K, W_V [2, 2],
    entries in [-10, 10] (tokens are rows; `rotation` makes one from an angle and a stretch; with the default tokens
    W_Q = rotation(60, 1.5) has nail look at hammer, hammer at tool, tool at carpenter); temperature in [0.05, 20]; scaled:
    the scale is 1/√2 rather than 1; causal: a token sees itself and those before it; row: the token whose arrows, bars
    and words are shown, by default the middle one; view: the matrix shown first, "scores", "weights" or "outputs".

    controls: what the reader may change, any of "vectors", "W_Q", "W_K", "W_V", "temperature", "scaled", "causal". The rest keeps
    its value and is not shown, so that a page can speak of one idea at a time: `controls=["vectors"]` with the maps
    left at the identity is softmax(XXᵀ)·X. The chosen row and the view can always be changed.

    predict: the numbers are covered until the reader has said where the chosen token will look most.

    Read back, written by the front end when it draws (empty until then): scores [n, n] before temperature and mask, weights [n, n],
    output [n, 2]. All traits may be set from Python; ValueError names the argument.
    """

    bundle_name = "attention_by_hand"

    tokens = Checked().tag(sync=True)
    vectors = Checked().tag(sync=True)
    W_Q = Checked().tag(sync=True)
    W_K = Checked().tag(sync=True)
    W_V = Checked().tag(sync=True)
    temperature = Checked().tag(sync=True)
    scaled = Checked().tag(sync=True)
    causal = Checked().tag(sync=True)
    row = Checked().tag(sync=True)
    view = Checked().tag(sync=True)
    controls = Checked().tag(sync=True)
    predict = Checked().tag(sync=True)
    scores = traitlets.List().tag(sync=True)
    weights = traitlets.List().tag(sync=True)
    output = traitlets.List().tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str] = TOKENS,
        vectors: Sequence[Sequence[float]] | np.ndarray = VECTORS,
        *,
        W_Q: Sequence[Sequence[float]] | np.ndarray = IDENTITY,
        W_K: Sequence[Sequence[float]] | np.ndarray = IDENTITY,
        W_V: Sequence[Sequence[float]] | np.ndarray = IDENTITY,
        temperature: float = 1.0,
        scaled: bool = True,
        causal: bool = False,
        row: int | None = None,
        view: str = "weights",
        controls: Sequence[str] = CONTROLS,
        predict: bool = False,
        address: str = "hand",
    ) -> None:
        self._n = len(_tokens(tokens))
        super().__init__(
            blobs={"graph": graph("attend_by_hand")}, tokens=tokens, vectors=vectors, W_Q=W_Q, W_K=W_K, W_V=W_V, temperature=temperature,
            scaled=scaled, causal=causal, row=self._n // 2 if row is None else row, view=view, controls=controls,
            predict=predict, address=address,
        )  # fmt: skip

    @traitlets.validate("tokens")
    def _check_tokens(self, proposal: dict) -> list[str]:
        tokens = _tokens(proposal["value"])
        if len(tokens) != self._n:
            raise ValueError(f"tokens must stay {self._n} words, got {len(tokens)}: make a new widget for another number")
        return tokens

    @traitlets.validate("vectors")
    def _check_vectors(self, proposal: dict) -> list[list[float]]:
        return _matrix("vectors", proposal["value"], (self._n, 2), LIMIT)

    @traitlets.validate(*MATRICES)
    def _check_map(self, proposal: dict) -> list[list[float]]:
        return _matrix(proposal["trait"].name, proposal["value"], (2, 2), 10.0)

    _check_temperature = settings.checked(settings.number, {"temperature": TEMPERATURES})
    _check_switch = settings.checked(settings.flag, ["scaled", "causal", "predict"])

    @traitlets.validate("row")
    def _check_row(self, proposal: dict) -> int:
        return settings.whole("row", proposal["value"], 0, self._n - 1)

    _check_view = settings.checked(settings.option, {"view": VIEWS})
    _check_controls = settings.checked(settings.names, {"controls": CONTROLS})


def _tokens(tokens: Sequence[str]) -> list[str]:
    words = [] if isinstance(tokens, str) else list(tokens)
    if not 2 <= len(words) <= 8 or not all(isinstance(word, str) and word.strip() for word in words):
        raise ValueError(f"tokens must be 2 to 8 non-empty words, got {tokens!r}")
    return words


def _matrix(name: str, value: object, shape: tuple[int, int], limit: float) -> list[list[float]]:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers of shape {list(shape)}, got {value!r}") from None
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {list(shape)}, got shape {list(array.shape)}")
    if not (np.abs(array) <= limit).all():  # also false for nan
        raise ValueError(f"{name} must be finite numbers from {-limit:g} to {limit:g}, got {array.tolist()}")
    return array.tolist()
