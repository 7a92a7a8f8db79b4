"""“Report an error” at the foot of every page: the repository's form, filled in; without an address, a page that helps
to write it."""

from urllib.parse import urlencode

from markupsafe import Markup

from tools.notebooks import first_cell
from tools.repository import Repository

PAGE = "book/report"


def address(page: str, title: str, repository: Repository, report_page: str) -> str:
    """Where the link leads. Its `page` names the page; the script adds the section that is being read
    (static/report.js)."""
    if repository.known:
        return repository.error_report(
            title=f"Error: {title}", page=f"{repository.pages}{page}.html", version=first_cell.version()
        )
    own = "" if report_page == "#" else report_page  # what Sphinx calls a page on itself
    return f"{own}?{urlencode({'page': f'{page}.html', 'title': title, 'version': first_cell.version()})}"


def add_link(app, pagename, templatename, context, doctree):
    title = Markup(context.get("title", "")).striptags() or pagename
    context["course_report"] = address(pagename, title, Repository.from_environment(), context["pathto"](PAGE))


def set_options(app, config):
    options = config.html_theme_options
    options["footer_content_items"] = [
        "author.html",
        "copyright.html",
        "last-updated.html",
        "extra-footer.html",
        "report-error.html",
    ]


def setup(app):
    app.connect("config-inited", set_options, priority=900)
    app.connect(
        "html-page-context", add_link, priority=400
    )  # before the theme leaves out templates that come out empty
    app.add_js_file("course/report.js", loading_method="defer")
