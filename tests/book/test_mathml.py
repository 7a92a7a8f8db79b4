"""Every formula of every page is valid MathML, which screen readers read and which Firefox checks.

KaTeX writes MathML beside its picture and checks neither the number of children nor their kinds: `\\lambda_{\\max}`
gave an msub of three, because the operator brings a sign of its own; `\\lambda_{\\mathrm{max}}` gives two.

Source: MathML Core, https://www.w3.org/TR/mathml-core/, sections 2 to 4.
"""

import re

import pytest
from lxml import etree

from tests.shared import pages

SPACE = "{http://www.w3.org/1998/Math/MathML}"
COUNTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
ROWS = {"math", "mrow", "mstyle", "mpadded", "mphantom", "msqrt", "mtd"}  # any number of children: an unwritten mrow
WORDS = {"mi", "mn", "mo", "mtext", "annotation"}  # text alone
INSIDE = {"mtable": "mtr", "mtr": "mtd"}  # an element → the only kind of child it takes
KNOWN = {*COUNTS, *ROWS, *WORDS, *INSIDE, "mspace", "semantics"}


def faults(element: etree._Element) -> list[str]:
    """What is wrong with an element of a formula, its descendants left out."""
    if not element.tag.startswith(SPACE):
        return [f"{element.tag} is no element of MathML"]
    name, children = element.tag.removeprefix(SPACE), list(element)
    kinds = [child.tag.removeprefix(SPACE) for child in children]
    parent = getattr(element.getparent(), "tag", "").removeprefix(SPACE)
    found = []
    if name not in KNOWN:
        found.append(f"{name} is not expected in a formula")
    if len(children) != COUNTS.get(name, len(children)):
        found.append(f"{name} takes {COUNTS[name]} children, got {kinds}")
    if children and (name in WORDS or name == "mspace"):
        found.append(f"{name} takes no children, got {kinds}")
    if name not in WORDS and "".join([element.text or "", *(child.tail or "" for child in children)]).strip():
        found.append(f"{name} takes no text of its own")
    if name in INSIDE and set(kinds) != {INSIDE[name]}:
        found.append(f"{name} takes children {INSIDE[name]}, got {kinds}")
    found += [
        f"{name} stands in {parent}, not in {outer}"
        for outer, inner in INSIDE.items()
        if name == inner and parent != outer
    ]
    if name == "semantics" and kinds[1:] != ["annotation"]:
        found.append(f"semantics takes a formula and its annotation, got {kinds}")
    return found


def invalid(html: str) -> list[str]:
    """The faults of a page's formulas, each with its TeX."""
    formulas = re.findall(r"<math\b.*?</math>", html, re.DOTALL)
    written = html.count('class="katex"')  # by KaTeX, each with its MathML
    found = [] if len(formulas) == written else [f"{written} formulas, but {len(formulas)} with MathML"]
    for text in formulas:
        try:
            formula = etree.fromstring(text)
        except etree.XMLSyntaxError as problem:
            found.append(f"{problem}: {text[:200]}")
            continue
        tex = formula.findtext(f".//{SPACE}annotation")
        found += [f"{fault} in {tex}" for element in formula.iter() for fault in faults(element)]
    return found


def formula(inner: str) -> str:
    return f'<span class="katex"><math xmlns="{SPACE[1:-1]}">{inner}</math></span>'


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ("<msub><mi>λ</mi><mi>max</mi><mo>\u2061</mo></msub>", "msub takes 2 children, got"),
        ("<msubsup><mi>x</mi><mn>1</mn></msubsup>", "msubsup takes 3 children"),
        ("<mfrac><mn>1</mn></mfrac>", "mfrac takes 2 children"),
        ("<mi><mrow><mi>j</mi></mrow></mi>", "mi takes no children"),
        ("<mtable><mtd><mn>1</mn></mtd></mtable>", "mtable takes children mtr"),
        ("<mrow><mtd><mn>1</mn></mtd></mrow>", "mtd stands in mrow, not in mtr"),
        ("<mrow>1</mrow>", "mrow takes no text"),
        ("<merror><mtext>x</mtext></merror>", "merror is not expected"),
        ("<semantics><mrow></mrow></semantics>", "semantics takes a formula and its annotation"),
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", "no element of MathML"),
        ("<mrow><mi>x</mrow>", "mismatch"),
    ],
)
def test_a_fault_is_named(inner, words):
    assert words in " ".join(invalid(formula(inner)))


def test_valid_formulas_have_no_fault():
    table = "<mtable><mtr><mtd><mi>a</mi><mo>=</mo></mtd><mtd></mtd></mtr></mtable>"
    root = (
        "<msqrt><mi>m</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>m</mi><mn>3</mn></mroot><mspace width='1em'></mspace>"
    )
    assert (
        invalid(formula(table) + formula(root) + formula("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>"))
        == []
    )
    assert invalid('<span class="katex">x</span>') == ["1 formulas, but 0 with MathML"]


@pytest.mark.book
def test_every_formula_of_every_page_is_valid_mathml(book):
    texts = {name: (book / name).read_text(encoding="utf-8") for name in pages.listed()}
    assert (
        sum(text.count("<math") for text in texts.values()) > 5000
    )  # of 6,142: the book has formulas, and they are looked at
    assert {name: found for name, text in texts.items() if (found := invalid(text))} == {}
