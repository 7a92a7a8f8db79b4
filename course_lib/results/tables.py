"""A table as a file: one row a line, so that a difference between two commits can be read."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from course_lib import whole


def store(path: Path, table: dict[str, Any]) -> None:
    """Write the table, keys in the order given. ValueError where it names no command; OSError names the file, and
    leaves the old one."""
    if not table.get("command"):
        raise ValueError("table must name the command that makes it under 'command', got none")
    whole.write(path, text(table) + "\n")


def short(values: Any, digits: int = 4) -> Any:
    """A number to so many significant digits; of an array, a list or a tensor nested lists of them."""
    array = np.asarray(values, dtype=float)
    return float(f"{array:.{digits}g}") if array.ndim == 0 else [short(value, digits) for value in array]


def text(table: dict[str, Any]) -> str:
    """JSON with each item of a list or dict of the table on a line of its own; what has "rows" is such a table
    itself."""
    lines = []
    for name, value in table.items():
        if isinstance(value, dict) and value and "rows" not in value:
            written = "{\n" + ",\n".join(f"{line(key)}: {line(each)}" for key, each in value.items()) + "\n}"
        elif isinstance(value, list) and value:
            written = "[\n" + ",\n".join(map(line, value)) + "\n]"
        else:
            written = line(value)
        lines.append(f"{line(name)}: {written}")
    return "{\n" + ",\n".join(lines) + "\n}"


def line(value: Any) -> str:
    return text(value) if isinstance(value, dict) and "rows" in value else json.dumps(value, ensure_ascii=False)
