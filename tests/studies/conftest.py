"""A place for the tables of a toy study, and the language model that several studies open."""

import pytest

from course_lib import results
from course_lib.pretrained.files import NotInstalled
from studies.fact_probe import language_model
from tests.shared.optional import missing


@pytest.fixture(scope="session")
def model():
    try:
        return language_model()
    except NotInstalled as reason:
        missing(reason)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A place of its own for tables, and for working files."""
    here = tmp_path / "course_lib" / "results"
    here.mkdir(parents=True)
    monkeypatch.setattr(results, "HERE", here)
    return here
