"""What depends on the repository's public address: the button that leads there, and the missing page, whose links begin
at the site's root."""

from tools.repository import Repository

LOST = """<h1>Page not found</h1>
<p>Nothing stands at this address. It may have a letter too many or too few, or come from a version of the course to \
come.</p>
<form class="course-lost" role="search" action="{root}search.html">
<label for="lost-words">Search the course</label>
<input type="search" id="lost-words" name="q" autocomplete="off" spellcheck="false"> <button \
type="submit">Search</button>
</form>
<p>Or begin at the <a href="{root}book/index.html">title page</a>, or with <a href="{root}book/live.html">all live \
figures</a>.</p>"""


def set_address(app, config):
    """Without an address the button is left out: one that leads nowhere is worse than none."""
    repository = Repository.from_environment()
    options = config.html_theme_options
    if repository.known:
        options["repository_url"] = repository.address
        options["repository_branch"] = repository.branch
        options["use_repository_button"] = True
        config.html_baseurl = repository.pages
    config.notfound_urls_prefix = repository.pages_prefix
    config.notfound_template = "page.html"
    config.notfound_context = {"title": "Page not found", "body": LOST.format(root=repository.pages_prefix)}


def setup(app):
    app.connect("config-inited", set_address, priority=900)
