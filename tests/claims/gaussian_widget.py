"""The live Gaussian's numbers (widgets.GaussianAttention at its default cloud and heads), computed by course_lib.gaussian."""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from course_lib.gaussian import Gaussian, Heads, attend_particles, push
from course_lib.graphs.random import Generator
from course_lib.widgets import GaussianAttention

from . import claim


class Layer(NamedTuple):
    closed: Gaussian
    particles: np.ndarray
    effective: float


def heads_of(widget: GaussianAttention) -> Heads:
    S, M = np.swapaxes(widget.heads, 0, 1)
    eye = np.broadcast_to(np.eye(2), S.shape)
    return Heads(S, eye, M, eye, scale=widget.scale)


@cache
def one_layer() -> Layer:
    """500 particles with exactly the cloud's mean and covariance, seed 0, and the closed form, after one layer."""
    widget = GaussianAttention(n=500, matched=True)
    turn = math.radians(widget.angle)
    root = np.diag(widget.spread) @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    z = Generator(widget.seed).normal(2 * widget.n).reshape(-1, 2)
    z -= z.mean(0)
    z = np.linalg.solve(np.linalg.cholesky(z.T @ z / len(z)), z.T).T
    looked = attend_particles(np.array(widget.mean) + z @ root, heads_of(widget), step=widget.step)
    closed = push(Gaussian(np.array(widget.mean), widget.covariance), heads_of(widget), step=widget.step)
    return Layer(closed, looked.output, float(looked.effective.mean()))


@claim("B5.mean")
def error_of_the_mean_after_one_layer() -> float:
    """As a share of √trace Σ."""
    closed, particles, _ = one_layer()
    return float(np.linalg.norm(particles.mean(0) - closed.mean) / math.sqrt(np.trace(closed.covariance)))


@claim("B5.covariance")
def error_of_the_covariance_after_one_layer() -> float:
    """Frobenius, as a share of the size of Σ."""
    closed, particles, _ = one_layer()
    return float(np.linalg.norm(np.cov(particles.T, bias=True) - closed.covariance) / np.linalg.norm(closed.covariance))


@claim("B5.effective")
def effective_keys_after_one_layer() -> float:
    return one_layer().effective


@claim("B5.overflow")
def layer_at_which_float64_ends() -> int:
    """One head with W_Q W_Kᵀ = W_V W_O = I, ε = 1, from the default cloud."""
    eye = np.eye(2)
    widget = GaussianAttention(heads=[[eye, eye]], step=1.0)
    cloud, layer = Gaussian(np.array(widget.mean), widget.covariance), 0
    with np.errstate(over="ignore", invalid="ignore"):
        while True:
            layer += 1
            try:
                cloud = push(cloud, heads_of(widget), step=widget.step)
            except ValueError:  # an entry is not finite
                return layer
