"""What `course_lib` offers: the public names of each module, read from its source. Nothing is imported, nothing
runs."""

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WIDE = 76  # letters that a signature may take on one line


@dataclass
class Entry:
    """A public name: function, class, method or constant. `signature` is as in the source, a parameter a line where it
    is long."""

    name: str
    kind: str
    signature: str
    text: str  # the docstring, or a constant's comment
    code: str = ""  # its source without the docstring
    within: list["Entry"] = field(default_factory=list)
    also: tuple[str, ...] = ()  # constants that are given in the same line
    takes: list[str] = field(default_factory=list)  # what a class takes, and, where it says so nowhere, its bases
    bases: list[str] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)


@dataclass
class Module:
    """`names`: what a name of the module stands for, by its full name: what it defines and what it imports from
    `course_lib`."""

    name: str
    path: Path
    text: str
    entries: list[Entry]
    names: dict[str, str]


def public(name: str) -> bool:
    return not name.startswith("_")


def in_source(lines: list[bytes], node: ast.AST | None, type_: bool = False) -> str:
    """A type or a default as it is written, on one line. (`ast.get_source_segment` splits the whole file each time.)"""
    if node is None:
        return ""
    if isinstance(node, ast.Constant) and str(node.value).isidentifier() and type_:
        return node.value  # a class named before it is there
    taken = lines[node.lineno - 1 : node.end_lineno]
    taken[-1] = taken[-1][: node.end_col_offset]
    taken[0] = taken[0][node.col_offset :]
    return re.sub(r"\s+", " ", b" ".join(taken).decode())


