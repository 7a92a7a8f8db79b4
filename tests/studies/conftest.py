"""The language model that several studies open."""

import pytest

from course_lib.pretrained.files import NotInstalled
from studies.fact_probe import language_model
from tests.shared.optional import missing


@pytest.fixture(scope="session")
def model():
    try:
        return language_model()
    except NotInstalled as reason:
        missing(reason)
