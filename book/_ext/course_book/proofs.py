"""Theorems and proofs: numbered by chapter and page (the second of chapter 3, page 4, is 3.4.2, whether theorem or
definition), and without the id that sphinx-proof gives to each one's content: an id stands for one place of a page.
"""

from collections import defaultdict

from tools.book.crossrefs import place


def number(app, env) -> list[str]:
    """Sphinx counts each kind through the whole book: a new theorem would rename all that follow."""
    count = defaultdict(int)
    for label, proof in getattr(env, "proof_list", {}).items():
        docname, numbers = proof["docname"], env.toc_fignumbers.get(proof["docname"], {}).get(proof["countertype"], {})
        if label in numbers:
            count[docname] += 1
            numbers[label] = (*place(docname), count[docname])
    return []


def page(app, pagename, templatename, context, doctree):
    if "body" in context:
        context["body"] = context["body"].replace(' id="proof-content"', "")


def setup(app):
    app.connect("env-get-updated", number, priority=900)  # after Sphinx has counted
    app.connect("html-page-context", page)
