"""Ways into the book: glossary and Italian words, index, symbols, reading times, links to labs and back, quotations."""

import re
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from course_book import agreement, ledger, navigation, reading_time, symbols, tables, timetable, unbroken_formulas
from docutils import nodes

from course_lib import SYMBOLS
from tools.repository import ROOT

PAGES = sorted(ROOT.glob("chapters/*/*.myst.md"))
LABS = sorted(ROOT.glob("labs/*.myst.md"))
LABELS = re.compile(r"^\(([\w-]+)\)=$|^:label: ([\w-]+)$", re.M)
QUOTED = 40  # words: as much as citation needs


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------------------ glossary
def test_every_entry_has_an_italian_word_and_a_place():
    terms = navigation.terms()
    body = text(navigation.GLOSSARY).split("```{glossary}\n")[1].split("\n```")[0]
    assert len(terms) == len(re.findall(r"^\S", body, re.M)) > 190  # no entry is left out by its form
    labels = {first or second for path in PAGES for first, second in LABELS.findall(text(path))}
    for term in terms:
        assert term.italian and all(
            word.strip() and set(letters) <= set("LPSRG, ") for word, letters in term.italian
        ), term
        assert term.place in labels, term
        assert len(term.meaning.split()) > 4, term
    names = [term.name.lower() for term in terms]
    assert len(names) == len(set(names)) and names == sorted(names, key=lambda name: name.replace("-", " "))


def test_an_entry_without_italian_is_named():
    page = "```{glossary}\nkey\n  A vector.\n\n  Italian: *chiave* (L). See {ref}`p4-qkv`.\n\nvalue\n  A vector.\n```"
    with pytest.raises(ValueError, match=r"not so: \['value'\]"):
        navigation.terms(page)


def test_a_place_that_ends_in_a_question_mark_has_no_stop_behind_it():
    """The place's title is put there by the build: "See How large may a step be?" and not "be?."."""
    titles = {}
    for path in PAGES:
        for labels, title in re.findall(r"^((?:\([\w-]+\)=\n+)+)#+ (.+)$", text(path), re.M):
            titles |= dict.fromkeys(re.findall(r"[\w-]+", labels), title)
    entries = re.findall(r"See \{ref\}`([\w-]+)`(\.?)$", text(navigation.GLOSSARY), re.M)
    assert len(entries) > 180 and {titles[place].endswith("?") for place, _ in entries} == {True, False}
    assert [place for place, stop in entries if titles[place].endswith("?") == bool(stop)] == []


# --------------------------------------------------------------------------------------------------------------- index
@pytest.mark.parametrize(
    ("title", "entry"),
    [
        ("(Four layers)", "Four layers"),
        ("(Universality (Furuya, de Hoop))", "Universality (Furuya, de Hoop)"),
        ("Stein", "Stein"),
        ("", ""),
    ],
)
def test_titles_of_theorems(title, entry):
    assert navigation.without_brackets(title) == entry


# ------------------------------------------------------------------------------------------------------------- symbols
def test_rows_and_places_of_symbols():
    assert set(symbols.ROWS.values()) == set(SYMBOLS) - {
        "z"
    }  # z stands for too many things to be explained by its letter
    assert set(symbols.WHERE) <= set(symbols.ROWS)
    codes = {re.sub(r".*/(\d\d)_\w+/(\w+)\..*", r"\1/\2", str(path)) for path in PAGES}
    for place in " ".join(symbols.WHERE.values()).split():
        assert any(place in (code, code[:2]) for code in codes), place
    anchors = [symbols.anchor(name) for name in SYMBOLS]
    assert len(set(anchors)) == len(SYMBOLS) and {"symbol-n", "symbol-capital-n", "symbol-tau"} <= set(anchors)


def test_a_letter_is_the_tables_only_where_it_is():
    page = "chapters/0{}_x/{}".format
    assert symbols.holds("B", page(6, "check")) and not symbols.holds(
        "B", page(5, "four_layers")
    )  # there it is a closed set
    assert (
        symbols.holds("W_Q", page(5, "any"))
        and not symbols.holds("W_Q", page(0, "any"))
        and not symbols.holds("W_Q", "book/notation")
    )


