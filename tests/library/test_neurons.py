"""Neurons, layers, networks: values and gradients against nn.Linear and autograd; activations against PyTorch's own."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.neurons import ACTIVATIONS, Network, collapse, count, layer
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded

PYTORCH = {
    "identity": lambda z: z,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": F.relu,
    "leaky relu": lambda z: F.leaky_relu(z, 0.01),
    "gelu": F.gelu,
}
by_name = pytest.mark.parametrize("name", PYTORCH)


@by_name
def test_an_activation_is_pytorchs_and_its_slope_autograds(name):
    z = torch.cat([torch.linspace(-8, 8, 4001, **F64), torch.zeros(1, **F64)]).requires_grad_()
    f, slope, steepest = ACTIVATIONS[name]
    torch.testing.assert_close(f(z), PYTORCH[name](z), rtol=0, atol=1e-14)
    (expected,) = torch.autograd.grad(PYTORCH[name](z).sum(), z)
    torch.testing.assert_close(slope(z), expected.detach(), rtol=0, atol=1e-13, check_dtype=True)
    assert slope(z).abs().max().item() == pytest.approx(steepest, abs=1e-5)
    assert slope(z).abs().max().item() <= steepest + 1e-12


def test_the_step_is_flat_on_both_sides():
    z = torch.tensor([-2.0, -1e-9, 0.0, 1e-9, 2.0], **F64)
    step = ACTIVATIONS["step"]
    assert step.f(z).tolist() == [0, 0, 0, 1, 1] and not step.slope(z).any()


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_activation_keeps_the_dtype(name, dtype):
    z = torch.linspace(-1, 1, 5, dtype=dtype)
    assert ACTIVATIONS[name].f(z).dtype == ACTIVATIONS[name].slope(z).dtype == dtype


def test_layers_side_by_side_are_the_layers_one_by_one():
    X, W, b = normal(5, 4, 3), normal(5, 3, 2, seed=1), normal(5, 1, 2, seed=2)
    Y = layer(X, W, b, "tanh")
    for k in range(5):
        torch.testing.assert_close(Y[k], layer(X[k], W[k], b[k, 0], "tanh"))


@by_name
def test_a_network_and_its_gradients_are_those_of_linear_layers(name):
    ours = Network((3, 5, 4, 2), name, generator=seeded(3), **F64)
    linears = [nn.Linear(d, r, **F64) for d, r in ((3, 5), (5, 4), (4, 2))]
    with torch.no_grad():
        for theirs, W, b in zip(linears, ours.W, ours.b, strict=True):
            theirs.weight.copy_(W.T)
            theirs.bias.copy_(b)
    X, target = normal(6, 3), normal(6, 2, seed=1)
    expected = [PYTORCH[name](linears[0](X))]
    expected.append(PYTORCH[name](linears[1](expected[0])))
    expected.append(linears[2](expected[1]))
    for state, other in zip(ours.states(X), expected, strict=True):
        torch.testing.assert_close(state, other, rtol=0, atol=1e-12)
    (ours(X) - target).square().mean().backward()
    (expected[-1] - target).square().mean().backward()
    for theirs, W, b in zip(linears, ours.W, ours.b, strict=True):
        torch.testing.assert_close(W.grad, theirs.weight.grad.T, rtol=0, atol=1e-12)
        torch.testing.assert_close(b.grad, theirs.bias.grad, rtol=0, atol=1e-12)


def test_a_network_is_drawn_from_its_generator_within_its_bounds():
    one, two = (Network((4, 100, 1), generator=seeded(7)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    for W, b, bound in zip(one.W, one.b, (0.5, 0.1), strict=True):
        assert W.abs().max() <= bound and b.abs().max() <= bound and W.abs().max() > 0.9 * bound
    assert not torch.equal(one.W[0], Network((4, 100, 1), generator=seeded(8)).W[0])


@pytest.mark.parametrize("widths", [(1, 1), (3, 5, 2), (1, 14, 13, 13, 1)])
def test_numbers_are_counted(widths):
    assert count(widths) == sum(parameter.numel() for parameter in Network(widths).parameters())


@pytest.mark.parametrize("widths", [(3, 2), (3, 5, 2), (3, 1, 4, 2)])
def test_without_activation_a_network_is_one_affine_map(widths):
    network, X = Network(widths, "identity", **F64), normal(9, 3)
    W, b = collapse(network)
    assert W.shape == (3, 2) and b.shape == (2,)
    torch.testing.assert_close(X @ W + b, network(X), rtol=0, atol=1e-13)
    assert torch.linalg.matrix_rank(W) <= min(widths)


test_errors_name_the_argument = named(
    (lambda: Network((3,)), "widths must be two ints > 0 or more"),
    (lambda: layer(normal(4, 3), normal(2, 3), normal(3)),
    "W must be of size 3 .the width d of X. on axis -2, got shape"),
    (lambda: collapse(Network((3, 2, 1), "tanh")), "network must be without activation"),
)  # fmt: skip
