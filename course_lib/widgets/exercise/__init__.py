"""An exercise as a card in the notebook and in the page: `ask(exercise)` shows it; the answer is checked where it is read."""

import traitlets

from ...exercises import Curve, Exercise, Formula, Prediction
from .. import base


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
            raise ValueError(f"exercise must be a Choice, Value, Formula or Function, got {type(exercise).__name__}")
        if not isinstance(exercise, Formula):
            self.bundle_name = "exercise_plain"
        super().__init__(spec=exercise.spec())
        self.on_msg(self._kernel)

    def _kernel(self, _widget: object, content: object, _buffers: object) -> None:
        """The card asks whether Python listens: only then can it offer to run the learner's function."""
        if isinstance(content, dict) and content.get("type") == "kernel":
            self.send({"type": "kernel"})


def ask(exercise: Exercise) -> ExerciseWidget:
    """The exercise's card, to stand last in a cell; keep the exercise in a name if a function is to be checked."""
    return ExerciseWidget(exercise)


class PredictionWidget(base.CourseWidget):
    """The card of a prediction: in the page it uncovers the evidence below; in a notebook the next cells are the evidence.

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
        if isinstance(prediction, Curve):
            self.bundle_name = "exercise_prediction_curve"
        super().__init__(spec=prediction.spec())


def predict(prediction: Prediction) -> PredictionWidget:
    """The prediction's card, to stand last in a cell tagged `predict`, before the cells tagged `evidence`."""
    return PredictionWidget(prediction)
