"""Notebooks in plain Markdown: nothing of MyST is left, code and formulas are what they were, links lead somewhere."""

import json
import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from tools.book import crossrefs, launch
from tools.book.crossrefs import Links, Places
from tools.book.plain_markdown import Plain
from tools.notebooks import first_cell
from tools.repository import ROOT, Repository

KNOWN = Repository("https://github.com/Someone/attention")
COMMON = MarkdownIt("commonmark").enable("table")  # what every reader understands, and nothing of ours
MATH = re.compile(r"\$\$.+?\$\$|\$[^$\n]+(?:\n[^$\n]+)?\$", re.S)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rendered")
    assert len(launch.write(folder, Repository())) == len(first_cell.stored())
    return folder


def test_what_a_learner_has_changed_stays(out, tmp_path, monkeypatch):
    pages = [ROOT / "labs/universality.ipynb", ROOT / "labs/gaussian_attention.ipynb"]
    monkeypatch.setattr(first_cell, "stored", lambda: pages)
    assert len(launch.write(tmp_path, Repository(), keep=True)) == 2
    mine = tmp_path / "labs/universality.ipynb"
    mine.write_text(mine.read_text().replace("universal", "my own"))
    assert launch.write(tmp_path, Repository(), keep=True) == [tmp_path / "labs/gaussian_attention.ipynb"]
    assert "my own" in mine.read_text()
    mine.unlink()
    assert len(launch.write(tmp_path, Repository(), keep=True)) == 2 and "my own" not in mine.read_text()


def cells(path: Path, kind: str) -> list[dict]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def texts(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(path, "markdown")]


def leftovers(text: str) -> list[str]:
    """MyST that plain Markdown would show raw."""
    found = []
    for token in COMMON.parse(text):
        if token.type == "fence":
            found += [token.info] if token.info.startswith("{") else []
        elif token.type == "inline":
            previous = ""
            for child in token.children:
                if child.type == "code_inline" and re.search(r"\{[\w:-]+\}$", MATH.sub("", previous)):
                    found.append(f"{previous[-12:]}`{child.content}`")
                previous = child.content if child.type == "text" else ""
            plain = re.sub(CODE, "", MATH.sub("", token.content))
            found += re.findall(r"\$\$ \([\w-]+\)$", token.content, re.M)
            found += re.findall(r"^:::.*|^\([\w-]+\)=$|^\{[.#][^}]*\}$|\[\^[\w-]+\]|^% .*|!\[", plain, re.M)
    return found


def test_the_check_for_leftovers_sees_them():
    kinds = [
        "(a-b)=\n# T",
        "```{note}\nx\n```",
        ":::{tip}\nx\n:::",
        "see {ref}`x`",
        "% hidden",
        "{.wide}\ntext",
        "note[^1]",
        "![a](b.png)",
        "$$\nx\n$$ (label)",
    ]
    assert all(leftovers(kind) for kind in kinds)
    assert not leftovers("`{ref}` and $\\hat{x}$ (see)= `x`\n\n```python\n{ref}`x`\n```")


def test_no_myst_is_left(out):
    assert {
        str(path): left
        for path in out.rglob("*.ipynb")
        if (left := [each for text in texts(path) for each in leftovers(text)])
    } == {}


def test_code_and_its_text_outputs_are_unchanged_and_widgets_left_out(out):
    for stored in first_cell.stored():
        path = out / stored.relative_to(ROOT)
        old, new = cells(stored, "code"), cells(path, "code")
        assert [cell["source"] for cell in old] == [cell["source"] for cell in new]
        assert [cell["id"] for cell in old] == [cell["id"] for cell in new]
        kept = [[each for each in cell["outputs"] if launch.VIEW not in each.get("data", {})] for cell in old]
        assert kept == [cell["outputs"] for cell in new]
        text = path.read_text()
        assert "widget-state" not in text and path.stat().st_size < 450_000
        assert json.loads(text)["cells"][0]["id"] == "course-note"


def test_formulas_are_the_same_byte_for_byte(out):
    seen = 0
    for stored in first_cell.stored():
        for old, new in zip(texts(stored), texts(out / stored.relative_to(ROOT))[1:], strict=True):
            wanted, rest = MATH.findall(CODE.sub("", old)), iter(MATH.findall(CODE.sub("", new)))
            assert all(formula in rest for formula in wanted), (
                stored,
                old,
            )  # in this order; names of labels may add some
            seen += len(wanted)
    assert seen > 5000


