"""Train the run that the explorer shows before anyone presses anything, and write it to
course_lib/widgets/attention_explorer/.

    python -m tools.page.explorer_default            (make graphs)

Moments are stored as 16-bit floats in base64: all parameters in the graph's order, the positions last. `seen` is what
the last one makes of the first test question, so that the page can draw it before anything has been computed there.
"""

import base64
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from course_lib.graphs.explorer import Run, Settings, test_batch

PATH = Path(__file__).resolve().parents[2] / "course_lib" / "widgets" / "attention_explorer" / "default.json"
STEPS = 150
MOMENTS = (15, 30, 45, STEPS)  # step 0 follows from the seed
MEASURED_EVERY = 3


def default_run() -> dict:
    torch.set_num_threads(1)
    run = Run(Settings())
    losses, accuracies, moments = [], [[0, round(run.accuracy(), 4)]], []
    for step in range(1, STEPS + 1):
        losses.append(float(f"{run.step():.4g}"))
        if step % MEASURED_EVERY == 0:
            accuracies.append([step, round(run.accuracy(), 4)])
        if step in MOMENTS:
            flat = np.concatenate([values.ravel() for values in run.parameters().values()])
            code = base64.b64encode(flat.astype("<f2").tobytes()).decode()
            moments.append({"step": step, "parameters": code})
    return {
        "settings": asdict(run.settings),
        "seen": seen(run),
        "losses": losses,
        "accuracies": accuracies,
        "moments": moments,
    }


@torch.no_grad()
def seen(run: Run) -> dict:
    """The first test question: tokens, targets [n]; probabilities [n·vocab], weights [layers][h·n·n], flat; alone, the
    answers."""
    batch, task = test_batch(run.task), run.task
    tokens, targets = batch.tokens[:1], batch.targets[:1]
    begin = int((targets[0] >= 0).argmax())
    own = np.where(np.arange(task.n) > begin, -1, tokens)  # -1: nothing written there yet
    alone = []
    for place in range(begin, task.n):
        answer = int(run.read(own)[0][0, place].argmax())
        alone.append(answer)
        if place + 1 < task.n:
            own[0, place + 1] = answer
    logits, weights = run.read(tokens)

    def short(tensor: torch.Tensor) -> list[float]:
        return [float(f"{x:.3g}") if x > 5e-4 else 0 for x in tensor.flatten().tolist()]

    return {
        "draws": tokens[0, :begin].tolist(), "tokens": tokens[0].tolist(), "targets": targets[0].tolist(),
        "begin": begin, "alone": alone,
        "probabilities": short(logits.softmax(-1)), "weights": [short(layer) for layer in weights],
        "parameters": sum(values.size for values in run.parameters().values()),
    }  # fmt: skip


if __name__ == "__main__":
    PATH.write_text(json.dumps(default_run(), separators=(",", ":")) + "\n", encoding="utf-8")
