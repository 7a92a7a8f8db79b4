"""The bibliography as a list that a screen reader understands.

docutils puts role "doc-biblioentry" inside role "list": the first is deprecated, and the second wants list items.
"""

from docutils import nodes


def visit_citation(self, node):
    type(self).visit_citation(self, node)
    self.body[-1] = self.body[-1].replace('role="doc-biblioentry"', 'role="listitem"')


def depart_citation(self, node):
    type(self).depart_citation(self, node)


def setup(app):
    app.add_node(nodes.citation, override=True, html=(visit_citation, depart_citation))
