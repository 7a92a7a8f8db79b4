"""MyST as plain Markdown, for Colab, VS Code and a JupyterLab without extensions.

The parser says which lines are a directive, a target or a formula, and which stretches of a paragraph are a role or a
link; only these are rewritten. All else, formulas first, stays as it was written, byte for byte. What no page uses is
not known here: pictures, numbered equations, footnotes; a test of the rendered notebooks tells whoever is the first.
"""

import html
import os
import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from tools.book.crossrefs import Directive, Links, cited, linked, parser

ADMONITIONS = {"note", "tip", "hint", "important", "warning", "caution", "danger", "error", "attention", "seealso"}
# Made by the book's own machinery, or lists of its pages: nothing to show outside of it.
BOOK_ONLY = {"recall"}
CLASSES = re.compile(r"^\{\.[\w-]+\}\n", re.M)  # of the paragraph below
MATH = re.compile(r"\$[^$]+\$")
MADE_OF_PARTS = {"tab-set", "grid"}


def spaced(text: str) -> str:
    """A regular expression for the text, however its lines were broken."""
    return r"\s+".join(map(re.escape, text.split()))


def inline_html(text: str) -> str:
    """Plain Markdown of one line as HTML, where Markdown is not read (a summary); formulas as they are."""
    kept: list[str] = []
    held = MATH.sub(lambda found: kept.append(found[0]) or f"@@{len(kept) - 1}@@", text)
    return re.sub(
        r"@@(\d+)@@", lambda found: html.escape(kept[int(found[1])], quote=False), MarkdownIt().renderInline(held)
    )


def quoted(title: str, body: str) -> str:
    """A box: every reader indents a quotation, and Markdown between blank lines is read inside it."""
    return "\n".join(["<blockquote>", "", *([title, ""] if title else []), body, "", "</blockquote>", ""])


