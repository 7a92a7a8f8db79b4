"""Plotly figures in a static page: the stored JSON, a text alternative, and one shared plotly.js.

ipykernel stores a plotly 7 figure only as `application/vnd.plotly.v1+json`, which myst-nb does not know. The figure is
written into the page as JSON; static/figures.js draws it when it comes near. The text alternative is the figure's own
`layout.meta.description`, which course_lib.plots requires.
"""

import html
import json

import myst_nb.core.render as nb_render
from docutils import nodes

MIME = "application/vnd.plotly.v1+json"
DEFAULT_HEIGHT = 420


def figure_html(figure: dict) -> str:
    """The HTML of one figure: a <figure> with its description, and its JSON for the script."""
    kept = {key: figure[key] for key in ("data", "layout", "frames") if figure.get(key)}
    # in the page the title is text of the page, and leaves no room in the picture: it wraps on a phone, where plotly's
    # would run into the legend
    layout = dict(kept.get("layout", {}))
    title = (layout.pop("title", None) or {}).get("text", "")
    if title:
        layout["margin"] = (layout.get("margin") or {}) | {"t": 28 if layout.get("annotations") else 12}
    kept["layout"] = layout
    description = (layout.get("meta") or {}).get("description", "")
    body = json.dumps(kept, separators=(",", ":")).replace("</", "<\\/")
    height = int(layout.get("height") or DEFAULT_HEIGHT)
    heading = f"<strong>{html.escape(title)}.</strong> " if title else ""
    caption = f"<figcaption>{heading}{html.escape(description)}</figcaption>" if description else ""
    return (
        f'<figure class="course-figure"><div class="course-plotly" style="min-height:{height}px">'
        f'<script type="{MIME}">{body}</script></div>{caption}</figure>'
    )


class PlotlyMime:
    """myst-nb's hook for one mime type, for the HTML builders."""

    mime_priority_overrides = tuple((builder, MIME, 5) for builder in ("html", "dirhtml", "singlehtml"))

    @staticmethod
    def handle_mime(renderer, data, inline):
        if data.mime_type != MIME or inline:
            return None
        return [nodes.raw("", figure_html(data.content), format="html")]


def setup(app):
    # myst-nb finds such hooks through package entry points only; this extension is not an installed package
    found = nb_render.load_mime_renders
    nb_render.load_mime_renders = lambda: [PlotlyMime, *found()]
    app.add_js_file("course/figures.js", defer="defer")
