r"""Formulas that explain themselves: which symbol of the notation table an inline formula is.

An inline formula that consists of one symbol, `$W_Q$`, gets the classes `course-symbol` and `course-is-<anchor>`, and
each page gets a box that lists the symbols in its formulas, each with its meaning and a link to the notation table. The
box is the keyboard's and the screen reader's way; static/symbols.js shows the same words where a mouse rests or a
finger taps.

A letter may mean something else for a few lines: a theorem says "let $P$ be a permutation matrix". A wrong explanation
is worse than none, so WHERE says on which pages a letter is the table's, and in theorems and proofs only the
unmistakable ones are marked.
"""

import re
import unicodedata

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from .tables import paragraph, table

# A formula → the row of course_lib.SYMBOLS. Where a row has several symbols, each has its line.
ROWS = {
    "n": "n", "s": "s", "v": "v", "d": "d", "m": "m", "r": "r", "h": "h", "b": "b", r"\ell": "ℓ", "E": "E", "P": "P",
    "X": "X",
    "s_t": "sₜ", "H": "H", "C": "C", "C_t": "C", "W_x": "W_x, W_s, b", "W_s": "W_x, W_s, b", "Q": "Q", "K": "K",
    "V": "V", "S": "S",
    "A": "A", "Z": "Z", "O": "O", "Y": "Y", "W_Q": "W_Q, W_K, W_V", "W_K": "W_Q, W_K, W_V", "W_V": "W_Q, W_K, W_V",
    "W_O": "W_O",
    "w_q": "w_q, w_k, w_v, w_o", "w_k": "w_q, w_k, w_v, w_o", "w_v": "w_q, w_k, w_v, w_o", "w_o": "w_q, w_k, w_v, w_o",
    "W_1": "W_1, W_2", "W_2": "W_1, W_2", "w_1": "w_1, w_2", "w_2": "w_1, w_2", r"\gamma": "γ, β", "N": "N",
    "W_3": "W_3, w_3",
    "w_3": "W_3, w_3", "p": "p", "q": "q", "H(p)": "H(p), H(p, q)", "H(p,q)": "H(p), H(p, q)", r"D(p\|q)": "D(p‖q)",
    "T": "T, π",
    r"\pi": "T, π", "M": "M", r"A_\theta(X,x)": "A_θ(X, x)", r"A_\theta": "A_θ(X, x)",
    r"\Gamma_\theta(\mu,x)": "Γ_θ(μ, x)",
    r"\Gamma_\theta": "Γ_θ(μ, x)", r"\diamond": "⋄", r"T_\sharp\mu": "T♯μ", r"\rightharpoonup": "⇀", "w": "w",
    r"\varphi": "φ",
    r"\mu": "μ, Σ", r"\Sigma": "μ, Σ", "B": "B", r"\varepsilon": "ε", r"\tau": "τ",
}  # fmt: skip
MAPS = ("W_Q", "W_K", "W_V", "W_O")  # unmistakable also in a proof; they come after the primer
# Where the letter is the table's: chapters ("04") and pages ("03/heads"). A formula that is not here is the table's
# everywhere.
WHERE = {
    "n": "00/matrices 00/tensors 01/recurrence 02/scores 02/alignments 02/self_attention 03 07 04/model "
    "04/training 04/tables 04/conclusions 05/context 05/measures 05/universality 05/continuity "
    "05/training 05/regression 06/spectra 06/check",
    "s": "03/positions 03/what_heads_do",
    "v": "00/chance 03/journey 03/embeddings 03/next_word 03/whole_model 04",
    "d": "00/matrices 00/tensors 01/recurrence 02 03 07 04/model 04/worked_example 04/training 04/tables "
    "04/conclusions 06",
    "m": "02/scores 02/alignments 02/self_attention 03 07 04 06",
    "r": "01/neurons 01/recurrence 01/forward_and_backward 01/gradients 02/scores 03/feed_forward "
    "03/stabilisers 03/cost 04/model 04/markov",
    "h": "03/masks 03/what_heads_do 03/cost 04/markov 06/stays_gaussian",
    "b": "00/tensors",
    r"\ell": "03/residual_norm 03/feed_forward 03/what_heads_do 05/universality",
    "E": "03/journey 03/embeddings 03/encoder_decoder 03/whole_model 04",
    "P": "03/attention 04",
    "X": "00/matrices 02/self_attention 03/attention 03/scale 03/masks 03/feed_forward 04 05/context",
    "s_t": "01/recurrence 01/forward_and_backward 01/gradients 01/sequence_to_sequence 02",
    "H": "01/recurrence 02/bottleneck 02/seven_steps 02/self_attention",
    "C": "01/recurrence 01/sequence_to_sequence 02/bottleneck 02/seven_steps 06/stays_gaussian 06/teacher_student",
    "C_t": "02",
    "Q": "03 07 04",
    "K": "03/attention 03/scale 03/masks 03/what_heads_do 04",
    "V": "03 07 04",
    "S": "02/seven_steps 03/scale",
    "A": "02/seven_steps 03/scale 03/stabilisers 03/what_heads_do 04/model",
    "Z": "03/scale 04",
    "O": "04",
    "Y": "03/scale 04",
    "W_1": "03/residual_norm 03/feed_forward 04",
    "W_2": "03/residual_norm 03/feed_forward 04",
    r"\gamma": "03/residual_norm",
    "N": "04/model",
    "M": "05/context 06/teacher_student",
    "p": "03/next_word 04",
    "q": "04",
    "T": "04/markov",
    r"\pi": "04/markov",
    "w": "03/what_heads_do",
    r"\varphi": "03/what_heads_do",
    **dict.fromkeys(MAPS, "02/scores 02/alignments 02/self_attention 03 07 04 05 06"),
    **dict.fromkeys(("w_q", "w_k", "w_v", "w_o", "w_1", "w_2", "w_3"), "04"),
    r"\mu": "05/measures 05/universality",
    r"\Sigma": "06",
    "B": "06/stays_gaussian 06/check 06/iteration 06/teacher_student",
    r"\varepsilon": "06",
    r"\tau": "03/heads 03/next_word",
}

