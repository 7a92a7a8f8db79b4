"""The worked example's model trained again, many times: results/worked_example.json, which the page of the worked example reads.

    python tools/worked_example.py [--force]

Each setting is one reading of how the example was trained: so many updates, Adam with this β₂. Every model reads the
printed sequence, and `traits` of what it computes are kept, model by model. Two minutes; a stopped run goes on from the last
whole setting. float64, so that another machine finds the same.
"""

import argparse
import json
import sys
from itertools import product
from typing import Any

import numpy as np
import torch

from course_lib import long_work
from course_lib.memoryless import Ensemble, Sizes, Training, read, train
from course_lib.memoryless.replay import traits
from course_lib.published import example
from course_lib.results import HERE
from course_lib.sources import Memoryless

PATH = HERE / "worked_example.json"
SIZES = Sizes(4, 8, 4, 4, 16)
SHORT, LONG = 1500, (8000, 24000)
SEEDS = {"short": 64, "long": 16}
OWNED = {"short": 8000, "long": 128_000}  # sequences: three epochs of batches of 16 make 1,500 and 24,000 updates
BETAS = (0.95, 0.999)


def source() -> Memoryless:
    return Memoryless(example()["p"])


def matrices(ensemble: Ensemble, i: int) -> dict[str, np.ndarray]:
    """Model i on the printed sequence, its matrices by the source's names."""
    model = ensemble.model(i)
    with torch.no_grad():
        stages = model.stages(torch.from_numpy(example()["x"] - 1)[None])
    made = {name: getattr(model, name) for name in ("E", "P", "W_O", "w_o", "W_3", "w_3")}
    made |= {name: getattr(stages, ours)[0] for name, ours in (("X", "X"), ("Q", "Q"), ("K", "K"), ("V", "V"), ("A", "O"), ("A_O", "Y"), ("Z", "Z"), ("q", "q"))}
    return {name: value.detach().numpy() for name, value in made.items()} | {"p": example()["p"]}


def measured(ensemble: Ensemble, losses: np.ndarray) -> dict[str, list[float]]:
    """Each trait [S]; with them `mean error`, that of the mean prediction over 256 fresh inputs, and `last loss`, over the last tenth."""
    each = [traits(matrices(ensemble, i)) for i in range(len(ensemble.seeds))]
    found = {name: [short(model[name]) for model in each] for name in each[0]}
    found["q"] = [[short(part) for part in matrices(ensemble, i)["q"]] for i in range(len(ensemble.seeds))]
    found["mean error"] = [short(error) for error in read(ensemble, source()).error]
    found["last loss"] = [short(loss, 5) for loss in losses[:, -losses.shape[1] // 10 :].mean(1)]
    return found


def runs(kind: str, beta: float, seeds: range, progress: bool = False) -> dict[str, dict[str, list[float]]]:
    """The settings of one training run: "1500, 0.95", or "8000, 0.95" and "24000, 0.95" on the way."""
    stops, found = (SHORT,) if kind == "short" else LONG, {}

    def watch(update: int, ensemble: Ensemble) -> None:
        if update in stops:
            found[f"{update}, {beta}"] = ensemble.at(ensemble.flat)

    training = Training(updates=max(stops), sequences=OWNED[kind], betas=(0.9, beta))
    seen = train(SIZES, source(), seeds, training, dtype=torch.float64, progress=progress, watch=watch).losses
    return {key: measured(models, seen[:, : int(key.split(",")[0])]) for key, models in found.items()}


def short(value: float, digits: int = 4) -> float:
    return float(f"{value:.{digits}g}")


def settings() -> dict[str, Any]:
    return {"sizes": SIZES._asdict(), "seeds": SEEDS, "sequences": OWNED, "updates": [SHORT, *LONG], "betas": list(BETAS), "batch": 16, "rate": 1e-3}


def write(table: dict[str, Any]) -> None:
    """As `results.store`, but one trait a line: whole or not at all."""
    blocks = []
    for key, traits_of in table["runs"].items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(values, separators=(',', ':'))}" for name, values in traits_of.items())
        blocks.append(f"{json.dumps(key)}: {{\n{lines}\n}}")
    head = "".join(f"{json.dumps(name)}: {json.dumps(table[name])},\n" for name in ("command", "settings"))
    scratch = PATH.with_suffix(".part")
    scratch.write_text(f'{{\n{head}"runs": {{\n{",".join(blocks)}\n}}\n}}\n', encoding="utf-8")
    scratch.replace(PATH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--force", action="store_true", help="train all again")
    force = parser.parse_args().force
    torch.set_num_threads(1)
    table = {"command": "python tools/worked_example.py", "settings": settings(), "runs": {}}
    if PATH.is_file() and not force:
        stored = json.loads(PATH.read_text(encoding="utf-8"))
        if stored["settings"] == table["settings"]:
            table = stored
    wanted = list(product(("short", "long"), BETAS))
    todo = [(kind, beta) for kind, beta in wanted if f"{SHORT if kind == 'short' else LONG[0]}, {beta}" not in table["runs"]]
    for kind, beta in long_work.runs(todo, done=len(wanted) - len(todo), minutes=2, unit="setting"):
        table["runs"] |= runs(kind, beta, range(SEEDS[kind]), progress=True)
        write(table)
        print("done:", kind, beta, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main))
