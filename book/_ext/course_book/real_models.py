"""COURSE_MODELS=1: the parts of two real models beside the pages, and a line in the script of every live page that says
so.

Without it the book is built as ever, and the page that opens a real model shows its stored run. The parts, 143 MB, are
written by tools/page/real_models.py; a page fetches them when its reader asks for them, and not before.
"""

import json
import os
from pathlib import Path

from sphinx.errors import ConfigError

ASKED = "COURSE_MODELS"


def write(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    from course_lib.pretrained.files import NotInstalled  # with PyTorch, which no other build needs
    from tools.page import real_models

    static = Path(app.outdir) / "_static"
    try:
        offered = real_models.write(static)
    except NotInstalled as error:
        raise ConfigError(f"{ASKED}=1 asks for the real models: {error}") from None
    with (static / "course" / "host.js").open("a", encoding="utf-8") as script:
        script.write(f"globalThis.__course_models = {json.dumps(offered)};\n")


def setup(app):
    if os.environ.get(ASKED) == "1":
        app.connect("build-finished", write, priority=900)  # host.js is copied before
