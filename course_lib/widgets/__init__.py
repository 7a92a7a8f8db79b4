"""Interactive figures: one module a widget, its drawing in `static/`, its bundle in `dist/`.

A widget gets arrays and graphs, never a model: nothing here imports torch. The classes are imported on first use, so
that `import course_lib.widgets` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .ablation_table import AblationTable
    from .approximation_builder import ApproximationBuilder
    from .attention_by_hand import AttentionByHand
    from .attention_explorer import AttentionExplorer
    from .base import CourseWidget
    from .decoding import Decoding
    from .descent import Descent
    from .exercise import ExerciseWidget, ask
    from .gaussian_attention import GaussianAttention
    from .gradient_flow import GradientFlow
    from .journey import Journey
    from .measure_playground import MeasurePlayground
    from .model_sizes import ModelSizes
    from .positions import Positions
    from .quadratic_wall import QuadraticWall
    from .source_trainer import SourceTrainer
    from .spectrum import Spectrum
    from .study_table import StudyTable
    from .surface import Surface
    from .translate import Translate

_HOME = {
    "AblationTable": "ablation_table",
    "ApproximationBuilder": "approximation_builder",
    "AttentionByHand": "attention_by_hand",
    "AttentionExplorer": "attention_explorer",
    "CourseWidget": "base",
    "Decoding": "decoding",
    "Descent": "descent",
    "ExerciseWidget": "exercise",
    "GaussianAttention": "gaussian_attention",
    "GradientFlow": "gradient_flow",
    "Journey": "journey",
    "MeasurePlayground": "measure_playground",
    "ModelSizes": "model_sizes",
    "Positions": "positions",
    "QuadraticWall": "quadratic_wall",
    "SourceTrainer": "source_trainer",
    "Spectrum": "spectrum",
    "StudyTable": "study_table",
    "Surface": "surface",
    "Translate": "translate",
    "ask": "exercise",
}

__all__ = ["AblationTable", "ApproximationBuilder", "AttentionByHand", "AttentionExplorer", "CourseWidget", "Decoding", "Descent", "ExerciseWidget", "GaussianAttention", "GradientFlow", "Journey", "MeasurePlayground", "ModelSizes", "Positions", "QuadraticWall", "SourceTrainer", "Spectrum", "StudyTable", "Surface", "Translate", "ask"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
