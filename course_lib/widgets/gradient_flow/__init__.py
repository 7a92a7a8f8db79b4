"""What is left of a gradient that travels back through a recurrent network, step by step, as the reader turns the dials."""


import traitlets

from .. import settings
from ..base import Checked, CourseWidget, graph

OPTIONS = {
    "cell": ("rnn", "gru", "lstm"),
    "activation": ("tanh", "relu", "sigmoid", "identity"),
    "weights": ("orthogonal", "gaussian"),
    "view": ("states", "clipping"),
}
WHOLE = {"r": (2, 32), "length": (3, 60), "seed": (0, 99), "back": (0, 60)}
NUMBERS = {"scale": (0.1, 2.0), "inputs": (0.1, 3.0), "bias": (-2.0, 4.0), "threshold": (0.001, 1000.0)}
KINDS = (*(f"rnn_{name}" for name in OPTIONS["activation"]), "gru", "lstm")


class GradientFlow(CourseWidget):
    """A recurrent cell run over `length` = T random tokens, and how much of a gradient by its last state reaches each earlier one.

    cell, "rnn", "gru" or "lstm"; activation of the rnn, "tanh", "relu", "sigmoid" or "identity". W_s has a square block for each gate:
    `scale`, 0.1 … 2, times a random orthogonal matrix, or times a matrix of independent normal numbers of variance 1/r where weights is
    "gaussian". What the cell reads, x W_x + b, is normal with standard deviation `inputs`, 0.1 … 3; `bias`, -2 … 4, is added for the gate that
    keeps the state (the forget gate of the LSTM, the update gate of the GRU). r, the state's width, 2 … 32; length, 3 … 60;
    seed, 0 … 99.

    view "states" shows ‖∂s_T/∂s_t‖ for every t, for the LSTM ‖∂c_T/∂c_t‖ too, for the rnn the bound (L‖W_s‖)^(T - t). "clipping" shows the
    length of each step's part in the gradient by W_s of the loss ⟨v, s_T⟩, v a random unit vector, before and after the whole
    gradient is clipped to the norm `threshold`, 0.001 … 1000; the first step has no part, s_0 being zero. back: the place that is
    told in words, so many steps before the end.

    A dial is shown only where it changes something: the rnn has no gate to keep anything, say.

    Read back, written by the front end when it draws (empty until then): norms [T + 1], ‖∂s_T/∂s_t‖; memory [T + 1], ‖∂c_T/∂c_t‖, LSTM only;
    parts [T - 1], the length of the part of steps 2 … T before clipping; total, that of their sum. All may be set from Python; ValueError
    names the argument.
    """

    bundle_name = "gradient_flow"

    cell = Checked().tag(sync=True)
    activation = Checked().tag(sync=True)
    weights = Checked().tag(sync=True)
    scale = Checked().tag(sync=True)
    inputs = Checked().tag(sync=True)
    bias = Checked().tag(sync=True)
    r = Checked().tag(sync=True)
    length = Checked().tag(sync=True)
    seed = Checked().tag(sync=True)
    view = Checked().tag(sync=True)
    threshold = Checked().tag(sync=True)
    back = Checked().tag(sync=True)
    norms = traitlets.List().tag(sync=True)
    memory = traitlets.List().tag(sync=True)
    parts = traitlets.List().tag(sync=True)
    total = traitlets.Float(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        cell: str = "rnn",
        *,
        activation: str = "tanh",
        weights: str = "orthogonal",
        scale: float = 1.0,
        inputs: float = 0.5,
        bias: float = 0.0,
        r: int = 16,
        length: int = 40,
        seed: int = 0,
        view: str = "states",
        threshold: float = 1.0,
        back: int = 30,
        address: str = "flow",
    ) -> None:
        super().__init__(
            blobs={kind: graph(f"gradient_{kind}") for kind in KINDS}, cell=cell, activation=activation, weights=weights,
            scale=scale, inputs=inputs, bias=bias, r=r, length=length, seed=seed, view=view, threshold=threshold, back=back, address=address,
        )  # fmt: skip

    _check_option = settings.checked(settings.option, OPTIONS)
    _check_whole = settings.checked(settings.whole, WHOLE)  # a `back` beyond the first step means the first
    _check_number = settings.checked(settings.number, NUMBERS)
