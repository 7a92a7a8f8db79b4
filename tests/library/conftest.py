"""The two real models, where they are installed: several pages' tests read them."""

import pytest

from course_lib.pretrained.files import NotInstalled
from course_lib.pretrained.minilm import MiniLM
from course_lib.pretrained.smollm import SmolLM
from tests.shared.optional import missing


def loaded(model):
    try:
        return model.load()
    except NotInstalled as reason:
        missing(reason)


@pytest.fixture(scope="session")
def minilm():
    return loaded(MiniLM)


@pytest.fixture(scope="session")
def smollm():
    return loaded(SmolLM)
