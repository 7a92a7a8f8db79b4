"""Many independent models of one size, trained at once."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib import checks
from course_lib.memoryless.gradient import backward, forward
from course_lib.memoryless.model import SCALES, SourceModel, start
from course_lib.memoryless.sizes import Sizes, count, shapes


class Ensemble:
    """S models side by side: model i is `SourceModel(sizes, generator=torch.Generator().manual_seed(seeds[i]))`.

    `flat` [S · count] holds every learnable of every model, `parameters` its views by name, [S, *shape]. `step` is one
    update of each model on its own batch, what a plain loop with `torch.optim.Adam` does model by model.
    """

    def __init__(
        self,
        sizes: Sizes,
        seeds: Sequence[int],
        *,
        scale: str = "m",
        betas: tuple[float, float] = (0.9, 0.95),
        eps: float = 1e-8,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.sizes, self.seeds, self.scale = Sizes(*sizes).check(), list(seeds), scale
        checks.one_of("scale", scale, SCALES)
        if not self.seeds:
            checks.fail("seeds", "one seed or more", "none")
        self.factor = (self.sizes.m if scale == "m" else self.sizes.d) ** -0.5
        self.flat = torch.zeros(len(self.seeds) * count(self.sizes), dtype=dtype)
        self.parameters, self._views = _cut(self.flat, self.sizes)
        for i, seed in enumerate(self.seeds):
            generator = torch.Generator().manual_seed(seed)
            for name, shape in shapes(self.sizes).items():
                self.parameters[name][i] = start(name, shape, generator, dtype)
        self.gradient = torch.zeros_like(self.flat)
        self.flat.grad = self.gradient
        _, self._into = _cut(self.gradient, self.sizes)
        self.optimiser = torch.optim.Adam([self.flat], betas=betas, eps=eps, fused=True)

    def logits(self, tokens: Int[Tensor, "*S b n"]) -> Float[Tensor, "S b v"]:
        """Each model's logits for its own tokens [S, b, n], or for the same tokens [b, n]."""
        tokens = tokens.long()
        checks.size("tokens", tokens, -1, self.sizes.n, "the length n of these models")
        checks.within("tokens", tokens, 0, self.sizes.v)
        return forward(self._views, tokens.expand(len(self.seeds), *tokens.shape[-2:]), self.factor).logits

    def step(self, tokens: Int[Tensor, "S b n"], targets: Int[Tensor, "S b"], rate: float) -> Float[Tensor, " S"]:
        """One update; gives each model's loss before it, in nats."""
        losses = self.differentiate(tokens, targets)
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.step()
        return losses

    def differentiate(self, tokens: Int[Tensor, "S b n"], targets: Int[Tensor, "S b"]) -> Float[Tensor, " S"]:
        """Put the gradient of each model's mean loss into `gradient`, and give the losses."""
        passed = forward(self._views, tokens, self.factor)
        log_q = torch.log_softmax(passed.logits, -1)  # [S, b, v]
        targets = targets[..., None]
        losses = -log_q.gather(-1, targets).squeeze(-1).mean(-1)
        pulls = log_q.exp_().scatter_add_(
            -1, targets, targets.new_full((), -1, dtype=log_q.dtype).expand(targets.shape)
        )
        backward(self._views, self._into, tokens, passed, pulls.div_(targets.shape[1]), self.factor)
        return losses

    def slopes(self, tokens: Int[Tensor, "b n"]) -> Float[Tensor, "v all"]:
        """The derivative of each model's logits, averaged over these tokens, by its own learnables, which lie as in
        `flat`.

        `gradient` is overwritten: a `step` makes it anew.
        """
        tokens = tokens.long().expand(len(self.seeds), *tokens.shape)
        passed = forward(self._views, tokens, self.factor)
        rows = []
        for i in range(self.sizes.v):
            pulls = torch.zeros_like(passed.logits)
            pulls[..., i] = 1 / tokens.shape[1]
            backward(self._views, self._into, tokens, passed, pulls, self.factor)
            rows.append(self.gradient.clone())
        return torch.stack(rows)

    def by_model(self, flat: Float[Tensor, " all"]) -> dict[str, Float[Tensor, "S part"]]:
        """What lies as in `flat`, by name, a row a model."""
        return {name: part.reshape(len(self.seeds), -1) for name, part in _cut(flat, self.sizes)[0].items()}

    def model(self, i: int) -> SourceModel:
        """Model i alone, with a copy of its parameters."""
        model = SourceModel(self.sizes, scale=self.scale, dtype=self.flat.dtype)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(self.parameters[name][i])
        return model

    def at(self, flat: Float[Tensor, " all"]) -> "Ensemble":
        """The same models with other parameters, for instance an average; a new optimiser."""
        other = Ensemble(self.sizes, self.seeds, scale=self.scale, dtype=self.flat.dtype)
        other.flat.copy_(flat)
        return other

    def state_dict(self) -> dict[str, Tensor]:
        """What a run needs to go on: parameters, Adam's two averages, and its count of steps."""
        state = self.optimiser.state[self.flat]
        empty = {
            "exp_avg": torch.zeros_like(self.flat),
            "exp_avg_sq": torch.zeros_like(self.flat),
            "step": torch.tensor(0.0),
        }
        return {"flat": self.flat, **{name: state.get(name, start) for name, start in empty.items()}}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        if state["flat"].shape != self.flat.shape:
            checks.fail("state['flat']", f"of shape {list(self.flat.shape)}", f"shape {list(state['flat'].shape)}")
        self.flat.copy_(state["flat"])
        self.optimiser.state[self.flat] = {name: state[name].clone() for name in ("step", "exp_avg", "exp_avg_sq")}


def _cut(flat: Float[Tensor, " all"], sizes: Sizes) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The views [S, *shape] of the learnables, and the same as batched products take them.

    Each learnable of all models is one block, because a batched product is fast only where it writes to one: vectors
    are rows [S, 1, width], and E with P below it is one matrix EP [S, v + 1 + n, d].
    """
    models, rows = flat.numel() // count(sizes), sizes.v + 1 + sizes.n
    blocks = {"EP": (rows, sizes.d)} | {name: shape for name, shape in shapes(sizes).items() if name not in ("E", "P")}
    parts = flat.split([models * math.prod(shape) for shape in blocks.values()])
    views = {name: part.view(models, *shape) for (name, shape), part in zip(blocks.items(), parts, strict=True)}
    both = {"E": views["EP"][:, : sizes.v + 1], "P": views["EP"][:, sizes.v + 1 :]}
    named = {name: both.get(name, views.get(name)) for name in shapes(sizes)}
    return named, both | {name: view.unsqueeze(1) if view.ndim == 2 else view for name, view in views.items()}
