"""One visible training loop, with the loss and the learning rate of the Transformer; it can be interrupted and resumed.

[Vaswani et al. 2017, §5.3–5.4]
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from tqdm import tqdm

from course_lib import checks
from course_lib.checkpoint import read_checkpoint, write_checkpoint


def cross_entropy(
    logits: Float[Tensor, "*b v"], targets: Int[Tensor, "*b"], *, smoothing: float = 0.0, ignore: int = 0
) -> Float[Tensor, ""]:
    """Nats a token: the mean of -Σ_j q_j log p_j over the tokens whose target is not `ignore`, the padding.

    q puts 1 - smoothing on the target and spreads the rest evenly over all v tokens, the target included: what
    `nn.CrossEntropyLoss(label_smoothing, ignore_index)` computes. [Szegedy et al. 2016, §7]

    Raises ValueError for smoothing outside [0, 1], a target outside 0 … v - 1, and where every target is to be ignored.
    """
    checks.array("logits", logits, 1, "[..., v]")
    checks.number("smoothing", smoothing)
    if not 0 <= smoothing <= 1:
        checks.fail("smoothing", "from 0 to 1, the share that is spread over all tokens", smoothing)
    if not isinstance(targets, Tensor) or targets.is_floating_point() or targets.shape != logits.shape[:-1]:
        got = (
            f"{targets.dtype} of shape {list(targets.shape)}" if isinstance(targets, Tensor) else type(targets).__name__
        )
        checks.fail("targets", f"ints of shape {list(logits.shape[:-1])}, that of logits without v", got)
    counted = targets != ignore  # [...]
    if not counted.any():
        checks.fail("targets", f"other than ignore = {ignore} in one place or more", "nothing but that")
    targets = torch.where(counted, targets, 0).long()
    checks.within("targets", targets, 0, logits.shape[-1] - 1)
    log_probs = torch.log_softmax(logits, -1)  # [..., v]
    surprise = -log_probs.gather(-1, targets[..., None]).squeeze(-1)  # [...]
    losses = surprise if smoothing == 0 else (1 - smoothing) * surprise - smoothing * log_probs.mean(-1)
    # Thousands of tokens add up to more than half precision holds, their mean does not.
    total = torch.where(counted, losses, 0.0).sum(dtype=torch.promote_types(losses.dtype, torch.float32))
    return (total / counted.sum()).to(losses.dtype)


def translation_loss(model: nn.Module, batch: Any, *, smoothing: float = 0.0) -> Float[Tensor, ""]:
    """Nats a token of a translator's answers to a `PairBatch`, the right words before each given: teacher forcing."""
    logits = model(batch.source, batch.target, batch.source_lengths).logits
    return cross_entropy(logits, batch.answers, smoothing=smoothing)


def warm_up(step: int, d: int, warm: int) -> float:
    """The learning rate of step 1, 2, …: d^-½ · min(step^-½, step · warm^-3/2), rising until `warm`, then falling.

    [Vaswani et al. 2017, eq. 3]
    """
    checks.positive_ints(step=step, d=d, warm=warm)
    return d**-0.5 * min(step**-0.5, step * warm**-1.5)


