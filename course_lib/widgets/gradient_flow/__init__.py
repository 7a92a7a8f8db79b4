"""What is left of a gradient that travels back through a recurrent network, step by step, as the reader turns the
dials."""

import traitlets

from ..base import CourseWidget, graph


class GradientFlow(CourseWidget):
    """A recurrent cell run over `length` = T random tokens, and how much of a gradient by its last state reaches each
    earlier one.

    A dial is shown only where it changes something: the rnn has no gate to keep anything, say.

    Read back, written by the front end when it draws (empty until then): norms [T + 1], ‖∂s_T/∂s_t‖; memory [T + 1],
    ‖∂c_T/∂c_t‖, LSTM only; parts [T - 1], the length of the part of steps 2 … T before clipping; total, that of their
    sum.
    """

    address = traitlets.Unicode("flow").tag(sync=True)
    norms = traitlets.List().tag(sync=True)
    memory = traitlets.List().tag(sync=True)
    parts = traitlets.List().tag(sync=True)
    total = traitlets.Float(None, allow_none=True).tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        kinds = [*(f"rnn_{name}" for name in self._settings["activation"]["takes"]), "gru", "lstm"]
        super().__init__(*values, blobs={kind: graph(f"gradient_{kind}") for kind in kinds}, **more)
