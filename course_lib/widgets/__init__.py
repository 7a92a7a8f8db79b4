"""Interactive figures: a room a widget, which holds its class, its script `index.js` and its style.

A widget gets arrays and graphs, never a model: nothing here imports torch. `course_lib.widgets.AttentionByHand` is the
class of the room `attention_by_hand`; it is imported on first use, so that `import course_lib.widgets` costs nothing.
What widgets share: `runtime` runs traced graphs, `drawing` draws, `shell` keeps settings; `dist` holds the bundles.
"""

import re
from importlib import import_module
from pathlib import Path

_ELSEWHERE = {
    "CourseWidget": "base",
    "ExerciseWidget": "exercise",
    "PredictionWidget": "exercise",
    "ask": "exercise",
    "check": "exercise",
    "predict": "exercise",
}


def home(name: str) -> str:
    """The module below this package that holds the class: AttentionByHand → attention_by_hand."""
    return _ELSEWHERE.get(name) or re.sub(r"(?<=.)(?=[A-Z])", "_", name).lower()


def _is_room(name: str) -> bool:
    return (Path(__file__).parent / name / "__init__.py").is_file()


def __getattr__(name: str) -> object:
    if name not in _ELSEWHERE and not (name[:1].isupper() and _is_room(home(name))):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home(name)}"), name)


def __dir__() -> list[str]:
    rooms = {path.parent.name for path in Path(__file__).parent.glob("*/__init__.py")} - {"exercise"}
    return sorted([*_ELSEWHERE, *("".join(map(str.capitalize, room.split("_"))) for room in rooms)])