@pytest.mark.book
def test_a_pages_own_letters_stand_in_its_box(book):
    boxes = {
        page: re.search(r'<details class="course-symbols-here">.*?</details>', (book / page).read_text(), re.S)[0]
        for page in ("chapters/01_encoder_decoder/recurrence.html", "chapters/01_encoder_decoder/gradients.html")
    }
    with_own, without = boxes.values()
    assert (
        "update gate of a GRU" in with_own
        and with_own.count("on this page</p>") >= 8
        and "on this page</p>" not in without
    )
    assert f">{with_own.count('<dt')} symbols<" in with_own


def test_a_page_is_told_what_a_letter_means_there():
    def meant(name, docname):
        return symbols.meant(SYMBOLS[name].meaning, SYMBOLS[name].shape, f"chapters/{docname}")

    assert meant("C", "02_a/bottleneck") == (
        "context vector: what a decoder is told of the source (Cₜ: at step t)",
        "[r]",
    )
    assert meant("C", "06_a/stays_gaussian") == ("a head's scoring matrix W_Q W_Kᵀ/√m", "[d, d]")
    assert (
        meant("n", "06_a/spectra")[0] == "the size of a matrix"
        and meant("n", "00_a/matrices")[0] == "number of tokens in a sequence"
    )
    assert meant("A", "02_a/seven_steps")[1] == "a row a step" and meant("A", "03_a/scale")[1] == "[h, n, n]"
    assert meant("p", "04_a/source") == (SYMBOLS["p"].meaning, "[n, v]; [v]")  # both
    others = [
        name
        for name, symbol in SYMBOLS.items()
        for at, clause in enumerate(symbol.meaning.split("; "))
        if symbols.ELSEWHERE.fullmatch(clause)
    ]
    assert len(set(others)) >= 8


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"Q = X W_Q", {"Q", "X", "W_Q"}),
        (r"\mathrm{softmax}(d) + \sin n", {"d", "n"}),
        (r"A_{ij} = e^{S_{ij}} / Z_i", {"A", "S", "Z"}),
        (r"W_{Q}\, W_K'", {"W_Q"}),
        (r"n^2 m, Q K^\top V, d_k", {"n", "m", "Q", "K", "V"}),
        (r"\Sigma' + \varepsilon", {r"\varepsilon"}),
        (r"O(n^2 d) + O", {"n", "d", "O"}),
        (r"O(m)", {"m"}),
        (r"\textit{king} - \textit{man} + \text{n}", set()),
        (r"\dfrac{dH}{d\tau} + dp/d\tau", {r"\tau", "H", "p"}),
        (r"\frac{d}{h} + d/2", {"d", "h"}),
    ],
)
def test_symbols_within_a_formula(tex, found):
    assert symbols.within(tex) == found


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("a ($x$), then $y$$z$.", ["a ", "(x),", " then ", "y", "z."]),
        (
            "so $x = y$. Then $f(x)$, too",
            ["so ", r"x = y\text{.}", " Then ", "f(x),", " too"],
        ),  # one that may break: into its last box
    ],
)
def test_a_formula_keeps_the_punctuation_beside_it(line, parts):
    texts = [nodes.math(part, part) if i % 2 else nodes.Text(part) for i, part in enumerate(line.split("$")) if part]
    paragraph = nodes.paragraph("", "", *texts)
    for formula in list(paragraph.findall(nodes.math)):
        unbroken_formulas.keep(formula)
    assert [part.astext() for part in paragraph] == parts
    assert all(formula.parent in [*paragraph.children, paragraph] for formula in paragraph.findall(nodes.math))


@pytest.mark.parametrize(
    ("tex", "may"),
    [
        ("a + b", True),
        (r"x \in X", True),
        (r"x_{i=1}^{n+1}", False),
        (r"\left(a + b\right)", False),
        (r"\frac{a}{b}", False),
        (r"\sin x\,y", False),
        (r"\{x : y\}", True),
        (r"\frac{\{a : b\}}{c}", False),
        (r"p \leftarrow 1", True),
    ],
)
def test_where_a_formula_may_break(tex, may):
    assert unbroken_formulas.breaks(tex) == may


def test_plain_formulas():
    assert (
        symbols.plain(r" W_{Q} ") == "W_Q"
        and symbols.plain(r"H(p,\, q)") == "H(p,q)"
        and symbols.plain(r"\Gamma_{\theta}") == r"\Gamma_\theta"
    )


# ------------------------------------------------------------------------------------------------- times, needs, links
FRAMED = [each for listed in timetable.parts().values() for each in listed]


@pytest.mark.parametrize("page", FRAMED, ids=lambda page: page.path)
def test_the_stated_time_can_be_true(page):
    computed = reading_time.minutes(ROOT / f"{page.path}.ipynb")
    assert 0.5 <= timetable.minutes(page.takes) / computed <= 2, f"states {page.takes}, computed {computed:.0f} minutes"
    assert page.need.strip()


