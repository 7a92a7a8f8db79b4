"""What tests of labs share: the lab of their module's `TestLab`, and what it displays."""

import pytest

from tests.shared.lab_notebook import displayed, solved


@pytest.fixture(scope="module")
def lab(request):
    """The names of the solved lab."""
    with solved(request.module.TestLab.name, request.module.TestLab.left_out) as names:
        yield names


@pytest.fixture
def shown():
    """What the lab displays in this test."""
    with displayed() as seen:
        yield seen
