"""The book's one Sphinx extension: it makes the published pages self-contained and alive.

    address   launch buttons and the 404 page, from the one setting in pyproject.toml
    figures   plotly figures, drawn by one shared plotly.js that is fetched when a figure comes near
    live      anywidgets without a kernel: state slimmed, code and data by content key
    assets    vendored files in, unused theme files out
    citations the bibliography as a list that a screen reader understands
    ledger    the ledger, errata and symbol tables, made from their data
    proofs    no id twice on a page
    timetable what each page teaches, needs and takes, for teachers
"""

import hashlib
from pathlib import Path

from . import address, assets, citations, figures, ledger, live, proofs, shell, timetable


def setup(app):
    """Register every part; each part's own `setup` says what it connects to."""
    # Sphinx rebuilds all pages when a configuration value changes: let one stand for this code
    code = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    app.add_config_value("course_book_code", hashlib.sha256(code).hexdigest(), "env")
    for part in (address, assets, citations, figures, ledger, live, proofs, shell, timetable):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