def test_a_time_from_to_counts_as_its_middle():
    assert [timetable.minutes(takes) for takes in ("45 minutes", "about 40 to 60 minutes", "90–120 minutes")] == [
        45,
        50,
        105,
    ]


def test_a_need_that_is_named_by_its_label_or_with_an_anchor_counts():
    assert timetable.wants(
            "[a](../chapters/01_encoder_decoder/neurons#l17-relu), {ref}`Adam <l17-optimisers>`, "
            "{ref}`l17-optimisers` and sums"
        ) == [
        "chapters/01_encoder_decoder/neurons", *["chapters/01_encoder_decoder/losses_and_descent"] * 2,
    ]  # fmt: skip
    asks, needs = timetable.asking(timetable.parts()), timetable.needed(timetable.parts())
    order = list(timetable.parts())
    assert all(order.index(other) < order.index(part) for part, others in needs.items() for other in others)
    assert asks["3 · The Transformer"]["1 · Encoder and decoder"] == {
        f"chapters/03_transformer/{name}" for name in ("feed_forward", "stabilisers")
    }
    assert "3 · The Transformer" in needs["6 · Gaussian attention"] and not needs["Primer"]


LAB_LINK = re.compile(r"\]\(\.\./\.\./labs/(\w+)\)")
WEEK = re.compile(r"^\| \d+ \| (.+) \| ([\d.]+) \|$", re.M)


def test_a_teachers_plan_needs_nothing_that_comes_later_and_its_hours_are_the_pages_own():
    four, eight, more = [
        weeks for part in text(ROOT / "book/teachers.md").split("\n###") if (weeks := WEEK.findall(part))
    ]
    assert [len(four), len(eight), len(more)] == [4, 8, 4]
    for plan in (four, eight + more):
        order = [path for row, _ in plan for path in timetable.wants(row)]
        for at, path in enumerate(order):
            assert not set(timetable.wants(timetable.page(path).need)) & set(order[at:]), path
        for row, hours in plan:
            assert (
                timetable.in_hours(
                    sum(timetable.minutes(timetable.page(path).takes) for path in timetable.wants(row)) / 60
                )
                == f"{hours} hours"
            ), row


def test_chapters_lead_to_their_labs_and_back():
    """A chapter's labs stand on its last page; the primer has none, and the last lab belongs to no chapter."""
    led = set()
    for folder in sorted(ROOT.glob("chapters/*")):
        pages = [
            ROOT / f"{page.path}.myst.md" for page in FRAMED if page.path.startswith(f"chapters/{folder.name}/")
        ]  # as the contents have them
        labs = LAB_LINK.findall(text(pages[-1]))
        assert labs or folder.name == "00_primer", f"{pages[-1].name} leads to no lab"
        for lab in labs:
            assert f"](../../labs/{lab})" in text(pages[0]), f"{pages[0].name} does not lead to {lab}"
            assert f"chapters/{folder.name}/" in timetable.page(f"labs/{lab}").need, (
                f"{lab} does not say which pages of {folder.name} it needs"
            )
        led |= set(labs)
    assert {lab.name.split(".")[0] for lab in LABS} == led | {"autograd"}


def test_hours_are_told_by_the_half():
    assert [timetable.in_hours(value) for value in (1.42, 1.1, 5.33)] == ["1.5 hours", "1 hour", "5.5 hours"]


def test_the_drawing_shows_each_need_once():
    needs = {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}}
    svg = timetable.drawing(list("abcd"), needs, "words", dict.fromkeys("abcd", "1 hour"))
    lanes = [re.fullmatch(r"M(\d+) [\d.]+H(\d+)V[\d.]+(.*)", path) for path in re.findall(r'<path d="([^"]+)"', svg)]
    lanes = [each for each in lanes if each]
    straight = svg.count("<path") - len(lanes)
    branches = [each[3].count("M") for each in lanes]
    assert straight == 2 and branches == [
        1,
        1,
    ]  # a-b and c-d go straight; a to c and b to d beside the boxes, each in a lane of its own
    assert len({each[2] for each in lanes}) == 2 and svg.count("<circle") == sum(branches) and svg.count("<rect") == 4
    ends = [float(y) for each in lanes for y in re.findall(r"M\d+ ([\d.]+)H", each[3])]
    boxes = [float(y) for y in re.findall(r'<rect x="[-\d]+" y="([-\d]+)"', svg)]
    assert all(boxes[at] < y < boxes[at] + timetable.HIGH for at, y in zip((2, 3), ends, strict=True))


