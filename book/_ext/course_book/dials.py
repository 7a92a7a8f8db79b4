"""`{dials}`: a button in the text that sets a widget's dials.

    {dials}`Take the positions away <explorer.positions=none#explorer-widget>`

In the page it sets them in place and goes to the widget (static/host.js); opened elsewhere, or without scripts, it is a
link to the page with these settings. Dials that it does not name go back to the page's own.
"""

import html
import re

from docutils import nodes
from sphinx.util.docutils import SphinxRole

WRITTEN = re.compile(r"(.+?)\s*<((?:[\w-]+\.\w+=[^&#<>]+&?)+)#([\w-]+)>", re.S)


class Dials(SphinxRole):
    def run(self):
        found = WRITTEN.fullmatch(self.text)
        if not found:
            told = self.inliner.reporter.error(
                f"{{dials}} takes `words <widget.setting=value&…#label>`, not {self.text!r}", line=self.lineno
            )
            return [], [told]
        words, settings, label = (html.escape(part) for part in found.groups())
        return [nodes.raw("", f'<a class="course-dials" href="?{settings}#{label}">{words}</a>', format="html")], []


def setup(app):
    app.add_role("dials", Dials())
