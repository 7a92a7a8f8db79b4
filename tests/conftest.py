"""What tests share: one thread, property tests that give the same cases on every machine, the built book, a browser."""

import shutil
import sys
import threading
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from tests.optional import missing

torch.set_num_threads(1)
settings.register_profile("course", derandomize=True, deadline=None, print_blob=True, max_examples=40)
settings.load_profile("course")

# ------------------------------------------------------------------------------------------------ the built book
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "book" / "_ext")]
from tests.record import pytest_addoption, pytest_configure, pytest_sessionfinish, record  # noqa: E402, F401

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_CHROME = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
# Without these Chromium calls home at every start
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    """The folder of the built pages: built from nothing, warnings as errors."""
    from build import build

    return build(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="session")
def site(book):
    """The address of the built book, served on this machine."""
    from serve import server

    pages = server(book)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/"
    pages.shutdown()


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium from the system; without one the browser tests fail in CI and are skipped elsewhere."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), str(MAC_CHROME) if MAC_CHROME.exists() else None)
    if path is None:
        words = "no Chromium found: install the package chromium (or Google Chrome) to run the browser tests"
        missing(words)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield chromium
        chromium.close()
