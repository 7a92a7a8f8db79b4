"""Widgets alive in a static page, with no kernel.

myst-nb writes every widget's state into the page, the code of its front end (`_esm`, `_css`) included, once an
instance.
Here the code is moved out: `_static/data/<key>.js` holds it once for the whole book, named by its content, and the
state keeps the key; its style is in the same file, so that a front end costs one request. The same folder holds the
data that widgets ask for by key. A script tag loads them, so that a page opened from a folder (`file://`, where `fetch`
and `import` are forbidden) works like a served one.
"""

import gzip
import hashlib
import json
import re
from functools import cache
from pathlib import Path

HEAVY = 150_000  # gzipped bytes of data from which on a widget waits until it comes near the screen
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = re.compile(r'<script type="application/vnd\.jupyter\.widget-view\+json">\s*(\{[^<]*\})\s*</script>')


def content_key(data: bytes) -> str:
    """The name of a blob: the first 16 hexadecimal digits of its SHA-256, as in course_lib.widgets."""
    return hashlib.sha256(data).hexdigest()[:16]


def deliver(folder: Path, key: str, text: str, *before: str) -> None:
    """Write `<key>.js`, which hands the text to the page when a script tag loads it, and other texts before it, each by
    its own key."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {content_key(each.encode()): each for each in before} | {key: text}
    calls = [f"__course.deliver({json.dumps(name)},{json.dumps(each)})" for name, each in texts.items()]
    (folder / f"{key}.js").write_text(";".join(calls), encoding="utf-8")


def slim(state: dict, folder: Path) -> dict:
    """The page's widget state with each front end replaced by its key, the code delivered into `folder`."""
    for model in state["state"].values():
        named = {name: model["state"][name] for name in ("_css", "_esm") if model["state"].get(name)}
        if named:
            *before, code = named.values()
            deliver(folder, content_key(code.encode()), code, *before)
            model["state"] |= {name: f"course:{content_key(text.encode())}" for name, text in named.items()}
    return state


@cache
def gzipped(path: Path) -> int:
    """The size of a stored blob as a server sends it."""
    return len(gzip.compress(path.read_bytes(), 6, mtime=0)) if path.exists() else 0


def weigh(state: dict, blobs: Path) -> dict:
    """The page's widget state with `heavy` set where a widget names more than HEAVY bytes of data."""
    for model in state["state"].values():
        keys = model["state"].get("data_keys") or {}
        if sum(gzipped(blobs / f"{key}.json") for key in keys.values()) > HEAVY:
            model["state"]["heavy"] = True
    return state


@cache
def room(path: Path, name: str) -> str:
    """The style of a widget's box that tells course.css how high the widget will be."""
    wide, narrow = json.loads(path.read_text(encoding="utf-8")).get(name, (None, None))
    return f' style="--wide:{wide}px;--narrow:{narrow}px"' if wide else ""


def placed(body: str, state: dict, heights: Path) -> str:
    """The page with an empty box behind each widget's mark, so that course.css can keep room for it from the first
    paint on."""

    def box(match):
        model = state["state"].get(json.loads(match[1])["model_id"], {"state": {}})["state"]
        name = model.get("_anywidget_id", "").split(".")[-1]
        waits = "near" if model.get("heavy") else "code"
        asked = (
            model.get("spec", {}).get("id", "") if name == "PredictionWidget" else ""
        )  # evidence.js covers before a widget is there
        mark = f' data-prediction="{asked}"' if asked else ""
        return (
            (
                f'{match[0]}<div class="course-widget" data-widget="{name}" '
                f'data-waits="{waits}"{mark}{room(heights, name)}></div>'
            )
            if name
            else match[0]
        )

    return VIEW.sub(box, body)


def page(app, pagename, templatename, context, doctree):
    folder, data = Path(app.outdir) / "_static" / "data", Path(app.srcdir) / "book" / "data"
    for script in context.get("script_files", []):
        attributes = getattr(script, "attributes", None) or {}
        if attributes.get("type") == STATE and "body" in attributes:
            slimmed = weigh(slim(json.loads(attributes["body"]), folder), data / "widgets")
            context["body"] = placed(context.get("body", ""), slimmed, data / "heights.json")
            attributes["body"] = json.dumps(slimmed, separators=(",", ":")).replace("</", "<\\/")


def deliver_data(app, exception):
    """Publish the widget data that the notebooks collected."""
    if exception is None and app.builder.format == "html":
        for blob in sorted((Path(app.srcdir) / "book" / "data" / "widgets").glob("*.json")):
            deliver(Path(app.outdir) / "_static" / "data", blob.stem, blob.read_text(encoding="utf-8"))


def setup(app):
    app.connect("html-page-context", page, priority=900)
    app.connect("build-finished", deliver_data)
    app.add_js_file("course/host.js", defer="defer")