# What a row of the table says of one place alone: "…; in chapters 5 and 6 a head's scoring matrix"
ELSEWHERE = re.compile(r"(?:in chapters? (\d(?: and \d)?)|on the page of (spectra|Markov sources)),? (.+)")
PAGES = {"spectra": "06/spectra", "Markov sources": "04/markov"}
PAGE = re.compile(r"chapters/(\d\d)_\w+/(\w+)$")
INDEX = re.compile(r"(_[ijt\d]+)?")  # a place in a matrix, not another name


def anchor(name: str) -> str:
    """The id of a symbol's row on the notation page: symbol-w-q-w-k-w-v, symbol-capital-n, symbol-tau."""
    from course_lib import SYMBOLS

    name = {"⋄": "diamond", "⇀": "harpoon", "T♯μ": "push-forward", "D(p‖q)": "divergence"}.get(name, name)
    if not name.isascii():
        words = [unicodedata.name(char).lower().split(" with ")[0].split() for char in name if char.isalpha()]
        name = " ".join(("capital " if "capital" in word and word[0] == "greek" else "") + word[-1] for word in words)
    elif name.isupper() and name.lower() in SYMBOLS:
        name = f"capital {name}"  # ids do not tell n from N
    return nodes.make_id(f"symbol-{name}")


def holds(tex: str, docname: str) -> bool:
    """Does this formula mean the table's symbol on this page? Pages outside the chapters have no formulas of their
    own."""
    match = PAGE.match(docname)
    if match is None or tex not in ROWS:
        return False
    chapter, page = match.groups()
    return tex not in WHERE or bool({chapter, f"{chapter}/{page}"} & set(WHERE[tex].split()))


def meant(meaning: str, shape: str, docname: str) -> tuple[str, str]:
    """A symbol's meaning and shape on this page: of what the table says of single chapters or pages, only what holds
    here."""
    chapter, page = PAGE.match(docname).groups()
    clauses, shapes = meaning.split("; "), shape.split("; ")
    for at, clause in enumerate(clauses):
        if found := ELSEWHERE.fullmatch(clause):
            chapters, name, words = found.groups()
            if (name and PAGES[name] == f"{chapter}/{page}") or chapter in (
                f"0{each}" for each in (chapters or "").split(" and ")
            ):
                return words, shapes[at] if len(shapes) == len(clauses) else shapes[0]
    kept = [at for at, clause in enumerate(clauses) if not ELSEWHERE.fullmatch(clause)]
    return "; ".join(clauses[at] for at in kept), "; ".join(shapes[at] for at in kept) if len(shapes) == len(
        clauses
    ) else shape


