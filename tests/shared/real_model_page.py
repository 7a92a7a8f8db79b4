"""A page with nothing but the real model's engine, as `engine`: for its browser tests and its benchmark."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from course_lib.widgets.base import bundle
from tools.book.serve import server

PAGE = """<!doctype html><meta charset="utf-8"><title>engine</title><link rel="icon" href="data:,"><script>
globalThis.__course = {{ root: new URL("_static/", location.href).href }};
globalThis.__course_models = {offered};
const worker = {worker};
const ready = import(URL.createObjectURL(new Blob([{bundle}], {{ type: "text/javascript" }}))).then((engine) => {{
  globalThis.engine = engine; }});
</script>"""


def write_page(folder: Path, offered: dict[str, Any]) -> Path:
    """folder/page.html, which finds its models in folder/_static/models."""
    given = {"offered": offered, "worker": bundle("real_model", "worker.js"), "bundle": bundle("real_model", "js")}
    page = folder / "page.html"
    text = {name: json.dumps(value).replace("</", "<\\/") for name, value in given.items()}
    page.write_text(PAGE.format(**text), encoding="utf-8")
    return page


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the folder on this machine."""
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/"
    pages.shutdown()
