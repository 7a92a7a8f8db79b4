"""The reference of course_lib, and the links to it from the pages' code."""

import ast
import inspect
import json
import re
from importlib import import_module

import pytest
from course_book import code_names, public, reference

from tests.shared.pages import ROOT, listed

LINK = re.compile(r'<a class="course-name" href="([^"#]*)#([^"]+)" title="[^"]+"( tabindex="-1")?>(.*?)</a>')
HIDDEN = {"remove-input", "remove-cell"}


def cells(page: str) -> list[str]:
    """The code that a page shows, cell by cell."""
    path = ROOT / page.replace(".html", ".ipynb")
    listed = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []
    return [
        "".join(cell["source"])
        for cell in listed
        if cell["cell_type"] == "code" and not HIDDEN & set(cell["metadata"].get("tags", []))
    ]


def imported(sources: list[str]) -> set[str]:
    """Full names that the code imports from course_lib."""
    found = set()
    for source in sources:
        for node in ast.walk(ast.parse(re.sub(r"(?m)^(?=[%!])", "#", source))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "course_lib":
                found |= {f"{node.module}.{each.name}" for each in node.names}
    return found


# ------------------------------------------------------------------------------------------------------ what is public
def test_the_reference_has_every_module_once():
    assert set(reference.pages()) == set(public.modules())  # twice raises


@pytest.mark.parametrize(
    "name",
    [
        "course_lib.attention",
        "course_lib.memoryless.ensemble",
        "course_lib.text.vocabulary",
        "course_lib.exercises.reasoning",
    ],
)
def test_public_names_and_parameters_are_those_that_python_has(name):
    module, listed = import_module(name), {each.name: each for each in public.modules()[name].entries}
    own = {
        key
        for key, value in vars(module).items()
        if getattr(value, "__module__", None) == name and callable(value) and not key.startswith("_")
    }
    assert own <= set(listed)
    for key in own:
        parameters = inspect.signature(getattr(module, key)).parameters
        assert [part for part in parameters if not re.search(rf"(?<!\w){part}\b", listed[key].signature)] == [], key
        assert listed[key].text == (
            inspect.cleandoc(getattr(module, key).__dict__.get("__doc__") or getattr(module, key).__doc__ or "")
        )


def test_a_signature_keeps_its_shapes_and_has_a_parameter_a_line_where_it_is_long():
    entry = next(each for each in public.modules()["course_lib.attention"].entries if each.name == "attend")
    assert entry.signature.split("\n")[:2] == [
        "attend(",
        '    q: Float[Tensor, "*b n m"],',
    ] and entry.signature.endswith("\n) -> Attended")
    assert '"""' not in entry.code and entry.code.rstrip().endswith("return Attended(output, weights, scores)")


@pytest.mark.parametrize(
    "path, home",
    [
        ("course_lib.exercises.Choice", "course_lib.exercises.choice.Choice"),  # a package hands it on
        ("course_lib.exercises.Verdict", "course_lib.answers.Verdict"),
        (
            "course_lib.widgets.AttentionByHand",
            "course_lib.widgets.attention_by_hand.AttentionByHand",
        ),  # imported on first use
        ("course_lib.recurrent.CELLS", "course_lib.recurrent.cells.CELLS"),  # a constant does not know its module
        ("course_lib.text.vocabulary.END", "course_lib.text.vocabulary.END"),  # four in one line
        ("course_lib.text.vocabulary.Vocabulary.encode", "course_lib.text.vocabulary.Vocabulary.encode"),
        ("course_lib.text.vocabulary.Vocabulary.nothing", None),
        ("course_lib.nowhere.Choice", None),
        ("torch.nn", None),
    ],
)
def test_a_name_is_found_where_it_is_defined(path, home):
    assert public.defined(path) == home


# --------------------------------------------------------------------------------------------------- names in the code
def words(source: str, known: dict[str, str] | None = None) -> list[tuple[str, str]]:
    return [what for _, what in sorted(code_names.names(source, {} if known is None else known).items())]


def test_a_name_leads_to_what_the_page_has_imported_it_as():
    known = {}
    assert words("from course_lib import plots\nfrom course_lib.tables import Table as T", known)[-2:] == [
        ("course_lib.tables", "course_lib.tables"),
        ("Table", "course_lib.tables.Table"),
    ]
    assert words("plots.lines(x, {'π': T(y)})", known) == [
        ("plots.lines", "course_lib.plots.lines"),
        ("T", "course_lib.tables.Table"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "x.softmax(-1)",
        "f(softmax=1)",
        "torch.nn.softmax(x)",
        "'softmax'  # softmax",
        "def f(softmax): return softmax",
        "[softmax for softmax in x]",
        "lambda softmax: softmax",
        "soft max",
    ],
)
def test_what_has_only_the_same_letters_leads_nowhere(source):
    assert words(source, {"softmax": "course_lib.attention.softmax"}) == []


def test_a_name_given_to_something_else_leads_nowhere_from_then_on():
    known = {"softmax": "course_lib.attention.softmax"}
    assert len(words("softmax = softmax(x)", known)) == 1 and words("softmax", known) == []
    known = {"softmax": "course_lib.attention.softmax"}
    assert words("def softmax(x): ...\nsoftmax(x)", known) == []


# ------------------------------------------------------------------------------------------------------ the built book
@pytest.fixture(scope="module")
def anchors(book):
    return {
        path.name: set(re.findall(r'\bid="([^"]+)"', path.read_text(encoding="utf-8")))
        for path in (book / "book/reference").glob("*.html")
    }


def test_every_name_that_a_page_imports_leads_to_its_entry(book, anchors):
    missing, links = [], 0
    for page in listed():
        found = LINK.findall((book / page).read_text(encoding="utf-8"))
        links += len(found)
        assert [anchor for href, anchor, *_ in found if anchor not in anchors[href.rpartition("/")[2]]] == [], page
        missing += [
            (page, path)
            for path in imported(cells(page))
            if public.defined(path) not in {anchor for _, anchor, *_ in found}
        ]
    assert links > 1500 and missing == []


def test_tab_stops_once_at_each_definition(book):
    for page in listed():
        found = LINK.findall((book / page).read_text(encoding="utf-8"))
        stops = [anchor for _, anchor, passed, _ in found if not passed]
        assert len(stops) == len(set(stops)) and {anchor for _, anchor, *_ in found} - set(stops) <= set(
            public.modules()
        ), page


def test_links_leave_the_code_as_it_is(book):
    """Character by character what the cells say."""
    shown = [
        code_names.text_of(block[2]).strip()
        for page in listed()
        for block in code_names.CODE.finditer((book / page).read_text(encoding="utf-8"))
    ]
    for page in [each for each in listed() if cells(each)]:
        assert [cell for cell in cells(page) if cell.strip() and cell.strip() not in shown] == [], page


def test_the_index_and_the_contents_are_the_pages_own(book):
    assert not (book / "py-modindex.html").exists()
    assert (
        "book/reference/"
        not in (book / "genindex.html").read_text(encoding="utf-8").split("<article")[1].split("</article")[0]
    )
