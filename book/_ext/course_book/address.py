"""What depends on the repository's public address: the button that leads there and the 404 page's root."""


from tools.repository import Repository


def set_address(app, config):
    """Without an address the button is left out: one that leads nowhere is worse than none."""
    repository = Repository.from_environment()
    options = config.html_theme_options
    if repository.known:
        options["repository_url"] = repository.address
        options["repository_branch"] = repository.branch
        options["use_repository_button"] = True
    config.notfound_urls_prefix = repository.pages_prefix
    config.notfound_template = "page.html"


def setup(app):
    app.connect("config-inited", set_address, priority=900)