@dataclass(frozen=True)
class Plain:
    """Renders the Markdown of one notebook; relative links in it start at the folder `base`."""

    links: Links
    base: str

    def __call__(self, text: str) -> str:
        text = CLASSES.sub("", text)
        lines: list[str | None] = text.split("\n")
        cursors: dict[int, int] = {}  # cells of a table's row share a line
        for token in parser().parse(text):
            if token.map is None:
                continue
            start, end = token.map[0], max(token.map[1], token.map[0] + 1)
            if token.type in {"myst_target", "myst_line_comment", "myst_block_break"}:
                new = []
            elif directive := Directive.of(token):
                indent = re.match(r"[ >]*", lines[start])[0]
                new = ["\n".join((indent + line).rstrip() for line in self.directive(directive).split("\n"))]
            elif token.type == "inline":
                written = "\n".join(line for line in lines[start:end] if line is not None)
                written, cursors[start] = self.inline(written, cursors.get(start, 0), token.children)
                new = written.split("\n")
            else:
                continue
            lines[start:end] = new + [None] * (end - start - len(new))
        return "\n".join(line for line in lines if line is not None).strip("\n")

    # --------------------------------------------------------------------------------------------------------
    # directives
    def directive(self, directive: Directive) -> str:
        name, title, body = directive.name, self.line(directive.argument), directive.body
        if name in BOOK_ONLY:
            return ""
        if name in ADMONITIONS:  # what stands beside such a name is text already
            title, body = name.capitalize(), "\n".join(filter(None, [directive.argument, body]))
        if name in MADE_OF_PARTS:
            return self(body)
        if name.startswith("prf:"):
            return quoted(self.theorem(directive, title), self(body))
        if name == "dropdown" or "dropdown" in directive.options.get("class", ""):
            shown = " open" if "open" in directive.options else ""
            return f"<details{shown}>\n<summary>{inline_html(title)}</summary>\n\n{self(body)}\n\n</details>\n"
        return quoted(f"**{title}**" if title else "", self(body))

    def theorem(self, directive: Directive, title: str) -> str:
        if directive.name == "prf:proof":
            return "*Proof.*"
        target = self.links.places.targets.get(directive.options.get("label", ""))
        words = target.words if target else directive.name[4:].capitalize()
        return f"**{words}**" + (f" ({title})" if title else "") + "."

    # ------------------------------------------------------------------------------------------------------------
    # inline
    def line(self, text: str) -> str:
        """The inline Markdown of a title."""
        tokens = parser().parseInline(text)
        return self.inline(text, 0, tokens[0].children)[0] if tokens else text

    def inline(self, text: str, cursor: int, children: list) -> tuple[str, int]:
        """The text with its roles and links rewritten, from `cursor` on; and where the last of them ended."""
        opened: list[str] = []
        for child in children:
            pattern, new = None, None
            if child.type == "code_inline":
                pattern = rf"{child.markup}\s*{spaced(child.content)}\s*{child.markup}"
            elif child.type in {"math_inline", "math_inline_double"}:
                pattern = re.escape(child.markup + child.content + child.markup)
            elif child.type == "myst_role":
                pattern = rf"\{{{re.escape(child.meta['name'])}\}}(`+)\s*{spaced(child.content)}\s*\1"
                new = self.role(child.meta["name"], " ".join(child.content.split()))
            elif child.type == "link_open":
                opened.append(child.attrs["href"])
            elif child.type == "link_close" and opened:
                text, cursor = self.link(text, cursor, opened.pop())
            found = re.compile(pattern).search(text, cursor) if pattern else None
            if found:
                new = found[0] if new is None else new
                text, cursor = text[: found.start()] + new + text[found.end() :], found.start() + len(new)
        return text, cursor

    def link(self, text: str, cursor: int, href: str) -> tuple[str, int]:
        """One `[words](href)`: a page of the book or a label becomes an address, or the words alone."""
        found = re.compile(rf"\]\(\s*<?{re.escape(href)}>?").search(text, cursor)
        if not found or re.match(r"[a-z]+:|\?", href):
            return text, cursor
        close = text.index(")", found.end()) + 1
        depth, start = 1, found.start()
        while depth:
            start -= 1
            depth += {"]": 1, "[": -1}.get(text[start], 0)
        page, _, label = href.partition("#")
        page = os.path.normpath(os.path.join(self.base, page)) if page else self.links.page
        page = re.sub(r"\.(myst\.md|md|ipynb|html)$", "", page)
        targets = self.links.places.targets
        target = targets.get(label) or (targets.get(href) if page not in self.links.places.titles else None)
        words = text[start + 1 : found.start()] or (
            target.words if target else self.links.places.titles.get(page, href)
        )
        known = target or page in self.links.places.titles
        new = linked(words, self.links.to(target.page if target else page, target) if known else "")
        return text[:start] + new + text[close:], start + len(new)

    def role(self, name: str, content: str) -> str:
        places, found = self.links.places, re.fullmatch(r"(.*?)\s*<([^<>]+)>", content, re.S)
        words, label = (found[1], found[2]) if found else ("", content)
        if name in {"cite:t", "cite:p", "cite"}:
            bibliography = self.links.to("book/bibliography")
            each = [cited(key.strip(), bibliography, name != "cite:t") for key in content.split(",")]
            return ", ".join(each) if name == "cite:t" else f"({'; '.join(each)})"
        if name == "term":
            return linked(words or label, self.links.to("book/glossary"))
        if name in {"ref", "prf:ref"}:
            target = places.targets.get(label)
            if target is None and label.startswith("erratum-"):  # made with the page of errata
                return linked(words or label, self.links.to("book/errata"))
            return linked(
                words or (target.words if target else label), self.links.to(target.page, target) if target else ""
            )
        if name == "dials":  # a button of the page: a link to it, where that is known
            here = self.links.to(self.links.page)
            return f'<a href="{here}?{html.escape(label)}">{words}</a>' if self.links.repository.known else words
        return words or content
