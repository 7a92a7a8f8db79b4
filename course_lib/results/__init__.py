"""Stored results: a small table for each computation that is too long for a page, with the command that made it.

`load("fact_probe")` reads fact_probe.json beside this file. Every table names its command under "command"; a test recomputes
a sample of each.
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


def store(name: str, table: dict[str, Any]) -> Path:
    """Write the table `name`, whole or not at all, keys in the order given. ValueError where it names no command."""
    if not table.get("command"):
        raise ValueError("table must name the command that makes it under 'command', got none")
    path = HERE / f"{name}.json"
    scratch = path.with_suffix(".part")
    scratch.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    scratch.replace(path)
    return path
