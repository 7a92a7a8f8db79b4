"""What the Transformer's parts say when they are called wrongly, and that the shapes in signatures are true."""

import subprocess
import sys
from pathlib import Path

from course_lib.transformer import (
    Block,
    LearnedPositions,
    sinusoidal,
)
from tests.shared.refusals import named

d, m, h, r = 6, 2, 3, 10
test_a_mistake_is_named = named(
    (lambda: sinusoidal(3, 5), r"d must be even \(each sine has its cosine\), got 5"),
    (lambda: LearnedPositions(4, d)(5), "n must be at most 4, the longest sequence this table knows, got 5"),
    (lambda: Block(d, m, h, r, dropout=1.0), r"dropout must be a probability, at least 0 and below 1, got 1\.0"),
    begin="^",
)  # fmt: skip


def test_shapes_written_in_signatures_are_true():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-m", "tests.shared.signature_calls"], cwd=root, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
