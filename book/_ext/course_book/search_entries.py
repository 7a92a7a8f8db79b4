"""What a search must find first: pages, sections, theorems, symbols, words, live figures, and what stands in folds.

Sphinx's own index knows words of the text, and no sign: √m is m to it, d is any d. Each page's names are collected when
it is read, and when the build ends they become one file, which the search page and the missing page load
(static/finder.js). An entry is `[kind, names, title, address, text]`: what somebody may type, what the answer says,
where it leads.
"""

import json
import re
from pathlib import Path

from docutils import nodes

from . import ledger, live, live_figures, navigation
from .meta import description
from .symbols import anchor, spoken

KEY = "finds"  # of a page's metadata, and of the file
LONGEST = 900  # characters of a fold: what it is about stands at its beginning
NUMBER = re.compile(r'id="([\w-]+)">\s*<p class="admonition-title"><span class="caption-number">([^<]+?)\s*</span>')


def kind_of(docname: str) -> str:
    return {"chapters": "page", "labs": "lab"}.get(
        docname.split("/")[0], "page" if "/reference/" not in docname else "reference"
    )


def named(doctree: nodes.document, docname: str) -> list[list]:
    """The entries of one page."""
    found = []
    for section in doctree.findall(
        lambda node: isinstance(node, nodes.section) and node.children and isinstance(node[0], nodes.title)
    ):
        title = spoken(section[0].astext())
        if isinstance(section.parent, nodes.document):
            found.append(
                [
                    kind_of(docname),
                    [title, *(["lab"] if docname.startswith("labs/") else [])],
                    title,
                    "",
                    spoken(description(doctree)),
                ]
            )
        elif section["ids"] and kind_of(docname) != "reference":
            found.append(["section", [title], title, section["ids"][-1], ""])
    for theorem in doctree.findall(lambda node: "realtype" in getattr(node, "attributes", {})):
        title = spoken(navigation.without_brackets(next(theorem.findall(nodes.title)).astext()))
        if theorem["ids"]:
            text = " ".join(spoken(part.astext()) for part in theorem.children[1:])
            found.append(
                [
                    theorem["realtype"],
                    [title] if title else [],
                    title or theorem["realtype"].capitalize(),
                    theorem["ids"][0],
                    text[:LONGEST],
                ]
            )
    for fold in doctree.findall(
        lambda node: isinstance(node, nodes.container) and node.get("design_component") == "dropdown"
    ):
        if fold.get("has_title") and fold[0]["ids"]:
            text = " ".join(spoken(part.astext()) for part in fold.children[1:])
            found.append(["fold", [], spoken(fold[0].astext()), fold[0]["ids"][0], text[:LONGEST]])
    return found


def collect(app, doctree) -> None:
    app.env.metadata[app.env.docname][KEY] = named(doctree, app.env.docname)


def of_book(env) -> list[list]:
    """What no single page names: symbols, the glossary's words and their Italian ones, live figures, the ledger's rows,
    titles of works."""
    from course_lib import SYMBOLS

    found = [
        [
            "symbol",
            name.split(", ") if "(" not in name else [name],
            name,
            f"book/notation.html#{anchor(name)}",
            symbol.meaning.replace("`", ""),
        ]
        for name, symbol in SYMBOLS.items()
    ]
    objects = env.get_domain("std").objects
    for term in navigation.terms():
        docname, place = objects["term", term.name]
        found.append(
            [
                "term",
                [term.name, *(word for word, _ in term.italian)],
                term.name,
                f"{docname}.html#{place}",
                spoken(term.meaning),
            ]
        )
    for docname, figure in live_figures.of_book(env):
        name = navigation.in_words(figure["name"])
        found.append(
            [
                "live figure",
                [name, f"{name} live figure", f"{name} widget"],
                name.capitalize(),
                f"{docname}.html#{figure['place']}",
                figure["question"],
                spoken(env.titles[docname].astext()),
            ]
        )
    for row in ledger.load().values():
        found.append(["ledger", [row.id], f"{row.id}: {spoken(row.title)}", f"book/ledger.html#ledger-{row.id}", ""])
    for work in env.get_domain("cite").citations:
        title = re.sub(r"[{}\\$]", "", work.entry.fields.get("title", ""))
        found.append(["work", [title], title, f"{work.bibliography_key.docname}.html#{work.citation_id}", ""])
    return found


def publish(app, exception) -> None:
    if exception is not None or app.builder.format != "html":
        return
    env, folder = app.env, Path(app.outdir)
    entries = []
    for docname in sorted(env.found_docs):
        numbers = dict(NUMBER.findall((folder / f"{docname}.html").read_text(encoding="utf-8")))
        page = spoken(env.titles[docname].astext())
        for kind, names, title, place, text in env.metadata[docname].get(KEY, []):
            more = [numbers[place]] if place in numbers else []
            where = "" if not place else page
            entries.append(
                [
                    kind,
                    names + more,
                    ": ".join([*more, title]),
                    f"{docname}.html{f'#{place}' if place else ''}",
                    text,
                    where,
                ]
            )
    entries += [entry if len(entry) == 6 else [*entry, ""] for entry in of_book(env)]
    live.deliver(folder / "_static" / "data", KEY, json.dumps(entries, ensure_ascii=False, separators=(",", ":")))


def script(app, pagename, templatename, context, doctree) -> None:
    if pagename in ("search", "404"):
        app.add_js_file("course/finder.js", defer="defer", priority=900)


def setup(app):
    app.connect("doctree-read", collect, priority=700)  # when folds have their addresses
    app.connect("html-page-context", script)
    app.connect("build-finished", publish, priority=900)
