"""Ways to run a page with code: Colab and Binder where the repository's address is known, JupyterLite where the site carries it, and
its notebook in plain Markdown for download."""

import os
from pathlib import Path

from tools.book import launch
from tools.notebooks import first_cell
from tools.repository import ROOT, Repository

NOTEBOOKS = "_static/notebooks"
IN_THE_BROWSER = ("labs/05_", "labs/06_")  # NumPy only: these run in JupyterLite (tools/environments/lite.py)


def buttons(page: str, repository: Repository, lite: bool) -> list[dict]:
    """Text, what it does (for a pointer's tip) and address of each button; addresses within the site start at its root."""
    notebook, found = f"{page}.ipynb", []
    if repository.known:
        found += [
            {"text": "Open in Colab", "tip": "Runs at Google, with an account there", "url": repository.colab(notebook)},
            {"text": "Open in Binder", "tip": "Runs at mybinder.org, without an account", "url": repository.binder(notebook)},
        ]
    if lite and page.startswith(IN_THE_BROWSER):
        inside = f"lite/open.html?path={Path(notebook).name}"
        found.append({"text": "Run in the browser", "tip": "JupyterLite, inside this site: nothing to install", "site": inside})
    return [
        *found,
        {"text": "Download notebook", "tip": "For Jupyter or VS Code", "site": f"{NOTEBOOKS}/{notebook}", "download": Path(notebook).name},
    ]


def has_code(page: str) -> bool:
    return (ROOT / f"{page}.ipynb") in first_cell.stored()


def drop_source(app, pagename, templatename, context, doctree):
    """The theme would offer the page's source: MyST, which other programs show raw. Printing stays."""
    for group in context.get("header_buttons", []):
        if group.get("label") == "download-buttons":
            group["buttons"] = [each for each in group["buttons"] if each["label"] == "download-pdf-button"]


def add_buttons(app, pagename, templatename, context, doctree):
    if has_code(pagename):
        made = buttons(pagename, Repository.from_environment(), os.environ.get("COURSE_LITE") == "1")
        context["course_launch"] = [each | {"url": each.get("url") or context["pathto"](each["site"], 1)} for each in made]


def set_options(app, config):
    config.html_copy_source = False  # see drop_source: nothing leads there any more
    config.html_theme_options["article_header_end"] = ["launch-buttons.html"]  # it holds the theme's own


def write_notebooks(app, exception):
    if exception is None and app.builder.format == "html":
        launch.write(Path(app.outdir) / NOTEBOOKS, Repository.from_environment())


def setup(app):
    app.connect("config-inited", set_options, priority=900)
    app.connect("html-page-context", add_buttons, priority=400)  # before the theme leaves out templates that come out empty
    app.connect("html-page-context", drop_source, priority=900)  # after the theme has made its buttons
    app.connect("build-finished", write_notebooks)
