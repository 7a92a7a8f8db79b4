"""What the Transformer's parts say when they are called wrongly, and that the shapes in signatures are true."""


import subprocess
import sys
from pathlib import Path

import pytest
import torch

from course_lib.attention import causal_mask
from course_lib.transformer import (
    Block,
    Decoder,
    DecoderBlock,
    Encoder,
    FeedForward,
    LayerNorm,
    LearnedPositions,
    sinusoidal,
)

d, m, h, r = 6, 2, 3, 10
X = torch.zeros(3, d)
ERRORS = [
    (lambda: sinusoidal(0, 4), "n must be an int > 0, got 0"),
    (lambda: sinusoidal(3, -4), "d must be an int > 0, got -4"),
    (lambda: sinusoidal(3, 5), r"d must be even \(each sine has its cosine\), got 5"),
    (lambda: sinusoidal(3, 4, base=0.0), r"base must be a finite number > 0, got 0\.0"),
    (lambda: LearnedPositions(0, 4), "longest must be an int > 0, got 0"),
    (lambda: LearnedPositions(4, d)(5), "n must be at most 4, the longest sequence this table knows, got 5"),
    (lambda: FeedForward(d, 0), "r must be an int > 0, got 0"),
    (lambda: FeedForward(4, 8)(X), r"x must be of size 4 \(the width d of this module\) on axis -1, got shape \[3, 6\]"),
    (lambda: FeedForward(d, r)(X / 0), "x must be finite in every entry, got 18 of 18 that are not"),
    (lambda: LayerNorm(0), "d must be an int > 0, got 0"),
    (lambda: LayerNorm(3, eps=-1.0), r"eps must be a finite number > 0, got -1\.0"),
    (lambda: Block(d, m, h, r, norm="first"), "norm must be one of 'pre', 'post', 'none', got 'first'"),
    (lambda: Block(d, m, h, r, dropout=1.0), r"dropout must be a probability, at least 0 and below 1, got 1\.0"),
    (lambda: Decoder(1, d, m, h, r, dropout=-0.5), r"dropout must be a probability, .*, got -0\.5"),
    (lambda: Encoder(1, d, m, h, r, dropout="0"), "dropout must be a finite number, got '0'"),
    (lambda: DecoderBlock(d, m, 0, r), "h must be an int > 0, got 0"),
    (lambda: Encoder(0, d, m, h, r), "layers must be an int > 0, got 0"),
    (lambda: Encoder(1, d, m, h, r)(X[0]), r"x must be an array \[..., tokens, d\] .*, got shape \[6\]"),
    (lambda: Encoder(1, d, m, h, r)(X, causal_mask(4)), r"mask must be broadcastable to shape \[3, 3\]"),
    (lambda: Decoder(1, d, m, h, r)(X, X[:, :2], None), r"memory must be of size 6 \(the width d of this module\)"),
    (lambda: Decoder(1, d, m, h, r)(X, X, None, X), "mask must be an array of bool"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), ERRORS)
def test_a_mistake_is_named(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()


def test_shapes_written_in_signatures_are_true():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-m", "tests.shared.signature_calls"], cwd=root, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
