"""A page of widgets alone, with the book's own host script: for browser tests of a widget apart from the chapters."""

import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTENSION = ROOT / "book" / "_ext"
STATE, VIEW = "application/vnd.jupyter.widget-state+json", "application/vnd.jupyter.widget-view+json"
DROPPED = ("layout", "tabbable", "tooltip", "comm")


def widget_page(folder: Path, widgets: list, title: str = "Widgets") -> Path:
    """Write folder/page.html with these widgets in order, and what it needs beside it; the path of the page."""
    sys.path.insert(0, str(EXTENSION))
    try:
        from course_book.live import deliver, slim
    finally:
        sys.path.remove(str(EXTENSION))
    static = folder / "_static"
    (static / "course").mkdir(parents=True, exist_ok=True)
    shutil.copy(EXTENSION / "course_book" / "static" / "host.js", static / "course")
    state = {}
    for i, widget in enumerate(widgets):
        traits = {name: value for name, value in widget.get_state().items() if name not in DROPPED}
        state[str(i)] = {"model_name": "AnyModel", "state": traits}
        for key, data in widget._data.items():
            deliver(static / "data", key, data.decode())
    slimmed = json.dumps(slim({"state": state}, static / "data")).replace("</", "<\\/")
    views = "\n".join(f'<script type="{VIEW}">{{"model_id": "{i}"}}</script>' for i in range(len(widgets)))
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title}</title><link rel="icon" href="data:,">'
        f"<style>body {{ font-family: sans-serif; max-width: 720px; margin: 1rem auto; padding: 0 .5rem }} "
        f"html[data-theme=dark] {{ background: #14181e; color: #e6e9ec }}</style>"
        f'<script src="_static/course/host.js" defer></script></head><body><main><h1>{title}</h1>\n{views}</main>'
        f'<script type="{STATE}">{slimmed}</script></body></html>',
        encoding="utf-8",
    )
    return page
