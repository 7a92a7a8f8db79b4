"""The page on the model: counts, idle learnables, what reaches the loss, and the source's programs against ours."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib import memoryless
from course_lib.memoryless import Ensemble, Sizes, SourceModel, count, shapes
from course_lib.published import example, rows
from course_lib.results import load
from course_lib.widgets import ModelSizes
from studies import places_and_scale as source_model
from tests.shared.record import largest
from tests.shared.seeded import F64, normal, seeded
from tests.shared.torch_weights import randomise

EXAMPLE, BATCH = Sizes(4, 8, 4, 4, 16), 16


def stirred() -> SourceModel:
    """Every learnable is random: nothing agrees by being near zero."""
    return randomise(SourceModel(EXAMPLE, **F64), seeded())


def test_the_model_has_the_printed_numbers(record):  # R1, R-E1, R9; beside PyTorch: test_memoryless.py
    ours = [sum(p.numel() for p in SourceModel(Sizes(*row[1:6])).parameters()) for row in rows()]
    assert sum(mine == row.learnables for mine, row in zip(ours, rows(), strict=True)) == 72
    numbers = record("R9.numbers", sum(p.numel() for p in SourceModel(EXAMPLE).parameters()))
    assert numbers == count(EXAMPLE) == int(example()["learnables"]) == 316


def words(sizes: Sizes = EXAMPLE, b: int = 64, seed: int = 0) -> torch.Tensor:
    return torch.randint(0, sizes.v, (b, sizes.n), generator=seeded(seed))


def runs(name: str) -> dict[str, np.ndarray]:
    """A group of studies/places_and_scale.py."""
    return {key: np.array(value) for key, value in load("places_and_scale")["runs"][name].items()}


def test_places_and_root_hardly_matter_here():  # R1, R-E7
    seeds, by_m, by_d = (runs(name)["error"] for name in ("places", "scale m", "scale d"))
    with_places = np.median(seeds)
    without_places = np.median(runs("no places")["error"])
    assert abs(with_places - without_places) < np.diff(np.quantile(seeds, [0.25, 0.75]))[0] / 3
    error_m, error_d = np.median(by_m), np.median(by_d)
    assert error_m == pytest.approx(error_d, abs=0.2)


def test_the_text_parts_from_the_program(record):  # R-E9, R-E11, R-E12, R-E13
    model = stirred()
    N = model.stages(words()).N
    affine = N @ (model.W_1 @ model.W_2) + model.w_1 @ model.W_2 + model.w_2
    written = (N @ model.W_1 + model.w_1) @ model.W_2 + model.w_2  # the feed-forward as the text has it
    assert largest(written - affine) == pytest.approx(0, abs=1e-10)
    # what the best affine map of N leaves of the program's, rows normalised without gain and offset: a part of the
    # variance
    N = F.layer_norm(normal(512, EXAMPLE.d, seed=1), (EXAMPLE.d,))
    target = N + torch.relu(N @ model.W_1 + model.w_1) @ model.W_2 + model.w_2
    inputs = torch.cat([N, torch.ones(len(N), 1, **F64)], 1)
    left = target - inputs @ torch.linalg.lstsq(inputs, target, driver="gelsd").solution
    assert (left**2).sum() / ((target - target.mean(0)) ** 2).sum() > 0.05
    counts, bare = [], []  # with and without the norms, which the summary leaves out
    for row in rows():
        sizes = {name: np.prod(shape) for name, shape in shapes(Sizes(*row[1:6])).items()}
        counts.append(sum(sizes.values()))
        bare.append(sum(size for name, size in sizes.items() if not name.startswith(("gamma", "beta"))))
    assert sum(int(mine) == row.learnables for mine, row in zip(bare, rows(), strict=True)) == 0
    least, most = record("R-E13.least", int(min(counts))), record("R-E13.most", int(max(counts)))
    assert (least, most, len(Sizes._fields)) == (630, 216_840, 5)
    assert {row.learnables for row in rows()} >= {630, 216_840}


def away(table: np.ndarray) -> np.ndarray:
    """The distance of each row from the mean of the others."""
    return np.array([np.linalg.norm(row - np.delete(table, i, 0).mean(0)) for i, row in enumerate(table)])


def test_the_run_read_the_last_row():  # R-E24
    printed = away(example()["P"])
    last = printed[-1]
    assert last > 4 * printed[:-1].max()
    assert last == pytest.approx(source_model.away(example()["P"])[-1])
    assert int((runs("places")["away"].argmax(1) == EXAMPLE.n - 1).sum()) == 16


def test_exchanged_time_and_batch_fail_or_mix():  # R-E26
    assert sum(row.n == BATCH for row in rows()) == 18
    wide = Sizes(4, 64, 8, 4, 16)
    with pytest.raises(ValueError, match=r"tokens must be of size 64"):
        SourceModel(wide)(words(wide, BATCH).T)


def changed_by(act) -> int:
    """How many learnables of the worked example's model differ once 20 batches were differentiated, `act(optimiser)`
    after each."""
    model = SourceModel(EXAMPLE, **F64)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
    before = [parameter.detach().clone() for parameter in model.parameters()]
    for seed in range(20):
        x = words(Sizes(4, 9, 4, 4, 16), BATCH, seed)
        optimiser.zero_grad()
        F.cross_entropy(model(x[:, :-1]), x[:, -1]).backward()
        act(optimiser)
    # Adam makes a step of 1e-14 out of a gradient of 1e-19, which is how the zero of w_k is rounded
    return sum(
        int(((now.detach() - old).abs() > 1e-9).sum()) for now, old in zip(model.parameters(), before, strict=True)
    )


def test_the_program_line_by_line():  # R9, R-E27; our loop is PyTorch's: tests/library/test_memoryless.py
    assert changed_by(lambda optimiser: None) == 0
    idle, silent_units = 8, 2
    updated = changed_by(lambda optimiser: optimiser.step())
    assert updated == 316 - idle - silent_units * (2 * 4 + 1)


def test_the_names_in_the_table_of_programs_exist():  # R9
    for name in ("embed", "stages", "last"):
        assert hasattr(SourceModel, name)
    assert hasattr(memoryless.Batches, "at") and hasattr(Ensemble, "differentiate") and hasattr(Ensemble, "step")
    assert (
        ModelSizes().published[0][-1] == rows()[0].learnables
        and set(shapes(EXAMPLE)) == dict(SourceModel(EXAMPLE).named_parameters()).keys()
    )


def learnables_at_length(n: int) -> int:
    return count(Sizes(v=2, n=n, d=8, m=4, r=16))


def test_the_count_depends_on_the_length(record):  # R-E28: rows of Table 3 with v = 2, d = 8, m = 4, r = 16
    printed = {row.n: row.learnables for row in rows() if (row.v, row.d, row.m, row.r) == (2, 8, 4, 16)}
    assert printed == {n: learnables_at_length(n) for n in (16, 32, 64, 128)}
    assert record("R-E28.fewest", learnables_at_length(16)) < record("R-E28.most", learnables_at_length(128))
    assert len(set(printed.values())) == 4