# -------------------------------------------------------------------------------------------- agreement in the ledger
@pytest.mark.parametrize(
    ("printed", "ours", "kind"),
    [
        ("1.213", 1.2127, "agrees"), ("1.213", 1.2136, "differs"), ("0.56234", 0.5623, "agrees"), ("72", 72, "agrees"),
        ("72", 71, "differs"),
        ("150", 150.2, "agrees"), ("150", 152.1, None), ("150", 156.0, "differs"), ("2", 2.04, None), ("2", 3.1,
        "differs"), ("0", 0.2, None),
        ("-100000", -0.3, "differs"), ("5.3e-5", 0.0058, "differs"), ("3.5", 3.472, "agrees"), ("1", 1.0, "agrees"),
    ],
)  # fmt: skip
def test_only_what_digits_decide_is_marked(printed, ours, kind):
    found = agreement.mark(SimpleNamespace(apart="", source=printed, ours=ours))
    assert (found.kind if found else None) == kind


def test_bounds_and_words():
    mark = lambda source, ours, apart="": agreement.mark(SimpleNamespace(apart=apart, source=source, ours=ours))
    assert mark("over 10", 7.558).kind == "differs" and mark("over 10", 10.1).kind == "agrees"
    assert mark("under 1 %", 0.558).kind == "agrees" and mark("under 1 %", 2.1).words == "differs: not under 1"
    assert mark("all", 13) is mark("3/4", 0.7) is None
    assert mark("26.71", 14.27, "another corpus") == ("apart", "not compared: another corpus")
    assert (
        agreement.how_much(6, 5) == "by 1"
        and agreement.how_much(100, 88) == "12 % less"
        and agreement.how_much(1, 30.4) == "30 times more"
    )
    assert agreement.half_units("150") == (Decimal("0.5"), Decimal(5)) and agreement.half_units("0.30") == (
        Decimal("0.005"),
        Decimal("0.005"),
    )


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (8000, "updates", "8000 updates"), (182852, "", "182,852"), (-100000, "", "−100,000"), (-0.30761, "",
        "−0.3076"), (5.3e-5, "", "5.3·10⁻⁵"), (15170.3, "", "15,170"), (2.5e9, "", "2.5·10⁹"),
        (3.283, "·10¹⁸ FLOPs", "3.283·10¹⁸ FLOPs"),
    ],
)  # fmt: skip
def test_numbers_are_shown_in_one_form(value, unit, shown):
    assert tables.with_unit(tables.number(value), unit) == shown


def test_texts_of_the_data():
    assert tables.with_unit(tables.typeset("under 1 %"), "points") == "under 1 %" and tables.typeset("3/4") == "3/4"
    found = tables.inline("a **b `c*d` $e_1$** $f$, *g* h* **i**")
    assert [(type(node).__name__, node.astext()) for node in found] == [
        ("Text", "a "), ("strong", "b c*d e_1"), ("Text", " "), ("math", "f"), ("Text", ", "), ("emphasis", "g"),
        ("Text", " h* "), ("strong", "i"),
    ]  # fmt: skip
    assert [type(node).__name__ for node in found[1]] == ["Text", "literal", "Text", "math"]
    assert [node.astext() for node in symbols.one_by_one("[r]; [d, d]").findall(nodes.literal)] == ["[r]", "[d, d]"]
    assert [node.astext() for node in symbols.one_by_one("H(p), H(p, q)").findall(nodes.literal)] == ["H(p)", "H(p, q)"]


# ---------------------------------------------------------------------------------------------------------- quotations
def test_quotations_are_short():
    quoted = {}
    for path in [*PAGES, *LABS, *ROOT.glob("book/*.md"), ROOT / "book/data/errata.md", ledger.LEDGER]:
        body = re.sub(r"```\{code-cell\}.*?\n```", "", text(path), flags=re.S)
        blocks = re.findall(r"(?:^> .*\n?)+", body, re.M)
        spans = re.findall(r"“([^”]+)”|\"([^\"\n]+)\"", body) if path.suffix == ".md" else []
        quoted |= {found: path.name for found in [*blocks, *(first or second for first, second in spans)]}
    assert len(quoted) > 40
    assert [(name, found) for found, name in quoted.items() if len(found.split()) > QUOTED] == []
