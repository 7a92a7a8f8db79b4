"""What the real models' engine answers in Node (tests/js/real_model.mjs), and arrays of floats on the way there and
back."""

import base64

import numpy as np
import torch


def packed(values: np.ndarray) -> dict:
    return {"floats": base64.b64encode(values.astype("<f4").tobytes()).decode()}


def floats(value: dict, *shape: int) -> torch.Tensor:
    return torch.from_numpy(np.frombuffer(base64.b64decode(value["floats"]), "<f4").copy()).view(shape)


def edit(at: str, layer: int, values: np.ndarray | int, places: list[int] | None = None, head: int = 0) -> dict:
    """A change inside the model, as the engine takes it."""
    given = {
        "at": at,
        "layer": layer,
        "head": head,
        "values": packed(values) if isinstance(values, np.ndarray) else values,
    }
    return given if places is None else given | {"places": places}


def near(got: dict, want: torch.Tensor, within: float = 2e-3) -> None:
    """Equal within this part of the largest number that is wanted, or of 1."""
    torch.testing.assert_close(floats(got, *want.shape), want, rtol=0, atol=within * max(1.0, float(want.abs().max())))
