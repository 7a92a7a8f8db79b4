"""What a test does where something optional is missing: it fails in CI, and is skipped elsewhere with the words that
help."""

import os
from typing import NoReturn

import pytest


def missing(words: object) -> NoReturn:
    (pytest.fail if os.environ.get("CI") else pytest.skip)(str(words))
