"""nbval compares a plotly figure by value: decoded and rounded, not byte for byte. (Text is compared strictly.)

Pages that read a real model are skipped whole where the model is not installed; in CI they fail.
"""

import base64
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from course_lib.pretrained.files import INSTALL, PACKAGES, installed

try:
    import nbval.plugin as nbval
except ImportError:  # the unit tests run without it
    nbval = None

DIGITS = 3


def rounded(value):
    """JSON with plotly's binary arrays decoded, numbers rounded and random ids dropped."""
    if isinstance(value, dict):
        if {"bdata", "dtype"} <= value.keys():
            array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=np.dtype(value["dtype"]))
            return rounded(array.tolist())
        return {key: rounded(each) for key, each in value.items() if key != "uid"}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value


if nbval is not None:
    sanitize_text = nbval.IPyNbCell.sanitize
    nbval.IPyNbCell.sanitize = lambda cell, output: (
        rounded(output) if isinstance(output, dict) else sanitize_text(cell, output)
    )


def pytest_configure(config):
    """Kernels that nbval starts hold every exercise of their page to its word."""
    if getattr(config.option, "nbval", False):
        os.environ["PYTHONSTARTUP"] = str(Path(__file__).parent / "tests" / "kernel_start.py")


def pytest_collection_modifyitems(items):
    """A page reads a real model if it imports `course_lib.pretrained`."""
    if os.environ.get("CI") or installed(*PACKAGES):
        return
    reads_a_model = cache(lambda path: "course_lib.pretrained" in path.read_text(encoding="utf-8"))
    for item in items:
        if item.path.suffix == ".ipynb" and reads_a_model(item.path):
            item.add_marker(pytest.mark.skip(reason=f"the real models are not installed: {INSTALL}"))
