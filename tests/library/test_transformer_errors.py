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
ERRORS = {
    "sinusoidal n": (lambda: sinusoidal(0, 4), "n must be an int > 0, got 0"),
    "sinusoidal d": (lambda: sinusoidal(3, -4), "d must be an int > 0, got -4"),
    "sinusoidal odd": (lambda: sinusoidal(3, 5), r"d must be even \(each sine has its cosine\), got 5"),
    "sinusoidal base": (lambda: sinusoidal(3, 4, base=0.0), r"base must be a finite number > 0, got 0\.0"),
    "longest": (lambda: LearnedPositions(0, 4), "longest must be an int > 0, got 0"),
    "too long": (lambda: LearnedPositions(4, d)(5), "n must be at most 4, the longest sequence this table knows, got 5"),
    "r": (lambda: FeedForward(d, 0), "r must be an int > 0, got 0"),
    "width": (lambda: FeedForward(4, 8)(X), r"x must be of size 4 \(the width d of this module\) on axis -1, got shape \[3, 6\]"),
    "nan": (lambda: FeedForward(d, r)(X / 0), "x must be finite in every entry, got 18 of 18 that are not"),
    "norm d": (lambda: LayerNorm(0), "d must be an int > 0, got 0"),
    "eps": (lambda: LayerNorm(3, eps=-1.0), r"eps must be a finite number > 0, got -1\.0"),
    "norm": (lambda: Block(d, m, h, r, norm="first"), "norm must be one of 'pre', 'post', 'none', got 'first'"),
    "dropout": (lambda: Block(d, m, h, r, dropout=1.0), r"dropout must be a probability, at least 0 and below 1, got 1\.0"),
    "dropout < 0": (lambda: Decoder(1, d, m, h, r, dropout=-0.5), r"dropout must be a probability, .*, got -0\.5"),
    "dropout text": (lambda: Encoder(1, d, m, h, r, dropout="0"), "dropout must be a finite number, got '0'"),
    "h": (lambda: DecoderBlock(d, m, 0, r), "h must be an int > 0, got 0"),
    "layers": (lambda: Encoder(0, d, m, h, r), "layers must be an int > 0, got 0"),
    "encoder x": (lambda: Encoder(1, d, m, h, r)(X[0]), r"x must be an array \[..., tokens, d\] .*, got shape \[6\]"),
    "encoder mask": (lambda: Encoder(1, d, m, h, r)(X, causal_mask(4)), r"mask must be broadcastable to shape \[3, 3\]"),
    "memory": (lambda: Decoder(1, d, m, h, r)(X, X[:, :2], None), r"memory must be of size 6 \(the width d of this module\)"),
    "memory mask": (lambda: Decoder(1, d, m, h, r)(X, X, None, X), "mask must be an array of bool"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_a_mistake_is_named(case):
    call, message = ERRORS[case]
    with pytest.raises(ValueError, match="^" + message):
        call()


def test_shapes_written_in_signatures_are_true():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-m", "tests.shared.signature_calls"], cwd=root, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
