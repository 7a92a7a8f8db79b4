"""An exercise as a card in the notebook and in the page: `ask(exercise)` shows it; the answer is checked where it is
read."""

from collections.abc import Callable
from typing import Any

import traitlets

from ...exercises import Exercise, Function, Prediction, Verdict
from .. import base

# The smallest front end for each kind, which a notebook stores once a card; the full one is `exercise`.
BUNDLES = {
    **dict.fromkeys(("choice", "arrange", "false_line", "control"), "exercise_options"),
    "value": "exercise_numbers", "function": "exercise_numbers", "formula": "exercise", "sketch": "exercise_sketch",
    "choose": "exercise_prediction", "order": "exercise_prediction",
    "number": "exercise_prediction_number", "curve": "exercise_prediction_curve",
}  # fmt: skip


class ExerciseWidget(base.CourseWidget):
    """The card of one exercise: question, answer, hints in order, solution after a try; works without Python.

    The browser remembers what the reader did under the exercise's id, so an id is used once in the book. ValueError
    where `exercise` is none of `course_lib.exercises`.
    """

    bundle_name = "exercise"

    spec = traitlets.Dict().tag(sync=True)

    @traitlets.default("_css")
    def _read_css(self) -> str:
        return base.bundle("exercise", "css")

    def __init__(self, exercise: Exercise) -> None:
        if not hasattr(exercise, "spec") or not isinstance(exercise, Exercise):
            raise ValueError(
                f"exercise must be one of course_lib.exercises, as Choice or Value, got {type(exercise).__name__}"
            )
        spec = exercise.spec()
        self.bundle_name = BUNDLES[spec["kind"]]
        super().__init__(spec=spec)
        if isinstance(exercise, Function):
            ASKED[exercise.id] = exercise
            self.on_msg(self._kernel)

    def _kernel(self, _widget: object, content: object, _buffers: object) -> None:
        """The card asks whether Python listens: only then can it offer to run the learner's function."""
        if isinstance(content, dict) and content.get("type") == "kernel":
            self.send({"type": "kernel", "call": f'check("{self.spec["id"]}", {ASKED[self.spec["id"]].name})'})


ASKED: dict[str, Function] = {}  # by id: the functions asked for since Python started


def ask(exercise: Exercise) -> ExerciseWidget:
    """The exercise's card, to stand last in a cell."""
    return ExerciseWidget(exercise)


def check(id: str, function: Callable[..., Any]) -> Verdict:
    """Run a learner's function on all cases of the exercise whose card was shown under this id. ValueError where none
    was."""
    if id not in ASKED:
        raise ValueError(
            f"id must be that of a function's card shown above ({', '.join(sorted(ASKED)) or 'none so far'}), "
            f"got {id!r}"
        )
    return ASKED[id].check(function)


class PredictionWidget(base.CourseWidget):
    """The card of a prediction: in the page it uncovers the evidence below; in a notebook the next cells are the
    evidence.

    ValueError where `prediction` is none of `course_lib.exercises`.
    """

    bundle_name = "exercise_prediction"

    spec = traitlets.Dict().tag(sync=True)

    @traitlets.default("_css")
    def _read_css(self) -> str:
        return base.bundle("exercise", "css")

    def __init__(self, prediction: Prediction) -> None:
        if not hasattr(prediction, "spec") or not isinstance(prediction, Prediction):
            raise ValueError(f"prediction must be a Choose, Number, Order or Curve, got {type(prediction).__name__}")
        spec = prediction.spec()
        self.bundle_name = BUNDLES[spec["kind"]]
        super().__init__(spec=spec)


def predict(prediction: Prediction) -> PredictionWidget:
    """The prediction's card, to stand last in a cell tagged `predict`, before the cells tagged `evidence`."""
    return PredictionWidget(prediction)
