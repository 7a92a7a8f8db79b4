"""New cases for a lab's function: the same kinds of arguments with other numbers and, where the function takes any, other shapes.

Nothing is known of a function but the cases of its exercise. So axes that are equally long in a case mostly stay so; what looks like
shares, a symmetric matrix, places or tokens is drawn as such; and a case is kept only if the course's own two ways to the answer, the
reference and the lab's solution, agree on it. Cases are drawn until together they tell every listed mistake from what is right.
"""

import copy
import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_lib.answers import alike, numbers, same
from course_lib.exercises import Case, Function

TRIES, MOST = 120, 4_000  # draws of a case; numbers in its arguments
Mapped = Callable[[np.ndarray], Any]


def leaf(value: Any) -> tuple[np.ndarray, Mapped] | None:
    """An array, a tensor or a rectangular list of numbers as an array, and the way back; None for anything else."""
    if isinstance(value, torch.Tensor):
        return value.detach().numpy().copy(), lambda array: torch.as_tensor(array, dtype=value.dtype)
    if isinstance(value, np.ndarray):
        return value.copy(), lambda array: array
    if isinstance(value, list) and value and plain(value):
        try:
            numbers(value)
        except ValueError:
            return None
        return np.array(value), lambda array: array.tolist()
    return None


def plain(value: Any) -> bool:
    """Lists of numbers, and nothing in them that is another's, such as an array or a tuple."""
    return all(map(plain, value)) if isinstance(value, list) else isinstance(value, bool | int | float)


def walked(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with `change` applied to its arrays and numbers, inside lists, tuples and dictionaries too. TypeError for other things."""
    if leaf(value) or value is None or isinstance(value, bool | int | float | str):
        return change(value)
    if isinstance(value, dict):
        return {name: walked(each, change) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(walked(each, change) for each in value)
    raise TypeError(f"a {type(value).__name__} cannot be written into a test")


def shapes(args: Any) -> tuple[tuple[int, ...], ...]:
    """The shapes of all arrays in the arguments, in order."""
    found: list[tuple[int, ...]] = []

    def note(value: Any) -> Any:
        array = leaf(value)
        found.extend([array[0].shape] if array else [])
        return value

    walked(args, note)
    return tuple(found)


def drawn(array: np.ndarray, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """An array of this shape of the same kind as `array`."""
    if array.dtype == bool:
        new = rng.random(shape) < 0.6
        new[..., 0] |= ~new.any(-1)
        return new
    if np.issubdtype(array.dtype, np.integer):
        return rng.integers(array.min(), array.max() + 1, shape)
    square = len(shape) == 2 and shape[0] == shape[1] and array.shape[0] == array.shape[1]
    if square and np.allclose(array, array.T):
        half = rng.normal(size=shape).round(2)
        positive = np.linalg.eigvalsh(array).min() >= -1e-12
        return (half @ half.T / shape[0]).round(4) + positive * 0.1 * np.eye(shape[0]) if positive else (half + half.T) / 2
    if (array >= 0).all() and np.allclose(array.sum(-1), 1):
        return rng.dirichlet(np.ones(shape[-1]), shape[:-1])
    spread = float(array.std() or abs(array.mean()) or 1)
    new = rng.normal(array.mean(), spread, shape).round(2)
    if (array > 0).all():
        new = np.abs(new) + 0.1
    elif (array >= 0).all():
        new = np.abs(new)
    flat = array.ndim == 1 and len(array) > 2 and (np.diff(array) > 0).all()
    return np.sort(new) if flat else new


def varied(args: Any, rng: np.random.Generator, how: str) -> Any:
    """The arguments of a case, drawn anew. TypeError where one is neither number nor array.

    `how` is "numbers" (the shapes stay), "together" (axes that were equally long stay so, those of length 1 stay) or "apart" (of equally
    long axes some become longer or shorter than the others: most such cases are none, and are not kept).
    """
    length: dict[tuple[int, int], int] = {}

    def longer(size: int) -> int:
        if how == "numbers" or (how == "together" and size == 1):
            return size
        kind = (size, int(rng.integers(2)) if how == "apart" else 0)
        return length.setdefault(kind, int(rng.integers(min(size, 2), size + 3)))

    def change(value: Any) -> Any:
        found = leaf(value)
        if found:
            array, back = found
            return back(drawn(array, tuple(map(longer, array.shape)), rng))
        if isinstance(value, float):
            new = round(value * rng.uniform(0.6, 1.4), 3)
            return min(new, 0.99) if 0 <= value <= 1 else new
        return value

    return walked(args, change)


def amount(args: Any) -> int:
    counted: list[int] = []
    walked(args, lambda value: counted.append(leaf(value)[0].size if leaf(value) else 1))
    return sum(counted)


def outcome(function: Callable, args: list) -> tuple | str:
    try:
        with warnings.catch_warnings(action="ignore"):
            return numbers(function(*copy.deepcopy(args)))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def right(exercise: Function, solution: Callable, given: list) -> tuple | None:
    """What the function is to return, where reference and solution agree on it; None where they do not."""
    wanted, own = outcome(exercise.reference or solution, given), outcome(solution, given)
    if isinstance(wanted, str) or isinstance(own, str) or not all(map(math.isfinite, wanted[1])):
        return None
    return wanted if same(own, wanted, exercise.tolerance) else None


def fresh(exercise: Function, solution: Callable, seed: int, count: int = 5) -> list[Case]:
    """`count` new cases, of as many shapes as are found; more until each mistake is told, if it can be.

    TypeError where an argument is neither number nor array. ValueError where no case is found on which reference and solution agree.
    """
    rng, kept = np.random.default_rng([seed, *exercise.id.encode()]), []
    begun = [exercise._given(case) for case in exercise.cases]
    seen = set(map(shapes, begun))
    left = [wrong for wrong, _ in exercise.mistakes]
    for attempt, args in zip(range(TRIES), itertools.cycle(begun), strict=False):
        late = attempt > TRIES // 2
        if len(kept) >= count and (not left or late):
            break
        given = varied(args, rng, ("together", "apart", "apart", "numbers" if late else "together")[attempt // len(begun) % 4])
        wanted = right(exercise, solution, given) if amount(given) <= MOST else None
        if wanted is None:
            continue
        told = [wrong for wrong in left if not alike(outcome(wrong, given), wanted, exercise.tolerance)]
        if told or (len(kept) < count and (late or shapes(given) not in seen)):
            seen.add(shapes(given))
            left = [wrong for wrong in left if wrong not in told]
            kept.append(Case(given, wanted, by_hand=False))
    if not kept:
        raise ValueError(f"no new case was found on which the reference and the lab's solution agree ({exercise.id})")
    return kept


def code_of(value: Any) -> str:
    """The value as a Python expression, with `np` and `torch`. TypeError where there is none."""
    if isinstance(value, torch.Tensor):
        return f"torch.tensor({value.tolist()}, dtype={value.dtype})"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {code_of(each)}" for name, each in value.items()) + "}"
    if isinstance(value, tuple):
        return f"({', '.join(map(code_of, value))},)"
    if isinstance(value, list):
        return f"[{', '.join(map(code_of, value))}]"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    raise TypeError(f"a {type(value).__name__} cannot be written into a test")
