"""Is the printed example one draw among many? Its model trained again, many times.

    python studies/worked_example.py            (about three minutes of one core)

Each setting is one reading of how the example was trained: so many updates, Adam with this β₂. Every model reads the
printed sequence, and `traits` of what it computes are kept, model by model. float64, so that another machine finds the
same.
"""

import sys

import numpy as np
import torch

from course_lib.memoryless import Ensemble, Sizes, Training, read, train
from course_lib.memoryless.replay import traits
from course_lib.published import example
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.sources import Memoryless

SIZES = Sizes(4, 8, 4, 4, 16)
UPDATES = (1500, 8000, 24000)
SEEDS = {"short": 64, "long": 16}  # long: more than 1,500 updates
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
    made |= {
        name: getattr(stages, ours)[0]
        for name, ours in (
            ("X", "X"),
            ("Q", "Q"),
            ("K", "K"),
            ("V", "V"),
            ("A", "O"),
            ("A_O", "Y"),
            ("Z", "Z"),
            ("q", "q"),
        )
    }
    return {name: value.detach().numpy() for name, value in made.items()} | {"p": example()["p"]}


def measured(ensemble: Ensemble, losses: np.ndarray) -> dict[str, list[float]]:
    """Each trait [S]; with them `mean error`, that of the mean prediction over 256 fresh inputs, and `last loss`, over
    the last tenth."""
    each = [traits(matrices(ensemble, i)) for i in range(len(ensemble.seeds))]
    found = {name: short([model[name] for model in each]) for name in each[0]}
    found["q"] = short([matrices(ensemble, i)["q"] for i in range(len(ensemble.seeds))])
    found["mean error"] = short(read(ensemble, source()).error)
    found["last loss"] = short(losses[:, -losses.shape[1] // 10 :].mean(1), 5)
    return found


def run(updates: int, beta: float, seeds: range | None = None) -> dict[str, list[float]]:
    """One reading, of all its seeds unless some are given."""
    kind = "short" if updates == UPDATES[0] else "long"
    training = Training(updates=updates, sequences=OWNED[kind], betas=(0.9, beta))
    trained = train(SIZES, source(), seeds or range(SEEDS[kind]), training, dtype=torch.float64)
    return measured(trained.ensemble, trained.losses)


SETTINGS = {
    "sizes": SIZES._asdict(),
    "seeds": SEEDS,
    "sequences": OWNED,
    "updates": UPDATES,
    "betas": BETAS,
    "batch": 16,
    "rate": 1e-3,
}
WANTED = {f"{updates}, {beta}": (updates, beta) for updates in UPDATES for beta in BETAS}
STUDY = Study(
    "worked_example",
    {"settings": SETTINGS},
    {"runs": Part(run, WANTED)},
    minutes=3,
    again=[Again("runs", [f"1500, {beta}" for beta in BETAS], lambda *key: run(*key, range(2)), rel=1e-3, abs=1e-5)],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