def train(
    model: nn.Module,
    batch_at: Callable[[int], Any],
    loss_of: Callable[[nn.Module, Any], Float[Tensor, ""]],
    optimiser: torch.optim.Optimizer,
    steps: int,
    *,
    rate: Callable[[int], float] | None = None,
    clip: float | None = None,
    checkpoint: str | Path | None = None,
    every: int = 100,
    progress: bool = False,
) -> list[float]:
    """Train until step `steps` (they count from 1) and give the loss of each; the model comes back in eval mode.

    `batch_at(step)` depends on the step alone, so that a resumed run sees what the whole run would have seen;
    `rate(step)` sets the learning rate (of a group of parameters with a "share", this share of it), None leaves the
    optimiser's; `clip` bounds the gradient's norm. With `checkpoint` the run is written there every `every` steps and
    at the end, and starts from there if the file exists: parameters, optimiser, loss history and torch's global
    generator, so that dropout too goes on as if nothing had happened. `progress` shows a bar on stderr. Checks that
    read data are off inside (`checks.trusted`).

    Raises FloatingPointError where a loss is not finite, before it reaches the parameters, and ValueError for a
    checkpoint that does not fit.
    """
    checks.positive_ints(steps=steps, every=every)
    if clip is not None:
        checks.number("clip", clip, positive=True)
    path = None if checkpoint is None else Path(checkpoint)
    losses = [] if path is None else resume(path, model, optimiser)
    if len(losses) > steps:
        checks.fail("steps", f"at least {len(losses)}, where the checkpoint {path} stands", steps)
    model.train()
    with checks.trusted():
        for step in tqdm(range(len(losses) + 1, steps + 1), initial=len(losses), total=steps, disable=not progress):
            if rate is not None:
                for group in optimiser.param_groups:
                    group["lr"] = group.get("share", 1.0) * rate(step)
            loss = loss_of(model, batch_at(step))
            losses.append(loss.item())
            if not math.isfinite(losses[-1]):
                words = f"the loss is {losses[-1]} at step {step}: lower the learning rate, warm up longer, or clip"
                raise FloatingPointError(words)
            optimiser.zero_grad()
            loss.backward()
            if clip is not None:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimiser.step()
            if path is not None and (step % every == 0 or step == steps):
                write_training(path, model, optimiser, losses)
    model.eval()
    return losses


def curve(losses: list[float], points: int = 40) -> list[list[float]]:
    """A run's losses as `points` pairs [step, mean loss of the steps since the pair before], evenly spaced."""
    checks.positive_int("points", points)
    if len(losses) < points:
        checks.fail("points", f"at most the number of losses, {len(losses)}", points)
    ends = [round(len(losses) * (i + 1) / points) for i in range(points)]
    return [[b, sum(losses[a:b]) / (b - a)] for a, b in zip([0, *ends], ends, strict=False)]


def write_training(path: Path, model: nn.Module, optimiser: torch.optim.Optimizer, losses: list[float]) -> None:
    reached = {"losses": torch.tensor(losses, dtype=torch.float64), "generator": torch.get_rng_state()}
    write_checkpoint(path, _live(model, optimiser) | reached, _kind(optimiser))


def resume(path: Path, model: nn.Module, optimiser: torch.optim.Optimizer) -> list[float]:
    """Put a run that `write_training` stored back into the model, the optimiser and torch's global generator; give its
    losses, none where there is no file."""
    if (stored := read_checkpoint(path, _kind(optimiser))) is None:
        return []
    live = _live(model, None)
    expected = {name: list(tensor.shape) for name, tensor in live.items()}
    found = {name: list(stored[name].shape) for name in stored if name.startswith("model.")}
    if expected != found or not {"losses", "generator"} <= stored.keys():
        different = sorted(name for name in expected | found if expected.get(name) != found.get(name))
        words = f"checkpoint {path} is of another model ({', '.join(different[:3]) or 'no losses or generator'} differ)"
        raise ValueError(f"{words}: delete it to start afresh")
    state: dict[int, dict[str, Tensor]] = {}
    try:
        for name, tensor in stored.items():
            if name.startswith("optimiser."):
                _, index, what = name.split(".", 2)
                state.setdefault(int(index), {})[what] = tensor
        optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
        torch.set_rng_state(stored["generator"])
    except (ValueError, LookupError, TypeError, RuntimeError) as error:
        raise ValueError(f"checkpoint {path} is damaged: delete it to start afresh ({error})") from None
    with torch.no_grad():
        for name, tensor in live.items():
            tensor.copy_(stored[name])
    return stored["losses"].tolist()


def _kind(optimiser: torch.optim.Optimizer) -> str:
    """Its class and the options that are on, which settle what it keeps of each parameter."""
    on = sorted(name for name, value in optimiser.defaults.items() if value and name not in ("lr", "foreach", "fused"))
    return " ".join([type(optimiser).__name__, *on])


def _live(model: nn.Module, optimiser: torch.optim.Optimizer | None) -> dict[str, Tensor]:
    """Every tensor of the run by name. `named_parameters` names a tied parameter once, which safetensors insists on."""
    tensors = {f"model.{name}": tensor for name, tensor in model.named_parameters()}
    tensors |= {f"model.{name}": tensor for name, tensor in model.named_buffers()}
    if optimiser is not None:
        for index, state in optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{index}.{what}": tensor for what, tensor in state.items() if tensor is not None}
    return tensors
