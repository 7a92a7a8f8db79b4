"""The walk back along the memories of tensors.

From a result to everything it was made of, latest first, so that a tensor used twice has all its parts together before
they are handed on.
"""

import heapq
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .absent import HERE
from .tensor import Array, Source, Tensor, silence


def _first(result: Tensor, gradient: Tensor | None) -> Array:
    if not result.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if gradient is None:
        if result.array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return np.ones_like(result.array)
    if gradient.array.shape != result.array.shape:
        raise RuntimeError(
            f"Mismatch in shape: a gradient of {list(gradient.shape)} for an output of {list(result.shape)}"
        )
    return gradient.array


def _gone(gradient: Array) -> Array:
    raise RuntimeError(
        "Trying to backward through the graph a second time: labs/tiny frees it the first time, unless "
        "retain_graph=True is given then"
    )


FREED: tuple[Source, ...] = ((Tensor(0.0), _gone),)


def gradients(
    results: Sequence[Tensor], given: Sequence[Tensor | None], keep: bool | None, again: bool = False
) -> Iterator[tuple[Tensor, Array]]:
    """Each tensor that the results were made of, themselves first, with the derivative of Σ given · result by it.

    A tensor is younger than all that it was made of, so taking the youngest of those that wait is an order in which
    no tensor comes before one that was made from it. A leaf, numbered -1, comes when nothing else waits.
    """
    if again:
        raise NotImplementedError(f"{HERE} has no second derivatives, so no create_graph=True")
    sums: dict[int, Array] = {}
    waiting: list[tuple[int, int, Tensor]] = []

    def add(tensor: Tensor, part: Array) -> None:
        if part.dtype != tensor.array.dtype:
            part = part.astype(tensor.array.dtype)
        if id(tensor) in sums:
            sums[id(tensor)] = sums[id(tensor)] + part
        else:
            sums[id(tensor)] = part
            heapq.heappush(waiting, (-tensor.number, id(tensor), tensor))

    for result, gradient in zip(results, given, strict=True):
        add(result, _first(result, gradient))
    with silence():
        while waiting:
            _, key, tensor = heapq.heappop(waiting)
            total, sources = sums.pop(key), tensor.sources
            yield tensor, total
            if sources and not keep:
                tensor.sources = FREED
            for operand, pull in sources:
                add(operand, pull(total))


def backward(
    x: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: bool = False
) -> None:
    """Add to the `grad` of every leaf that this was made of. Without `gradient` this must be one number."""
    for tensor, found in gradients([x], [gradient], retain_graph, create_graph):
        if not tensor.sources:  # a copy: two leaves may have been handed the same numbers
            tensor.grad = Tensor(found.copy() if tensor.grad is None else tensor.grad.array + found)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Tensor | None, ...]:
    """d outputs / d inputs, as a tuple; None for an input that was not used, where that is allowed. No `grad` is added
    to."""
    outputs, inputs = ((each,) if isinstance(each, Tensor) else tuple(each) for each in (outputs, inputs))
    given = (None,) * len(outputs) if grad_outputs is None else grad_outputs
    if not all(each.requires_grad for each in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    wanted, found = {id(each) for each in inputs}, {}
    for tensor, value in gradients(
        outputs, (given,) if isinstance(given, Tensor) else given, retain_graph, create_graph
    ):
        if id(tensor) in wanted:
            found[id(tensor)] = Tensor(value.copy())
    if not allow_unused and len(found) < len(wanted):
        raise RuntimeError("One of the differentiated Tensors appears to not have been used in the graph.")
    return tuple(found.get(id(each)) for each in inputs)


def attach() -> None:
    Tensor.backward = backward
