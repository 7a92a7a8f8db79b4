"""A page of widgets alone, with the book's own host script: for browser tests of a widget apart from the chapters."""

import json
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

from course_book.live import deliver, slim

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "book" / "_ext"
STATE, VIEW = "application/vnd.jupyter.widget-state+json", "application/vnd.jupyter.widget-view+json"
DROPPED = ("layout", "tabbable", "tooltip", "comm", "data")


def widget_page(folder: Path, widgets: list, title: str = "Widgets") -> Path:
    """Write folder/page.html with these widgets in order, and what it needs beside it; the path of the page."""
    states = [{name: value for name, value in widget.get_state().items() if name not in DROPPED} for widget in widgets]
    data = {key: blob.decode() for widget in widgets for key, blob in widget._data.items()}
    return page_of(folder, states, data, title)


@contextmanager
def served(folders, widgets: list):
    """The address of a served page with these widgets; `folders` is pytest's tmp_path_factory."""
    from tools.book.serve import server

    folder = folders.mktemp("widgets")
    widget_page(folder, widgets)
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def page_of(folder: Path, states: list[dict], data: dict[str, str], title: str = "Widgets") -> Path:
    """The same of widgets' states and the text of their data by key."""
    static = folder / "_static"
    (static / "course").mkdir(parents=True, exist_ok=True)
    shutil.copy(EXTENSION / "course_book" / "static" / "host.js", static / "course")
    for key, text in data.items():
        deliver(static / "data", key, text)
    state = {str(i): {"model_name": "AnyModel", "state": dict(traits)} for i, traits in enumerate(states)}
    slimmed = json.dumps(slim({"state": state}, static / "data")).replace("</", "<\\/")
    views = "\n".join(f'<script type="{VIEW}">{{"model_id": "{i}"}}</script>' for i in range(len(states)))
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width, initial-scale=1">'
        f'<title>{title}</title><link rel="icon" href="data:,">'
        f"<style>body {{ font-family: sans-serif; max-width: 720px; margin: 1rem auto; padding: 0 .5rem }} "
        f"html[data-theme=dark] {{ background: #14181e; color: #e6e9ec }}</style>"
        f'<script src="_static/course/host.js" defer></script></head><body><main><h1>{title}</h1>\n{views}</main>'
        f'<script type="{STATE}">{slimmed}</script></body></html>',
        encoding="utf-8",
    )
    return page
