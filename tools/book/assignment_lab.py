"""A lab's source taken apart: its cells by tags, and its statements by what they define and use.

So an exercise, a solution or a helper can be run with no more than what it needs, and a learner's copy of the lab keeps of the cells with
exercises only what later cells use.
"""

import ast
import contextlib
import io
import re
from dataclasses import dataclass, field

from tools.notebooks import first_cell
from tools.notebooks import make as notebooks
from tools.repository import ROOT

SHOWN = ("ask", "predict")  # calls that show a card: the page has it
SEED = re.compile(r"(manual_seed|default_rng)\((\d+)\)")


@dataclass
class Statement:
    """One top-level statement of a lab: its code, what it defines, what it uses, and the tags of its cell."""

    code: str
    tags: list[str]
    node: ast.stmt
    defines: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.uses, self.defines = names(self.node)


SCOPES = ast.FunctionDef | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def names(node: ast.AST) -> tuple[set[str], set[str]]:
    """The names that a node takes from around it, and those that it gives to what stands beside it."""
    if isinstance(node, ast.Name):
        return ({node.id}, set()) if isinstance(node.ctx, ast.Load) else (set(), {node.id})
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set(), {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    taken, given = set(), {node.arg} if isinstance(node, ast.arg) else set()
    for child in ast.iter_child_nodes(node):
        more, new = names(child)
        taken, given = taken | more, given | new
    if isinstance(node, SCOPES | ast.ClassDef):
        outside = {name for each in getattr(node, "decorator_list", []) for name in names(each)[0]}
        taken, given = (taken - given) | outside, {node.name} if hasattr(node, "name") else set()
    return taken, given


def statements(code: str, tags: list[str]) -> list[Statement]:
    lines, found = code.split("\n"), []
    for node in ast.parse(code).body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        found.append(Statement("\n".join(lines[first - 1 : node.end_lineno]), tags, node))
    return found


def called(node: ast.expr) -> str:
    """The name of what an expression calls, "" if it calls nothing by name."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def checks(node: ast.stmt) -> list[ast.Call]:
    """The decorators `@checked(exercise, instead[, via])` of a definition."""
    return [each for each in getattr(node, "decorator_list", []) if called(each) == "checked"]


def bare(each: Statement) -> str:
    """A definition without its `@checked`."""
    lines = each.code.split("\n")
    skip = sum(call.end_lineno - call.lineno + 1 for call in checks(each.node))
    return "\n".join(lines[skip:])


def needed(pool: list[Statement], names: set[str]) -> list[Statement]:
    """Those statements of the pool, in order, that these names need, and what they need themselves."""
    wanted, kept = set(names), []
    for each in reversed(pool):
        if each.defines & wanted:
            kept.append(each)
            wanted |= each.uses
    return kept[::-1]


class Lab:
    """A lab's cells, and its exercises as they are after its solutions are written in."""

    def __init__(self, name: str) -> None:
        self.name = name
        read = notebooks.read(ROOT / "labs" / f"{name}.myst.md", "").cells
        self.cells = [cell for cell in read if cell.id != first_cell.ID]
        self.setup = next(cell for cell in self.cells if cell.cell_type == "code")
        self.pool: list[Statement] = []
        for cell in self.cells:
            if cell.cell_type == "code" and "blank" not in self.tags(cell) and cell is not self.setup:
                self.pool += statements(cell.source, self.tags(cell))

    @staticmethod
    def tags(cell) -> list[str]:
        return cell.metadata.get("tags", [])

    def closure(self, names: set[str], seed: int | None = None) -> str:
        """Code that defines these names in a fresh notebook: the setup and what they need; with `seed`, its draws are others."""
        code = "\n".join([self.setup.source, *(bare(each) for each in needed(self.pool, names))])
        return code if seed is None else SEED.sub(lambda found: f"{found[1]}({int(found[2]) + seed})", code)

    def run(self, names: set[str], seed: int | None = None) -> dict:
        space: dict = {"__name__": "lab"}
        with contextlib.redirect_stdout(io.StringIO()):  # what the lab prints
            exec(compile(self.closure(names, seed), self.name, "exec"), space)
        return space

    def kept(self) -> set[int]:
        """Which statements of cells with exercises later cells use, by id."""
        wanted: set[str] = set()
        keep: set[int] = set()
        for each in reversed(self.pool):
            hidden = "remove-input" in each.tags
            if called(getattr(each.node, "value", None)) in SHOWN:
                continue
            if hidden and not each.defines & wanted:
                continue
            if hidden:
                keep.add(id(each))
            decorators = {name.id for call in checks(each.node) for name in ast.walk(call) if isinstance(name, ast.Name)}
            wanted |= each.uses - decorators if decorators else each.uses
        return keep
