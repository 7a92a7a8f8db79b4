"""Attention by hand: a few words as points in the plane, the three maps as dials, every number drawn as it changes."""

import math
from collections.abc import Sequence
from functools import partialmethod

import numpy as np
import traitlets

from .. import settings
from ..base import CourseWidget, graph


def rotation(degrees: float, stretch: float = 1.0) -> list[list[float]]:
    """The map x ↦ x·W that turns the row vector x anticlockwise by an angle in degrees and multiplies its length."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [[stretch * c, stretch * s], [-stretch * s + 0.0, stretch * c]]  # + 0.0: no negative zero in the state


class AttentionByHand(CourseWidget):
    """Attention among n tokens in the plane: softmax(q·kᵀ·scale / temperature)·v with q = x·W_Q, k = x·W_K, v = x·W_V.

    Tokens are rows; `rotation` makes a map from an angle and a stretch: with the default tokens W_Q = rotation(60, 1.5)
    has nail look at hammer, hammer at tool, tool at carpenter.

    What is not among the controls keeps its value and is not shown, so that a page can speak of one idea at a time:
    `controls=["vectors"]` with the maps left at the identity is softmax(XXᵀ)·X. The chosen row and the view can always
    be changed.

    Read back, written by the front end when it draws (empty until then): scores [n, n] before temperature and mask,
    weights [n, n], output [n, 2].
    """

    address = traitlets.Unicode("hand").tag(sync=True)
    scores = traitlets.List().tag(sync=True)
    weights = traitlets.List().tag(sync=True)
    output = traitlets.List().tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str] | None = None,
        vectors: Sequence[Sequence[float]] | np.ndarray | None = None,
        *,
        row: int | None = None,
        **chosen: object,
    ) -> None:
        words = self.trait_defaults("tokens") if tokens is None else tokens
        points = self.trait_defaults("vectors") if vectors is None else vectors
        self._n = len(_tokens(words))
        super().__init__(
            words, points, blobs={"graph": graph("attend_by_hand")}, row=self._n // 2 if row is None else row, **chosen
        )

    def check_tokens(self, value: object) -> list[str]:
        tokens = _tokens(value)
        if len(tokens) != self._n:
            raise ValueError(
                f"tokens must stay {self._n} words, got {len(tokens)}: make a new widget for another number"
            )
        return tokens

    def check_vectors(self, value: object) -> list[list[float]]:
        return self._matrix("vectors", value, (self._n, 2))

    def check_row(self, value: object) -> int:
        return settings.check("row", {"kind": "whole", "takes": [0, self._n - 1]}, value)

    def check_goal(self, value: object) -> list[int] | None:
        if value is None:
            return None
        if (
            not settings.is_row(value, [2])
            or not all(settings.is_whole(row) and 0 <= row < self._n for row in value)
            or value[0] == value[1]
        ):
            raise ValueError(f"goal must be None or two different rows from 0 to {self._n - 1}, got {value!r}")
        return [int(row) for row in value]

    def _matrix(self, name: str, value: object, shape: tuple[int, int] = (2, 2)) -> list[list[float]]:
        low, high = self._settings[name]["takes"]
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} must be numbers of shape {list(shape)}, got {value!r}") from None
        if array.shape != shape:
            raise ValueError(f"{name} must have shape {list(shape)}, got shape {list(array.shape)}")
        if not ((low <= array) & (array <= high)).all():  # also false for nan
            raise ValueError(f"{name} must be finite numbers from {low:g} to {high:g}, got {array.tolist()}")
        return array.tolist()

    check_W_Q, check_W_K, check_W_V = (
        partialmethod(_matrix, "W_Q"),
        partialmethod(_matrix, "W_K"),
        partialmethod(_matrix, "W_V"),
    )


def _tokens(tokens: Sequence[str]) -> list[str]:
    words = [] if isinstance(tokens, str) else list(tokens)
    if not 2 <= len(words) <= 8 or not all(isinstance(word, str) and word.strip() for word in words):
        raise ValueError(f"tokens must be 2 to 8 non-empty words, got {tokens!r}")
    return words
