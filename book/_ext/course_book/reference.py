"""`course_lib`, module by module: made by autodoc from its docstrings, and linked from the names in the pages' code.

The docstrings are plain text: a paragraph is a paragraph, what stands between backticks is code, and indented lines keep their form.
(sphinx-codeautolink does the links too, and reads every built page a second time for it: the build took nearly twice as long.)
"""

import ast
import html
import re
from importlib import import_module

from docutils import nodes

MARKUP = re.compile(r"([\\*_|`])")
NAME = re.compile(r'<span class="n[a-z]*">(\w+)</span>(?:<span class="o">\.</span><span class="n[a-z]*">(\w+)</span>)?')


def plain(text: str) -> str:
    """A line of a docstring as reStructuredText: backticks make code, all other signs stand for themselves."""
    parts = re.split(r"`+([^`]+)`+", text)
    return "".join(f"\\ ``{part}``\\ " if i % 2 else MARKUP.sub(r"\\\1", part) for i, part in enumerate(parts)).removeprefix("\\ ")


def as_text(app, what, name, obj, options, lines):
    """The docstring's paragraphs, each on one line; indented ones as they stand."""
    blocks, text = re.split(r"\n\s*\n", "\n".join(lines).strip("\n")), []
    for block in filter(str.strip, blocks):
        if block.startswith(("    ", "- ")) or "\n    " in block:
            text += ["::", "", *(f"    {line}" for line in block.split("\n")), ""]
        else:
            text += [plain(" ".join(block.split("\n"))), ""]
    lines[:] = text


def without_fields(app, what, name, obj, skip, options):
    """A named tuple's fields say nothing but their number: its signature has them."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def unlinked(app, env, node, contnode):
    """A type of another library stays text: the book needs no network, so it has no other library's list of addresses."""
    return contnode if node.get("refdomain") == "py" else None


def imported(sources: list[str]) -> dict[str, str]:
    """name in the code → what of `course_lib` it was imported as, without names that the code gives to something else too."""
    found, given = {}, set()
    for source in sources:
        try:
            tree = ast.parse(re.sub(r"(?m)^%.*", "", source))
        except SyntaxError:  # a shell's line, or code that is shown to be wrong
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "course_lib":
                found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                given.add(node.id)
    return {name: path for name, path in found.items() if name not in given}


def homes(path: str) -> list[str]:
    """The names under which the reference may have what is imported as `path`: where it is defined, then as it is imported."""
    module, _, name = path.rpartition(".")
    try:
        thing = getattr(import_module(module), name)
    except (ImportError, AttributeError):
        return [path]
    if not callable(thing):
        return [path]
    return [f"{thing.__module__}.{getattr(thing, '__qualname__', name)}", path]


def linked(app, pagename, templatename, context, doctree):
    """Names of `course_lib` in a page's code lead to the reference. The first of each is reached by Tab; the others are there for a pointer."""
    if doctree is None or 'class="highlight' not in context.get("body", ""):
        return
    names = imported([node.astext() for node in doctree.findall(nodes.literal_block) if "python" in node.get("language", "")])
    if not names:
        return
    domain = app.env.get_domain("py")
    places = {name: (entry.docname, entry.node_id) for table in (domain.modules, domain.objects) for name, entry in table.items()}
    met = set()

    def link(text: str, path: str) -> str | None:
        known = next((home for home in homes(path) if home in places), None)
        if known is None:
            return None
        page, anchor = places[known]
        again = ' tabindex="-1"' if known in met else ""
        met.add(known)
        return f'<a class="course-name" href="{app.builder.get_relative_uri(pagename, page)}#{anchor}" title="{html.escape(known)}"{again}>{text}</a>'

    def named(match: re.Match) -> str:
        first, second = match.groups()
        if first not in names:
            return match[0]
        if second and (both := link(match[0], f"{names[first]}.{second}")):
            return both
        return match[0].replace(f">{first}<", f">{link(first, names[first]) or first}<", 1)

    code = re.compile(r'(?s)<div class="highlight"><pre>.*?</pre>')
    context["body"] = code.sub(lambda block: NAME.sub(named, block[0]), context["body"])


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", as_text)
    app.connect("autodoc-skip-member", without_fields)
    app.connect("missing-reference", unlinked)
    app.connect("html-page-context", linked)
