"""A model's weights in parts that a page can fetch one by one: a manifest, which says what stands where, and files
named after their own hash.

A part holds pieces of tensors, whole rows, as the file they come from has them. `scripts(folder)` makes scripts of the
parts: a page that was opened from a folder may fetch nothing, but may load scripts.
"""

import base64
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

PART, PIECE = 8_000_000, 1_000_000  # bytes at most: what is lost when a download breaks; what is unpacked at once


class Stored(NamedTuple):
    """A tensor as it is shipped: `kind` is F32, F16, Q4_1 or Q8_0, `data` its bytes, row after row."""

    name: str
    kind: str
    rows: int
    cols: int
    data: bytes


def pack(
    folder: Path,
    name: str,
    tensors: Iterable[Stored],
    vocabulary: dict[str, Any],
    facts: dict[str, Any],
    limits: tuple[int, int] = (PART, PIECE),
) -> dict[str, Any]:
    """Write manifest and parts below folder/name and return the manifest. limits: bytes of a part and of a piece, at
    most."""
    longest, piece = limits
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    for old in target.iterdir():
        old.unlink()
    parts: list[dict] = []

    def write(data: bytes, role: str) -> None:
        digest = hashlib.sha256(data).hexdigest()
        parts.append({"file": digest[:16], "bytes": len(data), "sha256": digest, "role": role})
        (target / f"{digest[:16]}.bin").write_bytes(data)

    pieces, waiting, shapes = [], bytearray(), {}
    for tensor in tensors:
        shapes[tensor.name] = {"rows": tensor.rows, "cols": tensor.cols}
        row = len(tensor.data) // tensor.rows
        step = (
            tensor.rows if len(tensor.data) <= piece else piece // row // 4 * 4
        )  # maps are unpacked four rows at a time
        for first in range(0, tensor.rows, step):
            data = tensor.data[first * row : (first + step) * row]
            if len(waiting) + len(data) > longest:
                write(bytes(waiting), "weights")
                waiting.clear()
            place = {"part": len(parts), "at": len(waiting), "bytes": len(data)}
            pieces.append(
                {
                    "name": tensor.name,
                    "kind": tensor.kind,
                    "cols": tensor.cols,
                    "first": first,
                    "rows": len(data) // row,
                }
                | place
            )
            waiting += data
    write(bytes(waiting), "weights")
    write(json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":")).encode(), "vocabulary")
    manifest = facts | {
        "name": name,
        "bytes": sum(part["bytes"] for part in parts),
        "tensors": shapes,
        "pieces": pieces,
        "parts": parts,
    }
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    (target / "manifest.js").write_text(f'__course_model("{name}","manifest",{json.dumps(text)});', encoding="utf-8")
    return manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """What `pack` has returned, from the folder of the model."""
    _, _, text = json.loads(f"[{(folder / 'manifest.js').read_text(encoding='utf-8').partition('(')[2][:-2]}]")
    return json.loads(text)


def scripts(folder: Path) -> None:
    """Turn every part below `folder` into a script: a page that was opened from a folder may not fetch, but may load
    scripts."""
    for part in sorted(folder.glob("*/*.bin")):
        text = base64.b64encode(part.read_bytes()).decode()
        part.with_suffix(".js").write_text(
            f'__course_model("{part.parent.name}","{part.stem}","{text}");', encoding="utf-8"
        )
        part.unlink()
