"""Width and depth: the stored fits made again by another loop."""

import pytest
import torch

from course_lib.neurons import Network
from course_lib.results import load
from studies import width_and_depth as study
from tests.shared.seeded import F64, seeded

TABLE = load("width_and_depth")


def test_networks_compared_for_depth_have_nearly_as_many_numbers():
    numbers = [study.count(widths) for widths in study.DEPTHS]
    assert [len(widths) - 2 for widths in study.DEPTHS] == [1, 2, 3, 4] and max(numbers) < 1.05 * min(numbers)


@pytest.mark.parametrize(
    ("name", "seed", "steps"),
    [
        ("width 8", 0, 1000),
        ("width 256", 3, 100),
        ("width 2", 9, 300),
        ("width 64 | decay 0.001", 2, 100),
        ("width 8 | points 80", 5, 100),
        ("depth 3 | folded | 0.01", 1, 60),
    ],
)
def test_fits_made_again_one_by_one_have_the_stored_errors(name, seed, steps):
    """One network and PyTorch's own loop, where the command fits ten side by side."""
    fit = study.FITS[name]
    if steps not in fit.look:  # a long fit: the first steps of both ways
        stored = study.study(fit._replace(look=(steps,)))
        row = 0
    else:
        stored, row = TABLE["fits"][name], fit.look.index(steps)
    network = Network(fit.widths, fit.activation, generator=seeded(seed), **F64)
    x, y = study.points(fit, seed, "training")
    optimiser = torch.optim.Adam(network.parameters(), lr=fit.rate)
    for _ in range(steps):
        optimiser.zero_grad()
        weights = sum(parameter.square().sum() for key, parameter in network.named_parameters() if key.startswith("W"))
        (torch.nn.functional.mse_loss(network(x), y) + fit.decay * weights).backward()
        optimiser.step()
    for kind in ("training", "validation", "test"):
        places, wanted = study.points(fit, seed, kind)
        with torch.no_grad():
            assert torch.nn.functional.mse_loss(network(places), wanted).item() == pytest.approx(
                stored[kind][row][seed], rel=1e-2
            )
