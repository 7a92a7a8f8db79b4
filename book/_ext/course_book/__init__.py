"""The book's one Sphinx extension: it makes the published pages self-contained and alive.

address           the repository's button and the 404 page, from the one setting in pyproject.toml
launch            ways to run a page with code, and its notebook for download
report            a link at the foot of every page, to report an error
figures           plotly figures, drawn by one shared plotly.js that is fetched when a figure comes near
search_entries    what a search must find first, symbols and folds too
fold_addresses    proofs, findings, slips of the sources: each has an address
live_figures      all of them, with their questions
live              anywidgets without a kernel: state slimmed, code and data by content key
assets            vendored files in, unused theme files out
bundles           one style sheet and one script for all pages, each page's head in order
citations         the bibliography as a list that a screen reader understands
ledger_page       the ledger and the errata, made from the data that ledger reads; agreement decides the marks
tables            what pages made from data are written with
navigation        the index, the list from Italian, the version in the footer
symbols           the symbol table, formulas that explain themselves, and the box of a page's symbols
unbroken_formulas a formula keeps the punctuation beside it
outputs           printed sentences wrap on a phone, printed tables scroll
proofs            no id twice on a page
reference         course_lib module by module, from its source, which public reads
code_names        lead there from the code of the pages
timetable         what each page needs and takes
covers            a picture for each chapter, on the title page
dials             buttons in the text that set a widget's dials
entry_routes      ways into the book, with their times, and the title page's style
meta              what a search engine and a shared link say of a page
diagrams          boxes and arrows from a few lines of text, step by step; grid lays them out
evidence          what a prediction is about stays covered until it is made
real_models       the weights of two real models, where COURSE_MODELS=1 asks for them
practice          old questions asked again, and the reader's progress; questions collects them
"""

import hashlib
import sys
from importlib import import_module
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))  # `tools`, for `jupyter-book build` from anywhere

PARTS = (
    "address",
    "assets",
    "bundles",
    "citations",
    "code_names",
    "covers",
    "diagrams",
    "dials",
    "entry_routes",
    "evidence",
    "figures",
    "fold_addresses",
    "launch",
    "ledger_page",
    "live",
    "live_figures",
    "meta",
    "navigation",
    "outputs",
    "practice",
    "proofs",
    "real_models",
    "reference",
    "report",
    "search_entries",
    "shell",
    "symbols",
    "tables",
    "timetable",
    "unbroken_formulas",
)


def setup(app):
    """Register every part; each part's own `setup` says what it connects to."""
    # Sphinx rebuilds all pages when a configuration value changes: let one stand for this code
    code = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    app.add_config_value("course_book_code", hashlib.sha256(code).hexdigest(), "env")
    for part in PARTS:
        import_module(f".{part}", __name__).setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
