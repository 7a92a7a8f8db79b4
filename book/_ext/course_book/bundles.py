"""Few files a page: on a phone's line each request costs more than what it brings.

When the build ends, the style sheets of the theme and of the book become one, `_static/book.css`, of which the theme's
part keeps what some page can use; the scripts become `_static/book.js`, and `_static/theme.js`, which no widget waits
for. Each page's head is written anew: what runs before the first paint, and the style. What the first screen does not
need is asked for at the page's end: the scripts, the state of its widgets and their code. A page of an earlier build,
which Sphinx left as it was, gets the new files' marks.
"""

import hashlib
import html
import json
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path

import tinycss2

# In the order of the cascade: (pattern below _static, a part of the theme of which only what is used is kept)
STYLES = (
    ("basic.css", True), ("styles/pydata-sphinx-theme.css", True), ("pygments.css", False),
    ("styles/sphinx-book-theme.css", True), ("togglebutton.css", False),
    ("copybutton.css", False), ("mystnb.*.css", True), ("proof.css", True), ("course/letters.css", False),
    ("course/type.css", False), ("course/course.css", False),
    ("course/print.css", False), ("course/ledger.css", False), ("course/practice.css", False), ("course/reference.css",
    False), ("course/navigation.css", False),
    ("sphinx-design.min.css", True), ("vendor/katex/katex.min.css", False), ("katex-math.css", False),
    ("course/diagram.css", False),
)  # fmt: skip
ON_PAPER = {"course/print.css"}
ALONE = ("course/title.css",)  # it has the page for itself
# The host first: it names the folder, and asks for the widgets' code. Ours before the theme's: what a search has marked
# is taken away by sphinx_highlight.js, and evidence.js asks for it.
OURS = (
    "host",
    "print",
    "figures",
    "keep_target",
    "report",
    "symbols",
    "memory",
    "records",
    "practice",
    "diagram",
    "evidence",
)
SCRIPTS = (
    *(f"course/{name}.js" for name in OURS),
    "doctools.js", "sphinx_highlight.js", "clipboard.min.js", "copybutton.js", "togglebutton.js",
    "scripts/sphinx-book-theme.js",
)  # fmt: skip
THEME = ("scripts/bootstrap.js", "scripts/pydata-sphinx-theme.js")  # menus, tool tips, the search box
# What Bootstrap's script sets for these; of its other parts (carousels, toasts, …) the pages have none.
BOOTSTRAP = (
    "show showing hiding fade collapse collapsing collapsed active disabled dropup dropdown-menu-dark tooltip "
    "tooltip-inner tooltip-arrow bs-tooltip-top bs-tooltip-bottom bs-tooltip-start bs-tooltip-end "
    "bs-tooltip-auto"
)
INLINE = "documentation_options.js"
UNUSED = ("sphinx-thebe.css", "styles/theme.css", "design-tabs.js")  # theme.css only names basic.css; no page has tabs
# Asked for when the style is there, so that it takes nothing of the line from the first screen; run when the page is. A
# front end is run by host.js.
ASK = """const courseLate = %s;
const courseAsk = () => courseLate.forEach((href) => document.head.append(Object.assign(document.createElement("link"),
  { rel: "preload", as: "script", href })));"""
RUN = """for (const src of courseLate) if (!src.includes("_static/data/")) \
document.head.append(Object.assign(document.createElement("script"), { async: false, src }));"""
STATE = "application/vnd.jupyter.widget-state+json"
LINK = re.compile(r'<link\b[^>]*\bhref="([^"]*?)_static/([^"?]+)(?:\?[^"]*)?"[^>]*/?>\n?')
SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>\n?", re.S)
BREAK = re.compile(r"(\((?:min|max)-width:\s*)([\d.]+)px(?=\))")
MARKED = re.compile(r"(_static/)(book\.css|book\.js|theme\.js)\?v=\w+")


