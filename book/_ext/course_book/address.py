"""What depends on the repository's public address: launch buttons, download paths and the 404 page's root."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

from repository import Repository


def set_address(app, config):
    """Without an address the launch buttons are left out: a button that leads nowhere is worse than none."""
    repository = Repository.from_pyproject(address=os.environ.get("COURSE_REPOSITORY"))
    options = config.html_theme_options
    options["launch_buttons"] = dict(options.get("launch_buttons") or {})
    if repository.known:
        options["repository_url"] = repository.address
        options["repository_branch"] = repository.branch
        options["use_repository_button"] = True
        options["launch_buttons"] |= {
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
        }
    config.notfound_urls_prefix = repository.pages_prefix
    config.notfound_template = "page.html"


def setup(app):
    app.connect("config-inited", set_address, priority=900)
