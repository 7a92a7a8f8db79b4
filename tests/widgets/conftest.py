"""Widgets as a published page has them: their larger data in files, not in their state."""

import pytest

from course_lib.widgets import base


@pytest.fixture(autouse=True, scope="session")
def published(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(base.DATA_DIR, str(tmp_path_factory.mktemp("data")))
        yield