# ------------------------------------------------------------------------------------------------------------ style
def names(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Every class that a page has, and every word of a script, which may set it."""
    found = {
        name
        for page in pages
        for classes in set(re.findall(r' class="([^"]*)"', page))
        for name in html.unescape(classes).split()
    }
    return found.union(*(re.findall(r"[\w-]+", script) for script in scripts))


def used(selector: str, known: set[str]) -> bool:
    """Can it match, if no other classes than these are ever there? What stands in brackets is not asked."""
    plain = re.sub(r"\[[^\]]*\]", "", selector)
    while (shorter := re.sub(r"\([^()]*\)", "", plain)) != plain:
        plain = shorter
    return all(name.replace("\\", "") in known for name in re.findall(r"\.((?:\\.|[\w-])+)", plain))


def selectors(prelude: list) -> list[str]:
    """A rule's selectors, apart."""
    found = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            found.append([])
        else:
            found[-1].append(token)
    return [tinycss2.serialize(tokens).strip() for tokens in found]


def by_letters(text: str) -> str:
    """The theme's breakpoints in letters (of 16 pixels unless a reader has chosen others), in which its bars are
    measured."""
    return BREAK.sub(lambda found: f"{found[1]}{float(found[2]) / 16:.10g}em", text)


def kept(rules: list, known: set[str] | None) -> str:
    """A style sheet's rules as text, without those that match nothing; `known` None keeps all."""
    parts = []
    for rule in rules:
        if rule.type == "qualified-rule":
            chosen = [each for each in selectors(rule.prelude) if known is None or used(each, known)]
            if chosen and rule.content:
                parts.append(f"{','.join(chosen)}{{{tinycss2.serialize(rule.content).strip()}}}")
        elif rule.type == "at-rule":
            head = by_letters(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude).rstrip()}")
            if rule.content is None:
                parts.append(f"{head};")
                continue
            inside = tinycss2.serialize(rule.content)
            if rule.at_keyword in ("media", "supports", "container", "layer"):
                inside = kept(tinycss2.parse_rule_list(inside, skip_comments=True, skip_whitespace=True), known)
            if inside.strip():
                parts.append(f"{head}{{{inside.strip()}}}")
    return "\n".join(parts)


def moved(style: str, folder: str) -> str:
    """A style sheet of `folder`, with its addresses as seen from _static."""

    def address(match: re.Match) -> str:
        target = match[2]
        return (
            match[0]
            if re.match(r"[a-z]+:|#|/", target)
            else f"url({match[1]}{posixpath.normpath(posixpath.join(folder, target))}{match[1]})"
        )

    return re.sub(r"""url\(\s*(['"]?)([^'")]+)\1\s*\)""", address, style)


def style(static: Path, known: set[str]) -> str:
    parts = []
    for pattern, theirs in STYLES:
        (path,) = static.glob(pattern)
        name = path.relative_to(static).as_posix()
        rules = tinycss2.parse_stylesheet(path.read_text(encoding="utf-8"), skip_comments=True, skip_whitespace=True)
        text = moved(kept(rules, known if theirs else None), posixpath.dirname(name))
        parts.append(f"@media print {{\n{text}\n}}" if name in ON_PAPER else text)
    return "\n".join(parts)


# ---------------------------------------------------------------------------------------------------------- scripts
def script(static: Path, files: Iterable[str]) -> str:
    """Scripts one after the other, in the loose mode that they were written for; one of ours that fails does not take
    the next along."""
    parts = [";"]
    for name in files:
        text = (static / name).read_text(encoding="utf-8").rstrip()
        if name.startswith(
            "course/"
        ):  # as Biome lays them out: a comment has its lines for itself, a text never begins a line
            lines = (line.strip() for line in re.sub(r"^\s*/\*\*.*?\*/$", "", text, flags=re.M | re.S).splitlines())
            text = "\n".join(line for line in lines if line and not line.startswith("//"))
            parts.append(f"try {{\n{text}\n}} catch (error) {{ reportError(error); }}")
        else:
            parts.append(f"{by_letters(text)}\n;")
    return "\n".join(parts)


# ------------------------------------------------------------------------------------------------------------ pages
def codes(state: dict) -> list[str]:
    """The files of the front ends that start with the page, in its order."""
    found = [model["state"].get("_esm", "") for model in state["state"].values() if not model["state"].get("heavy")]
    return list(dict.fromkeys(code.removeprefix("course:") for code in found if code.startswith("course:")))


