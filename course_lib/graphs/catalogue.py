"""The graphs the page runs: a name and a builder each. `make graphs` writes them to course_lib/widgets/graphs/."""

from collections.abc import Callable
from functools import partial
from itertools import product

from torch import Tensor

from course_lib.attention import attend
from course_lib.graphs.chains import chain_step
from course_lib.graphs.fit import fit_step
from course_lib.graphs.gradients import STEPS, gradient_step, open_step
from course_lib.graphs.in_context import answering
from course_lib.graphs.inference import read_towns, read_translator
from course_lib.graphs.memoryless import MEMORYLESS
from course_lib.graphs.recurrent import RECURRENT
from course_lib.graphs.scores import six_scores
from course_lib.graphs.trace import trace
from course_lib.graphs.training import NORMS, adam_step, name_of, training_step
from course_lib.graphs.translators import TRANSLATORS
from course_lib.recurrent.cells import CELLS


def attend_by_hand() -> dict:
    """One head with every intermediate result; mask [n, n] is 1 where looking is allowed and 0 elsewhere."""
    shapes = {
        "x": ("n", "d"),
        "W_Q": ("d", "m"),
        "W_K": ("d", "m"),
        "W_V": ("d", "m"),
        "mask": ("n", "n"),
        "scale": (),
        "temperature": (),
    }
    return trace("attend_by_hand", _attend_by_hand, shapes)


def _attend_by_hand(
    x: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, mask: Tensor, scale: Tensor, temperature: Tensor
) -> dict:
    q, k, v = x @ W_Q, x @ W_K, x @ W_V  # [n, m]
    output, weights, scores = attend(q, k, v, mask > 0.5, scale=scale, temperature=temperature)
    return {"q": q, "k": k, "v": v, "scores": scores, "weights": weights, "output": output}


STRUCTURES = list(product((1, 2), NORMS, (True, False), (False, True)))  # layers, norm, residual, relative

CATALOGUE: dict[str, Callable[[], dict]] = {
    "attend_by_hand": attend_by_hand,
    "adam": adam_step,
    "fit": fit_step,
    "six_scores": six_scores,
    "read_translator": read_translator,
    "read_towns": read_towns,
    **RECURRENT,
    **TRANSLATORS,
    **MEMORYLESS,
    **{f"cell_{name}": partial(open_step, name) for name in CELLS},
    **{f"chains_{layers}": partial(chain_step, layers) for layers in (1, 2)},
    **{f"in_context_{layers}_{m}": partial(answering, layers, m) for layers, m in ((1, 1), (2, 1), (4, 1), (2, 4))},
    **{f"gradient_{kind}": partial(gradient_step, kind) for kind in STEPS},
    **{name_of(*structure): partial(training_step, *structure) for structure in STRUCTURES},
}
