"""The ten exercises that say where to begin, from book/data/placement.yml; the box that asks them is practice's {placement}.

Their cards keep their records under names of their own, so that a guess there is no progress. static/way.js draws the conclusion, for
that page and for "Your progress"; static/placement.js says it.
"""

import json
from functools import cache
from pathlib import Path

import yaml

from . import live
from .doors import of
from .questions import parts
from .timetable import ROOT

SOURCE = ROOT / "book" / "data" / "placement.yml"


def place(path: str) -> dict:
    """A page as the scripts name it: address below the book's root, title, minutes."""
    title, minutes = of(path)
    return {"page": f"{path}.html", "title": title, "minutes": minutes}


@cache
def asked() -> dict[str, list[dict]]:
    """primers and chapters → their questions {id, spec, begin}. ValueError names an id that is no exercise of the book."""
    specs = {each.id: each.spec for pages in parts(ROOT).values() for page in pages for each in page.questions}
    given = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    ids = [each["ask"] for kind in ("primers", "chapters") for each in given[kind]]
    if unknown := sorted(set(ids) - set(specs)):
        raise ValueError(f"{SOURCE.name} asks {', '.join(unknown)}: no exercise of the book")
    return {
        kind: [{"id": each["ask"], "spec": specs[each["ask"]], "begin": place(each["begin"])} for each in given[kind]]
        for kind in ("primers", "chapters")
    }


def way() -> dict:
    """What way.js needs: the questions without their texts, and the pages that it may name."""
    given = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    short = {kind: [{"id": each["id"], "begin": each["begin"]} for each in listed] for kind, listed in asked().items()}
    return {**short, "alone": place(given["alone"]), "after": [place(path) for path in given["after"]]}


def pool() -> str:
    """The cards, as the page fetches them."""
    cards = [each["spec"] for listed in asked().values() for each in listed]
    return json.dumps(cards, ensure_ascii=False, separators=(",", ":"))


def publish(app, exception) -> None:
    if exception is None and app.builder.format == "html":
        live.deliver(Path(app.outdir) / "_static" / "data", live.content_key(pool().encode()), pool())
