"""Every exercise of the book, as the pages show it: read from the notebooks' stored widget states, in the order of the
page.

`parts` finds them, `alone` says which of them can be asked again on another page: not those whose question speaks of
its own page in words that ELSEWHERE knows, and not those of BY_HAND, which somebody who read their page a month ago
could not understand from their text alone: they are about an example, a model, a table or a notation of it.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docutils.nodes import make_id

from tools.book import contents

STATE = "application/vnd.jupyter.widget-state+json"

VIEW = "application/vnd.jupyter.widget-view+json"
PREDICTED = {"choose", "number", "order", "curve"}  # the kinds of a prediction, which is no exercise
OUTSIDE = (
    "Start",
    "Labs",
)  # a first trial, and what needs its notebook: they count as progress and are not asked again
ELSEWHERE = re.compile(
    r"\babove\b(?! (?:the floor|H\())|\bthis page\b|\bfigure\b|\bthe widget\b|\bthe theorem\b|\bbefore you "
    r"(?:try|read)\b"
    r"|\bours?\b|\blemma\b|\bthe published\b|\bthe experiment\b|\bprinted program\b",
    re.I,
)
BY_HAND = """
recurrence-gru-step recurrence-silent sequence-fluent bottleneck-middle seven-hull seven-context align-lot \
journey-prefix embeddings-senses-control
positions-dot explorer-parameters explorer-recall abl-flops abl-energy abl-heads abl-row-e source-below-floor \
model-count model-no-mask
model-which-row worked-lost worked-first-norm training-key-bias tables-p-values tables-better-shape markov-information \
markov-hidden-last markov-zero
markov-uniform context-circ context-diamond context-order-derivative universality-mask-needs universality-layers \
universality-half monico-correct
monico-order check-needed iteration-doubling iteration-flat student-when-finished
"""
HEADING = re.compile(r"(?:^\(([\w-]+)\)=\n)?^(#{1,6}) +(.+)$", re.M)
FENCE = re.compile(r"^(```+|:::+).*?^\1\s*$", re.M | re.S)


class Question(NamedTuple):
    id: str
    anchor: str  # of the section in which it stands
    spec: dict


class Page(NamedTuple):
    path: str  # below the root, without suffix
    title: str
    questions: list[Question]
    predictions: list[Question]


def page(root: Path, path: str) -> Page:
    """The page's exercises. ValueError where the notebook has no title."""
    notebook = contents.notebook(path, root)
    state = notebook["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    title, anchor, questions, predictions, seen = "", "", [], [], set()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for label, level, text in HEADING.findall(FENCE.sub("", "".join(cell["source"]))):
                title = title or (text if level == "#" else "")
                anchor = make_id(label or text)
        for output in cell.get("outputs", []):
            model = output.get("data", {}).get(VIEW, {}).get("model_id")
            spec = state.get(model, {}).get("state", {}).get("spec")
            if spec and spec["id"] not in seen:
                seen.add(spec["id"])
                (predictions if spec.get("kind") in PREDICTED else questions).append(Question(spec["id"], anchor, spec))
    if not title:
        raise ValueError(f"{path}.ipynb has no title: a line that begins with '# '")
    return Page(path, title, questions, predictions)


@cache
def parts(root: Path) -> dict[str, list[Page]]:
    """Caption of a part of the table of contents → its pages that have exercises, in order."""
    found = {
        caption: [
            each for each in (page(root, path) for path in paths if contents.has_notebook(path)) if each.questions
        ]
        for caption, paths in contents.parts().items()
    }
    return {caption: pages for caption, pages in found.items() if pages}


def alone(spec: dict) -> bool:
    """Can this question be understood without its page?"""
    return spec["id"] not in BY_HAND.split() and not ELSEWHERE.search(spec["question"])
