"""RealModel: a published language model opened: all its maps, what follows, and what happens when parts are read early,
erased or put in."""

from collections.abc import Mapping, Sequence

import traitlets

from ..base import CourseWidget, bundle, packed

KEYS = {"text", "other", "tokens", "maps", "spread", "next", "words", "lens", "erased", "moved", "patched"}


class RealModel(CourseWidget):
    """SmolLM2 on three recorded sentences; where the built book carries the models, on the reader's own, with the model
    running in the page.

    rows: three recorded sentences, `load("open_model")["sentences"]`. Layers and heads count from 0. Nothing of a model
    is fetched before the reader presses a button that names its size. Read back, written by the front end when it draws
    (empty until then): seen, with `value` (that of the chosen cell; in "next" the likeliest piece's share), `told`, the
    sentence below the picture, and `looked`, how many heads were looked at.
    """

    address = traitlets.Unicode("real").tag(sync=True)
    seen = traitlets.Dict().tag(sync=True)

    def __init__(self, rows: Sequence[Mapping], **more: object) -> None:
        if len(rows) != 3 or any(not set(row) >= KEYS for row in rows):
            raise ValueError(f"rows must be three recorded sentences, got {rows!r}")
        super().__init__(
            blobs={"stored": packed(list(rows)), "worker": packed(bundle("real_model", "worker.js"))}, **more
        )