def test_links_lead_somewhere(out):
    counted = {"#": 0, "https": 0, "file": 0}
    for path in out.rglob("*.ipynb"):
        tokens = [token for text in texts(path) for token in COMMON.parse(text)]
        headings = {
            "-".join(after.content.split(" ")) for token, after in pairwise(tokens) if token.type == "heading_open"
        }
        for child in (child for token in tokens for child in token.children or ()):
            if child.type not in {"link_open", "image"}:
                continue
            address = child.attrs.get("href") or child.attrs["src"]
            if address.startswith("#"):
                assert unquote(address[1:]) in headings, (path, address)
                counted["#"] += 1
            elif address.startswith("https://"):
                counted["https"] += 1
            else:
                assert (path.parent / unquote(address)).exists(), (path, address)
                counted["file"] += 1
    assert all(counted.values()), counted


def test_a_known_address_makes_links_into_the_published_book():
    path = ROOT / "labs/solutions/attention_by_hand.ipynb"
    notebook = launch.rendered(path, KNOWN, crossrefs.places(), at="abc123")
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert f"[Attention, derived]({KNOWN.pages}chapters/03_transformer/attention.html)" in text
    assert f"({KNOWN.pages}labs/attention_by_hand.html)”, with solutions" in text and ".ipynb" not in text
    assert '@abc123"' in next(cell.source for cell in notebook.cells if cell.id == first_cell.ID)


SAMPLE = r"""
(start)=
# Start $x$

% for editors

See {ref}`start`, {prf:ref}`thm-a`, {cite:p}`vaswani2017,cybenko1989`, `{ref}` and `code`;
[a [b] $[0, 1]$](two#end), [the ledger](ledger).
Also {term}`token`, {dials}`set b <w.a=1&w.b=2#w>`.

````{prf:theorem} Of Pythagoras, for $n$
:label: thm-a
Then $a^2 + b_1$.

```{dropdown} Proof of *it*, $x_1$
Look.
```
````

:::{note}
Short.
:::

- item

  ```{admonition} Inside
  :class: tip
  text {ref}`start`
  ```

| a | b |
|---|---|
| {ref}`start` | [two](two) |

```{recall}
:pages: x
```
"""


def render(repository: Repository) -> str:
    found = Places(rendered={"book/one", "book/two"})
    found.read("book/one", SAMPLE)
    found.read("book/two", "# Two\n\n(end)=\n## The end\n")
    return Plain(Links(found, repository, "book/one"), base="book")(SAMPLE)


def test_every_construction_becomes_plain_markdown():
    text = render(Repository())
    assert leftovers(text) == [] and "editors" not in text and "recall" not in text
    assert (
        "See Start $x$, Theorem 1, ([Vaswani et al., 2017](https://arxiv.org/abs/1706.03762); Cybenko, 1989), "
        "`{ref}` and `code`"
    ) in text
    assert "[a [b] $[0, 1]$](two.ipynb), the ledger." in text and "Also token, set b." in text
    assert "**Theorem 1** (Of Pythagoras, for $n$)." in text
    assert "<summary>Proof of <em>it</em>, $x_1$</summary>\n\nLook.\n\n</details>" in text
    assert "<blockquote>\n\n**Note**\n\nShort.\n\n</blockquote>" in text
    assert "  <blockquote>\n\n  **Inside**\n\n  text Start $x$\n\n  </blockquote>" in text
    assert "| Start $x$ | [two](two.ipynb) |" in text


def test_with_an_address_every_reference_is_a_link():
    text, pages = render(KNOWN), "https://someone.github.io/attention/book/"
    for link in (f"[Start $x$]({pages}one.html#start)", f"[Theorem 1]({pages}one.html#thm-a)",
                 f"[Cybenko, 1989]({pages}bibliography.html)", f"[a [b] $[0, 1]$]({pages}two.html#end)",
                 f'<a href="{pages}one.html?w.a=1&amp;w.b=2#w">set b</a>'):  # fmt: skip
        assert link in text