def plain(tex: str) -> str:
    r"""A formula without what does not change its meaning: `W_{Q}` and ` W_Q ` are `W_Q`."""
    return re.sub(r"\{(\\?\w+)\}", r"\1", re.sub(r"\\[,;!]|\s+", "", tex))


def spoken(text: str) -> str:
    r"""A text with formulas as one types it: `\sqrt{m}` is √m, `\tau` is τ; other commands say nothing."""

    def letter(found: re.Match) -> str:
        size = "CAPITAL" if found[1][0].isupper() else "SMALL"
        try:
            return unicodedata.lookup(f"GREEK {size} LETTER {found[1].removeprefix('var').upper()}")
        except KeyError:
            return " "

    text = re.sub(r"\\sqrt\s*\{?(\w+)\}?", r"√\1", text)
    return " ".join(re.sub(r"[{}$\\]", "", re.sub(r"\\([A-Za-z]+)", letter, text)).split())


def within(tex: str) -> set[str]:
    """The formulas of ROWS that stand in a longer one: not the n of \\sin, nor the W_Q of W_Q'; an entry A_{ij} stands
    for its A."""
    text = re.sub(r"\\(?:text\w*|mathrm|operatorname|mathbb|mathcal)\*?\s*\{[^}]*\}", " ", tex)
    text = re.sub(r"\\d?frac\s*\{d(\w?)\}\s*\{d(?=\\|\w)|\bd(\w)\s*/\s*d(?=\\|\w)", r" \1\2 ", text)  # a derivative's d
    text = re.sub(r"O(?=\()", " ", text)  # Landau's O(n), not the output of a head
    text = re.sub(r"\\(?:begin|end|left|right)\b\s*(?:\{\w+\*?\})?", " ", text)
    text = re.sub(r"_\{(\\?\w+)\}", r"_\1 ", text)
    pieces = re.findall(
        r"(\\[A-Za-z]++|[A-Za-z])((?:_(?:\\[A-Za-z]+|\d+|[A-Za-z](?:[a-z]*(?= ))?))?+)\s*('|\^\{?')?", text
    )
    named = [(letter, index) for letter, index, prime in pieces if not prime]
    found = {
        letter + index if letter + index in ROWS else letter
        for letter, index in named
        if letter + index in ROWS or INDEX.fullmatch(index)
    }
    return found & set(ROWS)


class letters(nodes.Element):
    """Letters that mean something on this page alone: rows of (formula, meaning, shape)."""


class Letters(SphinxDirective):
    r"""`{letters}`: the page's own letters, for its box. A line a letter: `\delta_t | what it means | [r]`, a number
    without a shape."""

    has_content = True

    def run(self):
        rows = [[part.strip() for part in f"{line} | ".split(" | ")[:3]] for line in self.content if line.strip()]
        if bad := [row[0] for row in rows if len(row) < 3]:
            raise self.error(f"a letter, its meaning, and maybe a shape, with ' | ' between: {bad[0]}")
        return [letters("", rows=rows)]


