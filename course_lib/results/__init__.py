"""Stored results: a small table for each computation that is too long for a page, with the command that made it.

`load("fact_probe")` reads fact_probe.json beside this file, which `python studies/fact_probe.py` writes. A test
recomputes a sample of each. `study` is the harness of all these commands: what is wanted, what is done, what is to do.
"""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def load(name: str) -> dict[str, Any]:
    """The table `name`, as the dict that its command wrote. ValueError lists the tables there are."""
    path = HERE / f"{name}.json"
    if not path.is_file():
        raise ValueError(f"name must be one of {', '.join(sorted(p.stem for p in HERE.glob('*.json')))}, got {name!r}")
    return json.loads(path.read_text(encoding="utf-8"))