def parameters(lines: list[bytes], given: ast.arguments, method: bool) -> list[str]:
    """Each parameter with its type and default; `*` and `/` stand where they do in the source, `self` is left out."""
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)

    def one(arg: ast.arg, default: ast.AST | None, stars: str = "") -> str:
        kind = f": {in_source(lines, arg.annotation, True)}" if arg.annotation else ""
        value = in_source(lines, default)
        return stars + arg.arg + kind + (f" = {value}" if value and kind else f"={value}" if value else "")

    found = [one(arg, default) for arg, default in zip(positional, defaults, strict=True)]
    if given.posonlyargs:
        found.insert(len(given.posonlyargs), "/")
    found = found[1:] if method else found
    if given.vararg:
        found.append(one(given.vararg, None, "*"))
    elif given.kwonlyargs:
        found.append("*")
    found += [one(arg, default) for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return [*found, one(given.kwarg, None, "**")] if given.kwarg else found


def laid_out(head: str, listed: list[str], tail: str) -> str:
    """`head(a, b) tail` on one line where it fits, else a parameter a line."""
    short = f"{head}({', '.join(listed)}){tail}"
    return (
        short
        if len(short) <= WIDE or not listed
        else f"{head}(\n" + "".join(f"    {each},\n" for each in listed) + f"){tail}"
    )


def decorated(node: ast.AST) -> set[str]:
    return {ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list}


def code(lines: list[bytes], node: ast.FunctionDef | ast.ClassDef) -> str:
    """The source of a definition without its docstring: that stands above it."""
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    kept = [line.decode() for line in lines[first - 1 : node.end_lineno]]
    if ast.get_docstring(node) is not None and len(node.body) > 1:
        said = node.body[0]
        del kept[said.lineno - first : said.end_lineno - first + 1 + (not kept[said.end_lineno - first + 1].strip())]
    return "\n".join(kept)


def function(lines: list[bytes], node: ast.FunctionDef, method: bool = False) -> Entry:
    marks = decorated(node)
    returns = f" -> {in_source(lines, node.returns, True)}" if node.returns else ""
    if method and marks & {"property", "cached_property"}:
        signature = node.name + returns.replace(" -> ", ": ")
    else:
        signature = laid_out(node.name, parameters(lines, node.args, method and "staticmethod" not in marks), returns)
    return Entry(node.name, "function", signature, ast.get_docstring(node) or "", "" if method else code(lines, node))


def class_(lines: list[bytes], node: ast.ClassDef) -> Entry:
    """A class with its documented public methods; the fields of a named tuple or dataclass are its signature."""
    made = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    if made:
        listed = parameters(lines, made.args, True)
    else:
        fields = [
            each
            for each in node.body
            if isinstance(each, ast.AnnAssign)
            and "ClassVar" not in ast.unparse(each.annotation)
            and public(each.target.id)
        ]
        listed = [
            f"{each.target.id}: {in_source(lines, each.annotation, True)}"
            + (f" = {in_source(lines, each.value)}" if each.value else "")
            for each in fields
        ]
        listed = ["*", *listed] if any("kw_only=True" in ast.unparse(each) for each in node.decorator_list) else listed
    methods = [
        function(lines, each, True)
        for each in node.body
        if isinstance(each, ast.FunctionDef) and public(each.name) and ast.get_docstring(each)
    ]
    bases = [] if made else [ast.unparse(each) for each in node.bases]
    return Entry(
        node.name,
        "class",
        laid_out(node.name, listed, ""),
        ast.get_docstring(node) or "",
        code(lines, node),
        methods,
        takes=listed,
        bases=bases,
    )


def constant(lines: list[bytes], node: ast.Assign | ast.AnnAssign, names: list[str]) -> Entry:
    """A line's constants, with the value where that is short, and the comment beside or above it."""
    whole = in_source(lines, node)
    beside = re.search(r"\s#\s(?!fmt|noqa)(.+)$", lines[node.end_lineno - 1].decode())
    above, at = [], node.lineno - 2
    while at >= 0 and lines[at].startswith(b"# ") and not lines[at].startswith(b"# --"):
        above.insert(0, lines[at][2:].decode())
        at -= 1
    said = beside[1] if beside and node.lineno == node.end_lineno else " ".join(above)
    return Entry(names[0], "constant", whole if len(whole) <= WIDE else ", ".join(names), said, also=tuple(names[1:]))


def entries(lines: list[bytes], tree: ast.Module) -> list[Entry]:
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and public(node.name):
            found.append(function(lines, node) if isinstance(node, ast.FunctionDef) else class_(lines, node))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            each = [one for target in targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
            if names := [one.id for one in each if isinstance(one, ast.Name) and public(one.id)]:
                found.append(constant(lines, node, names))
    return found


@cache
def modules() -> dict[str, Module]:
    """Every module of the package by its full name, in the order of the files."""
    found = {}
    for path in sorted((ROOT / "course_lib").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        listed, names = entries(text.encode().split(b"\n"), tree), {}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                up = (parts[:-1] if node.level == 1 else parts[: -node.level]) if node.level else ()
                home = ".".join([*up, *filter(None, [node.module])])
                if home.split(".")[0] == "course_lib":
                    names |= {each.asname or each.name: f"{home}.{each.name}" for each in node.names}
        names |= {each: f"{name}.{each}" for entry in listed for each in entry.names}
        found[name] = Module(name, path.relative_to(ROOT), ast.get_docstring(tree) or "", listed, names)
    for module in found.values():
        for entry in module.entries:
            if entry.bases:
                entry.signature = laid_out(entry.name, inherited(entry, module, found), "")
    return found


def inherited(entry: Entry, module: Module, known: dict[str, Module]) -> list[str]:
    """What a class takes, its bases' first: a field that it gives anew stands where the base has it."""
    taken = {}
    for base in entry.bases:
        home, _, name = module.names.get(base, "").rpartition(".")
        while (
            home in known and known[home].names.get(name, f"{home}.{name}") != f"{home}.{name}"
        ):  # a package hands it on
            home, _, name = known[home].names[name].rpartition(".")
        for above in known[home].entries if home in known else []:
            if above.name == name:
                taken |= {each.partition(":")[0]: each for each in inherited(above, known[home], known)}
    return list((taken | {each.partition(":")[0]: each for each in entry.takes}).values())


@cache
def defined(path: str) -> str | None:
    """Where a full name is defined: itself, what a package hands on, or a widget's class. None for what is no public
    name."""
    from course_lib.widgets import home

    known = modules()
    if path in known:
        return path
    module, _, name = path.rpartition(".")
    if module in known:
        given = known[module].names.get(name)
        if module == "course_lib.widgets" and given is None:
            given = f"{module}.{home(name)}.{name}"
            return (
                given if f"{module}.{home(name)}" in known and name in known[f"{module}.{home(name)}"].names else None
            )
        return given if given in (path, None) else defined(given)
    owner = defined(module) if "." in module else None
    if owner and owner not in known:
        held = next(
            (
                each
                for each in known[owner.rpartition(".")[0]].entries
                if f"{owner.rpartition('.')[0]}.{each.name}" == owner
            ),
            None,
        )
        if held and any(each.name == name for each in held.within):
            return f"{owner}.{name}"
    return None
