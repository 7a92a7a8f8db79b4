"""Gradient descent and Adam, by torch's update rules.  [Kingma & Ba 2015]"""

import math
from collections import defaultdict
from typing import Any

import numpy as np

from .absent import Partly
from .tensor import Tensor, no_grad


class Optimizer(Partly):
    """Groups of parameters with their settings, and for each parameter what is kept from step to step."""

    def __init__(self, parameters: Any, settings: dict[str, Any]) -> None:
        if isinstance(parameters, Tensor):
            raise TypeError("an optimizer takes a list of tensors, got one tensor")
        given = list(parameters)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        groups = given if isinstance(given[0], dict) else [{"params": given}]
        if wrong := [name for name, value in settings.items() if np.min(value) < 0]:
            raise ValueError(f"Invalid {wrong[0]}: {settings[wrong[0]]}")
        self.defaults = settings
        self.param_groups = [settings | group | {"params": list(group["params"])} for group in groups]
        if not all(parameter.is_leaf for parameter in self._numbered()):
            raise ValueError("can't optimize a non-leaf Tensor")
        self.state: dict[Tensor, dict[str, Tensor]] = defaultdict(dict)

    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad = None if set_to_none or parameter.grad is None else parameter.grad.zero_()

    @no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self.update(parameter, parameter.grad.array, group)

    def update(self, parameter: Tensor, g: np.ndarray, group: dict[str, Any]) -> None:
        raise NotImplementedError

    def _numbered(self) -> list[Tensor]:
        return [parameter for group in self.param_groups for parameter in group["params"]]

    def state_dict(self) -> dict[str, Any]:
        numbers = {parameter: i for i, parameter in enumerate(self._numbered())}
        groups = [
            group | {"params": [numbers[parameter] for parameter in group["params"]]} for group in self.param_groups
        ]
        return {"state": {numbers[parameter]: state for parameter, state in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, stored: dict[str, Any]) -> None:
        for parameter, number in ((parameter, i) for i, parameter in enumerate(self._numbered())):
            if number in stored["state"]:
                self.state[parameter] = {name: value.clone() for name, value in stored["state"][number].items()}
        for group, other in zip(self.param_groups, stored["param_groups"], strict=True):
            group |= {name: value for name, value in other.items() if name != "params"}


class SGD(Optimizer):
    """p ← p - lr · v with v the gradient, or with momentum v ← momentum · v + g."""

    def __init__(self, parameters: Any, lr: float = 1e-3, momentum: float = 0.0, weight_decay: float = 0.0) -> None:
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    def update(self, parameter: Tensor, g: np.ndarray, group: dict[str, Any]) -> None:
        g = g + group["weight_decay"] * parameter.array if group["weight_decay"] else g
        if group["momentum"]:
            state = self.state[parameter]
            before = state.get("momentum_buffer")
            state["momentum_buffer"] = Tensor(g.copy() if before is None else group["momentum"] * before.array + g)
            g = state["momentum_buffer"].array
        parameter.array -= group["lr"] * g


class Adam(Optimizer):
    """p ← p - lr · m̂ / (√v̂ + eps), m and v running means of the gradient and of its square, each divided by 1 -
    βᵗ."""

    decoupled = False

    def __init__(
        self,
        parameters: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,  # how fast torch is
        fused: bool | None = None,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def update(self, parameter: Tensor, g: np.ndarray, group: dict[str, Any]) -> None:
        p, lr, (beta_1, beta_2) = parameter.array, group["lr"], group["betas"]
        if group["weight_decay"]:
            if self.decoupled:
                p *= 1 - lr * group["weight_decay"]
            else:
                g = g + group["weight_decay"] * p
        state = self.state[parameter]
        if "step" not in state:
            state.update(
                step=Tensor(np.float32(0)), exp_avg=Tensor(np.zeros_like(p)), exp_avg_sq=Tensor(np.zeros_like(p))
            )
        state["step"] = Tensor(state["step"].array + np.float32(1))
        t, m, v = int(state["step"].array), state["exp_avg"].array, state["exp_avg_sq"].array
        m += (1 - beta_1) * (g - m)
        v *= beta_2
        v += (1 - beta_2) * g * g
        p -= (lr / (1 - beta_1**t)) * m / (np.sqrt(v) / math.sqrt(1 - beta_2**t) + group["eps"])


class AdamW(Adam):
    """Adam whose weight decay acts on the parameters themselves."""

    decoupled = True

    def __init__(self, parameters: Any, *settings: Any, weight_decay: float = 1e-2, **named: Any) -> None:
        super().__init__(parameters, *settings, weight_decay=weight_decay, **named)
