"""What tests share: one thread, property tests that give the same cases on every machine, the built book, a browser."""

import os
import threading
from pathlib import Path

import pytest
import torch
from filelock import FileLock
from hypothesis import settings

from tests.shared.optional import missing

torch.set_num_threads(1)
settings.register_profile("course", derandomize=True, deadline=None, print_blob=True, max_examples=40)
settings.load_profile("course")

# ---- the built book
ROOT = Path(__file__).resolve().parents[1]
pytest_plugins = ["tests.shared.record"]


def pytest_addoption(parser):
    parser.addoption(
        "--book", type=Path, help="the folder of the built pages; without it they are built, once for all workers"
    )


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    """A test that asks for the built book or for a browser is marked as such. Those for a browser have one room: their
    stage looks nowhere else."""
    for item in items:
        for name in ("book", "browser"):
            if name in item.fixturenames:
                item.add_marker(name)
        if "browser" in item.fixturenames and ROOT / "tests/browser" not in item.path.parents:
            raise pytest.UsageError(f"{item.nodeid} needs a browser: its file belongs into tests/browser")


@pytest.fixture(scope="session")
def book(request, tmp_path_factory):
    """The folder of the built pages: built from nothing, warnings as errors."""
    from tools.book.build import build

    if given := request.config.getoption("book"):
        return given
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent  # each worker has a folder of its own in it
    with FileLock(shared / "book.lock"):
        if (shared / "book").exists():
            return shared / "book" / "_build" / "html"
        pages = build(shared / "book.part")
        (shared / "book.part").rename(shared / "book")
        return shared / "book" / pages.relative_to(shared / "book.part")


@pytest.fixture(scope="session")
def site(book):
    """The address of the built book, served on this machine."""
    from tools.book.serve import server

    pages = server(book)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/"
    pages.shutdown()


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium from the system; without one the browser tests fail in CI and are skipped elsewhere."""
    from playwright.sync_api import expect, sync_playwright

    from tests.shared.pages import HANG
    from tools.book.printing import QUIET, chromium_path

    expect.set_options(timeout=HANG)
    try:
        path = chromium_path()
    except FileNotFoundError as reason:
        missing(str(reason))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield chromium
        chromium.close()
