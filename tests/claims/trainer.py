"""The live trainer's numbers: the page's runs, made in PyTorch from the same seed, in float64."""

from functools import cache
from pathlib import Path

import numpy as np
import torch

from course_lib.checks import trusted
from course_lib.graphs.source_run import SourceRun, SourceSettings, transitions
from course_lib.sources import Markov, Memoryless

from . import claim

STATIC = Path(__file__).resolve().parents[2] / "course_lib" / "widgets" / "static"
UPDATES = 250
CHAIN = SourceSettings(p=(0.5, 0.5), stickiness=0.8)


@cache
def trained(settings: SourceSettings, updates: int = UPDATES) -> SourceRun:
    run = SourceRun(settings, torch.float64)
    with trusted():
        for _ in range(updates):
            run.step()
    return run


@claim("B2.start")
def excess_of_the_untrained_model() -> float:
    """Exact loss less H(p), nats."""
    return SourceRun(SourceSettings(), torch.float64).exact_loss() - Memoryless(SourceSettings().p).entropy_rate()


@claim("B2.excess", rtol=1e-2)
def excess_over_the_entropy() -> float:
    return trained(SourceSettings()).exact_loss() - Memoryless(SourceSettings().p).entropy_rate()


@claim("B2.averaged", rtol=1e-2)
def excess_of_the_averaged_model() -> float:
    return trained(SourceSettings()).exact_loss(averaged=True) - Memoryless(SourceSettings().p).entropy_rate()


@claim("B2.chain", rtol=1e-2)
def share_of_the_chains_memory_found() -> float:
    """How much of the way from H(π) down to the entropy rate the exact loss has gone."""
    chain = Markov(transitions(CHAIN))
    plateau, floor = chain.best_memoryless_loss(), chain.entropy_rate()
    return (plateau - trained(CHAIN).exact_loss()) / (plateau - floor)


@claim("B2.counting")
def counting_limit_of_two_tokens() -> float:
    """√N times the error, in probability, to expect of who counts N tokens of p = (3/4, 1/4): √(2 · 3/16 / π)."""
    return float(np.sqrt(2 / np.pi * 3 / 16))
