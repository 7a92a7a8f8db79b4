"""Ways to run a page with code: Colab and Binder where the repository's address is known, JupyterLite where the site
carries it, and its notebook in plain Markdown for download. A lab says below its frame how to start it."""

import html
import os
from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform

from tools.book import launch
from tools.environments.lite import LABS
from tools.notebooks import first_cell
from tools.repository import ROOT, Repository

NOTEBOOKS = "_static/notebooks"
IN_THE_BROWSER = tuple(f"labs/{name}" for name in LABS)  # these run in JupyterLite


def buttons(page: str, repository: Repository, lite: bool) -> list[dict]:
    """Text, what it does (for a pointer's tip) and address of each button; addresses within the site start at its
    root."""
    notebook, found = f"{page}.ipynb", []
    if repository.known:
        found += [
            {
                "text": "Open in Colab",
                "tip": "Runs at Google, with an account there",
                "url": repository.colab(notebook),
            },
            {
                "text": "Open in Binder",
                "tip": "Runs at mybinder.org, without an account",
                "url": repository.binder(notebook),
            },
        ]
    if lite and page.startswith(IN_THE_BROWSER):
        inside = f"lite/open.html?path={Path(notebook).name}"
        found.append(
            {"text": "Run in the browser", "tip": "JupyterLite, inside this site: nothing to install", "site": inside}
        )
    return [
        *found,
        {
            "text": "Download notebook",
            "tip": "For Jupyter or VS Code",
            "site": f"{NOTEBOOKS}/{notebook}",
            "download": Path(notebook).name,
        },
    ]


def has_code(page: str) -> bool:
    return (ROOT / f"{page}.ipynb") in first_cell.stored()


def commands(repository: Repository) -> str:
    """What starts the labs on one's own machine, two lines of a shell."""
    if repository.known:
        return f"git clone {repository.address} && cd {repository.slug.split('/')[1]}\nmake lab"
    return "make env   # once: 3 to 5 minutes, 2 GB\nmake lab   # JupyterLab with all labs"


class StartLab(SphinxTransform):
    """Below a lab's frame: how one comes to write in it."""

    default_priority = 811

    def apply(self, **kwargs):
        docname = self.env.docname
        frame = next(iter(self.document.findall(nodes.admonition)), None)
        if not docname.startswith("labs/") or frame is None:
            return
        self.env.note_dependency(str(ROOT / "pyproject.toml"))
        repository, name = Repository.from_environment(), Path(docname).name
        link = lambda path, text: f'<a href="../{NOTEBOOKS}/labs/{path}{name}.ipynb" download>{text}</a>'
        hosted = " The menu <em>Run</em> above opens it in Colab or Binder." if repository.known else ""
        where = "with" if repository.known else "in the folder of the course (its repository), with"
        text = (
            '<details class="course-symbols-here"><summary>To write in this lab: how to start it</summary>\n'
            f"<p>Here you can read it; you write in its notebook.{hosted} On your own machine start it {where} "
            f"Python 3.11 to 3.13 and <code>make</code>:</p>"
            f"<pre><code>{html.escape(commands(repository))}</code></pre>"
            f"<p>Then open <code>labs/{name}.ipynb</code>; complete, it is <code>labs/solutions/{name}.ipynb</code>. "
            f"For another Jupyter with the package <code>course_lib</code>: {link('', 'the notebook')}, "
            f"{link('solutions/', 'its solution')}.</p></details>"
        )
        frame.parent.insert(frame.parent.index(frame) + 1, nodes.raw("", text, format="html"))


def drop_source(app, pagename, templatename, context, doctree):
    """The theme would offer the page's source: MyST, which other programs show raw. Printing stays."""
    for group in context.get("header_buttons", []):
        if group.get("label") == "download-buttons":
            group["buttons"] = [each for each in group["buttons"] if each["label"] == "download-pdf-button"]


def add_buttons(app, pagename, templatename, context, doctree):
    if has_code(pagename):
        made = buttons(pagename, Repository.from_environment(), os.environ.get("COURSE_LITE") == "1")
        context["course_launch"] = [
            each | {"url": each.get("url") or context["pathto"](each["site"], 1)} for each in made
        ]


def set_options(app, config):
    config.html_copy_source = False  # see drop_source: nothing leads there any more
    config.html_theme_options["article_header_end"] = ["launch-buttons.html"]  # it holds the theme's own


def write_notebooks(app, exception):
    if exception is None and app.builder.format == "html":
        launch.write(Path(app.outdir) / NOTEBOOKS, Repository.from_environment())


def setup(app):
    app.add_transform(StartLab)
    app.connect("config-inited", set_options, priority=900)
    app.connect(
        "html-page-context", add_buttons, priority=400
    )  # before the theme leaves out templates that come out empty
    app.connect("html-page-context", drop_source, priority=900)  # after the theme has made its buttons
    app.connect("build-finished", write_notebooks)