class MarkSymbols(SphinxTransform):
    """Mark the formulas that are one symbol, and put the page's box behind its frame."""

    default_priority = 810

    def apply(self, **kwargs):
        docname, found = self.env.docname, set()
        for formula in list(self.document.findall(lambda node: isinstance(node, nodes.math | nodes.math_block))):
            found |= {tex for tex in within(formula.astext()) if holds(tex, docname)}
            tex = plain(formula.astext())
            if (
                isinstance(formula, nodes.math)
                and holds(tex, docname)
                and not (tex in WHERE and tex not in MAPS and local(formula))
            ):
                formula["classes"] += ["course-symbol", f"course-is-{anchor(ROWS[tex])}"]
                found.add(tex)
        own = []
        for node in list(self.document.findall(letters)):
            own += node["rows"]
            node.parent.remove(node)
        frame = next(iter(self.document.findall(nodes.admonition)), None)
        if (found or own) and frame is not None:
            at = frame.parent.index(frame) + 1
            frame.parent[at:at] = self.box(found, own)

    def box(self, found: set[str], own: list[list[str]]) -> list[nodes.Node]:
        from course_lib import SYMBOLS

        home = self.app.builder.get_relative_uri(self.env.docname, "book/notation")
        listed = nodes.definition_list()
        order = list(ROWS)
        rows: dict[str, list[str]] = {}
        for tex in sorted(found, key=order.index):
            rows.setdefault(ROWS[tex], []).append(tex)
        for name, formulas in sorted(rows.items(), key=lambda row: list(SYMBOLS).index(row[0])):
            symbol = SYMBOLS[name]
            term = nodes.term(ids=[f"here-{anchor(name)}"])
            for index, tex in enumerate(formulas):
                term += [nodes.Text(", ")] if index else []
                term += nodes.math(tex, tex)
            words, shape = meant(symbol.meaning, symbol.shape, self.env.docname)
            link = nodes.reference("", "in the table", internal=True, refuri=f"{home}#{anchor(name)}")
            link["reftitle"] = f"{name} in the table of notation"
            listed += nodes.definition_list_item(
                "", term, nodes.definition("", said(words, shape), nodes.paragraph("", "", link))
            )
        for tex, words, shape in own:
            listed += nodes.definition_list_item(
                "",
                nodes.term("", "", nodes.math(tex, tex)),
                nodes.definition("", said(words, shape), nodes.paragraph("", "on this page")),
            )
        count = len(rows) + len(own)
        words = "1 symbol" if count == 1 else f"{count} symbols"
        opening = (
            '<details class="course-symbols-here"><summary>Symbols on this page '
            f'<span class="course-count">{words}</span></summary>\n<p class="course-mouse">In the text, a '
            f"symbol with a dotted line "
            "under it says the same when you rest on it or tap it.</p>"
        )
        return [nodes.raw("", opening, format="html"), listed, nodes.raw("", "</details>", format="html")]


def said(words: str, shape: str) -> nodes.paragraph:
    return nodes.paragraph(
        "",
        "",
        nodes.Text(words.replace("`", "") + "\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}"),
        nodes.literal("", shape or "a number"),
    )


def local(formula: nodes.Node) -> bool:
    """Does it stand in a theorem or a proof, where letters are introduced for a few lines?"""
    above = formula.parent
    while above is not None:
        title = next((child for child in above.children if isinstance(child, nodes.title | nodes.rubric)), None)
        if "proof" in above.get("classes", []) or (title is not None and title.astext().startswith("Proof")):
            return True
        above = above.parent
    return False


def one_by_one(symbols: str) -> nodes.paragraph:
    """Each symbol, or shape, as code of its own: a line may end between two, not within one."""
    made = paragraph()
    for part in re.split(r"([;,] )(?![^(\[]*[)\]])", symbols):
        made += nodes.Text(part) if part in (", ", "; ") else nodes.literal("", part)
    return made


class Symbols(SphinxDirective):
    """`{symbols}`: the symbol table of course_lib."""

    def run(self):
        from course_lib import SYMBOLS
        from course_lib import __file__ as where

        self.env.note_dependency(where)
        letters = ["L", "P", "S", "R", "G"]
        cells = [
            [one_by_one(name), symbol.meaning, one_by_one(symbol.shape) if symbol.shape else "number"]
            + [one_by_one(symbol.sources[letter]) if letter in symbol.sources else "—" for letter in letters]
            for name, symbol in SYMBOLS.items()
        ]
        box = table(["Symbol", "Meaning", "Shape", *letters], cells, "Symbol table", [anchor(name) for name in SYMBOLS])
        box["classes"].append("course-symbols")
        return [box]


def setup(app):
    app.add_transform(MarkSymbols)
    app.add_directive("symbols", Symbols)
    app.add_directive("letters", Letters)
    app.add_node(letters)
    app.add_js_file("course/symbols.js", defer="defer")
    app.add_css_file("course/navigation.css")
