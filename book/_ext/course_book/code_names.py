"""Names of `course_lib` in the pages' code lead to the reference.

Each cell is parsed: a name is what the page has imported it as, and no longer once it is given to something else; a
parameter of that name, a keyword, another object's method of that name are none. The first link to each definition is
reached by Tab, which is mostly the one in the folded setup cell; the others, and the modules in imports, are there for
a pointer: a keyboard misses no definition and no cell has fifty stops. (sphinx-codeautolink follows what calls return
too, 186 links in 4,400, but reads every built page a second time: twice the build's time.)
"""

import ast
import html
import re

from .reference import place

CODE = re.compile(r'(?s)(<div class="highlight-i?python3?[^"]*"[^>]*><div class="highlight"><pre>)(.*?)(</pre>)')
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
INNER = FUNCTIONS | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Names(ast.NodeVisitor):
    """`found`: (line, column in bytes) → (the words there, full name). `known` passes from cell to cell."""

    def __init__(self, source: str, known: dict[str, str]):
        self.lines, self.known, self.found, self.hidden = source.split("\n"), known, {}, []

    def put(self, line: int, column: int, words: str, path: str):
        self.found[line, len(self.lines[line - 1].encode()[:column].decode())] = (words, path)

    def visit_ImportFrom(self, node):
        module = node.module or ""
        for each in node.names:
            self.known.pop(each.asname or each.name, None)
        if module.split(".")[0] == "course_lib" and not node.level:
            begin = self.lines[node.lineno - 1].encode().find(module.encode(), node.col_offset + 5)
            self.put(node.lineno, begin, module, module)
            for each in node.names:
                self.known[each.asname or each.name] = f"{module}.{each.name}"
                self.put(each.lineno, each.col_offset, each.name, f"{module}.{each.name}")

    def visit_Attribute(self, node):
        words, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            words, inner = [inner.attr, *words], inner.value
        if isinstance(inner, ast.Name) and self.stands(inner) and inner.lineno == node.end_lineno:
            path = ".".join([self.known[inner.id], *words])
            if place(path):
                return self.put(inner.lineno, inner.col_offset, ".".join([inner.id, *words]), path)
        self.generic_visit(node)

    def stands(self, node: ast.Name) -> bool:
        return (
            isinstance(node.ctx, ast.Load)
            and node.id in self.known
            and not any(node.id in names for names in self.hidden)
        )

    def visit_Name(self, node):
        if self.stands(node):
            self.put(node.lineno, node.col_offset, node.id, self.known[node.id])
        elif isinstance(node.ctx, ast.Store) and not self.hidden:
            self.known.pop(node.id, None)

    def visit_Assign(self, node):
        self.visit(node.value)  # before what it is given to
        for target in node.targets:
            self.visit(target)

    def generic_visit(self, node):
        if isinstance(node, ast.For | ast.AnnAssign | ast.AugAssign):
            fields = ("iter", "annotation", "value", "target", "body", "orelse")
            for each in (getattr(node, name, None) for name in fields):
                for one in each if isinstance(each, list) else [each]:
                    if one is not None:
                        self.visit(one)
            return
        if not isinstance(node, INNER):
            if isinstance(node, ast.ClassDef):
                self.known.pop(node.name, None)
            return super().generic_visit(node)
        own = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        if isinstance(node, FUNCTIONS):
            own |= {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.known.pop(node.name, None)
        self.hidden.append(own)
        super().generic_visit(node)
        self.hidden.pop()


def names(source: str, known: dict[str, str]) -> dict[tuple[int, int], tuple[str, str]]:
    """What of `course_lib` stands where in a cell; `known` is what the page has imported up to it, and is brought up to
    date."""
    try:
        tree = ast.parse(re.sub(r"(?m)^(?=[%!])", "#", source))
    except SyntaxError:  # code that is shown to be wrong
        return {}
    reader = Names(source, known)
    reader.visit(tree)
    return reader.found


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def linked(app, pagename, templatename, context, doctree):
    """Links in the code of one page."""
    if doctree is None or "course_lib" not in context.get("body", ""):
        return
    known, met = {}, set()

    def cell(block: re.Match) -> str:
        found = names(text_of(block[2]), known)
        return block[1] + "\n".join(line(each, {at: what for (row, at), what in found.items() if row == number})
                                    for number, each in enumerate(block[2].split("\n"), 1)) + block[3]  # fmt: skip

    def line(markup: str, found: dict[int, tuple[str, str]]) -> str:
        if not found:
            return markup
        starts, column, made, end = [], 0, [], 0
        for part in re.finditer(r"<[^>]+>|[^<]+", markup):  # where in the markup does each column begin?
            if part[0][0] != "<":
                starts.append((column, part.start()))
                column += len(html.unescape(part[0]))
        places = dict(starts)
        for at, (words, path) in sorted(found.items()):
            to, begin = place(path), places.get(at)
            if to is None or begin is None:
                continue
            first = markup.rfind("<span", end, begin)
            last, seen = begin, ""
            while len(seen) < len(words) and last < len(markup):
                piece = re.compile(r"<[^>]+>|[^<]+").match(markup, last)
                seen += "" if piece[0][0] == "<" else html.unescape(piece[0])
                last = piece.end()
            if seen != words or first < end:
                continue
            last = markup.find("</span>", last) + len("</span>")
            uri = html.escape(f"{app.builder.get_relative_uri(pagename, to[0])}#{to[1]}")
            again = ' tabindex="-1"' if to in met or words == to[1] else ""  # words: the module that an import names
            met.add(to)
            made += [
                markup[end:first],
                f'<a class="course-name" href="{uri}" title="{to[1]}"{again}>',
                markup[first:last],
                "</a>",
            ]
            end = last
        return "".join([*made, markup[end:]])

    context["body"] = CODE.sub(cell, context["body"])


def setup(app):
    app.connect("html-page-context", linked)
