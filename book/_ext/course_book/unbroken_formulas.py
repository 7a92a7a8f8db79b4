"""A formula in a line of text keeps the punctuation beside it: no line begins with the full stop after a formula.

KaTeX makes a formula of boxes, and a browser may break a line between a box and anything, even a full stop. So a
formula and what touches it stand in a span that does not break, while the formula inside still may (static/course.css).
Where it may, behind its relations and operations, the punctuation goes into its last box.
"""

import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

AFTER = re.compile(r"[.,;:!?)\]”’]+")
BEFORE = re.compile(r"[(\[“‘]+$")
GROUP = re.compile(r"\\left.*\\right|\{[^{}]*\}", re.S)
BREAKS = re.compile(  # what KaTeX ends a box with: relations and binary operations
    r"[=<>+\-*:]|\\(?:[lg]eq?|ll|gg|neq?|lt|gt|(?:not)?in|to|mapsto|(?:long)?(?:right|left)arrow|gets|Rightarrow|iff|"
    r"implies|approx|sim|simeq|equiv|propto|sub(?:set|seteq)|cup|cap|cdot|times|pm|mp|odot|oplus|otimes|circ|diamond|"
    r"rightharpoonup|ast|mid|parallel|perp|wedge|vee|setminus)(?![A-Za-z])"
)


class KeepTogether(SphinxTransform):
    default_priority = 820  # after symbols.py, which asks where a formula stands

    def apply(self, **kwargs):
        for formula in list(self.document.findall(nodes.math)):
            if isinstance(formula.parent, nodes.paragraph):
                keep(formula)


def breaks(tex: str) -> bool:
    """Whether a line may end within this formula: not in a group in braces, nor between \\left and \\right."""
    tex = re.sub(r"\\[{}]", "", tex)  # braces that are written
    while (outer := GROUP.sub("", tex)) != tex:
        tex = outer
    return BREAKS.search(tex) is not None


def keep(formula: nodes.math) -> None:
    """Put the formula into a span with the punctuation that touches it, if there is any."""
    parent, at = formula.parent, formula.parent.index(formula)
    left = parent[at - 1] if at and isinstance(parent[at - 1], nodes.Text) else ""
    right = parent[at + 1] if at + 1 < len(parent) and isinstance(parent[at + 1], nodes.Text) else ""
    opening, closing = BEFORE.search(left), AFTER.match(right)
    if not opening and not closing:
        return
    before, after = opening.group() if opening else "", closing.group() if closing else ""
    taken = len(after)
    if after and set(after) <= set(".,;:!?") and breaks(formula.astext()):
        formula[:], after = [nodes.Text(f"{formula.astext()}\\text{{{after}}}")], ""
    span = nodes.inline(classes=["course-together"])
    first, last = at - bool(left), at + bool(right)
    texts = [left[: len(left) - len(before)], right[taken:]]
    parts = [nodes.Text(texts[0])] * bool(texts[0]) + [span] + [nodes.Text(texts[1])] * bool(texts[1])
    parent[first : last + 1] = parts
    span += [node for node in (before and nodes.Text(before), formula, after and nodes.Text(after)) if node]


def setup(app):
    app.add_transform(KeepTogether)