def written(page: str, static: Path, marks: dict[str, str]) -> str:
    """A page as Sphinx wrote it, with its head in order. One that has been through here gets new marks."""
    head, end, body = page.partition("</head>")
    if "_static/book.css?v=" in head:
        return MARKED.sub(lambda found: f"{found[1]}{found[2]}?v={marks[found[2]]}", page)
    root = next((found[1] for found in LINK.finditer(head)), None)
    if root is None or not end:
        return page  # an old address that leads on
    if root:  # the missing page is shown at any depth: its root is the site's
        head = re.sub(r'data-content_root="[^"]*"', f'data-content_root="{root}"', head)
    inline, own, alone, states = [], [], [], []

    def take_link(found: re.Match) -> str:
        if not re.search(r'rel="(?:stylesheet|preload)"', found[0]):
            return found[0]
        name = found[2]
        if name in ALONE:
            alone.append(f'<link rel="stylesheet" href="{found[1]}_static/{name}"/>\n')
        elif (
            name not in UNUSED
            and not name.endswith(".js")
            and not any(Path(name).match(pattern) for pattern, _ in STYLES)
        ):
            raise ValueError(f"{name}: a style sheet that course_book.bundles does not know")
        return ""

    def take_script(found: re.Match) -> str:
        attributes, text = found.groups()
        source = re.search(r'\bsrc="([^"?]+)', attributes)
        if source:
            name = source[1].partition("_static/")[2]
            if name == INLINE:
                inline.append((static / INLINE).read_text(encoding="utf-8"))
            elif name not in (*SCRIPTS, *THEME, *UNUSED):
                own.append(source[1])
        elif STATE in attributes:
            states.append(found[0].strip())
        elif "type=" in attributes:
            return "" if "thebe" in attributes else found[0]
        elif text.strip() and text not in body:
            inline.append(text)
        elif text.strip() and not text.startswith("kernelName"):
            return found[0]
        return ""

    head = SCRIPT.sub(take_script, LINK.sub(take_link, head))
    body = "".join(
        take_script(found) if (found := SCRIPT.fullmatch(part)) else part
        for part in re.split(f"({SCRIPT.pattern.replace('(', '(?:')})", body, flags=re.S)
    )
    viewport = re.compile(r'\s*<meta name="viewport"[^>]*/?>')
    head = viewport.sub("", head, count=len(viewport.findall(head)) - 1)
    asked = codes(json.loads(SCRIPT.fullmatch(states[0])[2])) if states else []
    own.sort(
        key=lambda address: (address.endswith("searchindex.js"), "finder" in address)
    )  # the first answers do not wait for Sphinx's index
    ours, theirs = (f"{root}_static/{name}?v={marks[name]}" for name in ("book.js", "theme.js"))
    files = [*(f"{root}_static/data/{code}.js" for code in asked), ours, *own, theirs]
    # each by itself: the theme's throws where storage is forbidden, and takes nothing of ours along
    first = "\n".join(
        f"<script>\n{text}\n</script>"
        for text in dict.fromkeys([ASK % json.dumps(files), *(text.strip() for text in inline)])
    )
    early = (
        f'{first}\n<link rel="stylesheet" href="{root}_static/book.css?v={marks["book.css"]}" onload="courseAsk()"/>\n'
    )
    late = [*states, f"<script>{RUN}</script>"]
    last = body.rindex("</body>")
    return "".join([head, early, *alone, end, body[:last], "\n".join(late), "\n", body[last:]])


def pages_of(folder: Path) -> list[Path]:
    return [
        path for path in sorted(folder.rglob("*.html")) if path.relative_to(folder).parts[0] not in ("_static", "lite")
    ]


def bundle(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    folder, static = Path(app.outdir), Path(app.outdir) / "_static"
    pages = {path: path.read_text(encoding="utf-8") for path in pages_of(folder)}
    scripts = [
        path.read_text(encoding="utf-8")
        for name in ("*.js", "course/*.js", "scripts/*.js")
        for path in sorted(static.glob(name))
        if path.name not in ("book.js", "theme.js", "bootstrap.js")
    ]
    made = {
        "book.css": style(static, names(pages.values(), [*scripts, BOOTSTRAP])),
        "book.js": script(static, SCRIPTS),
        "theme.js": script(static, THEME),
    }
    marks = {}
    for name, text in made.items():
        (static / name).write_text(text, encoding="utf-8")
        marks[name] = hashlib.sha256(text.encode()).hexdigest()[:8]
    for path, page in pages.items():
        if (new := written(page, static, marks)) != page:
            path.write_text(new, encoding="utf-8")


def setup(app):
    app.connect("build-finished", bundle, priority=950)  # when all files are there
