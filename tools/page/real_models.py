"""The real models for the published book, in parts: `python -m tools.page.real_models [BOOK]` (default _build/html) writes BOOK/_static/models.

COURSE_MODELS=1 make html does the same while the book is built, and tells its pages so. Weights come from the packages of
requirements-models.txt, whose files are compared byte by byte (course_lib.pretrained.files): the language model's maps stay the integers
of its file, the encoder's become 16-bit floats. A page asks for them only when its reader presses a button.

For each model: manifest.js, which says what stands where and each part's SHA-256, and the parts, named after their own hash. A part
holds pieces of tensors, whole rows, as the file has them. `scripts(folder)` makes scripts of the parts, which a page opened from a folder can load.
"""

import base64
import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from course_lib.pretrained.files import MINILM, MINILM_WORDS, SMOLLM, locate

ROOT = Path(__file__).resolve().parents[2]
PART, PIECE = 8_000_000, 1_000_000  # bytes at most: what is lost when a download breaks; what is unpacked at once
CONTEXT = 512  # tokens that the page lets a model read: keys and values of more would take memory that phones lack
# What a part of the model writes on average is taken over these, by the page itself.
REFERENCE = (
    "The river was high after a week of rain, and nobody crossed the bridge.",
    "She opened the letter, read it twice, and put it back into the drawer.",
    "In 1905 a clerk in Bern published four papers that changed physics.",
    "To make bread you need flour, water, salt and a little patience.",
    "The committee will meet again on Tuesday to discuss the new budget.",
    "Most birds leave in autumn; some stay and wait for the spring.",
    "A prime number has exactly two divisors, one and itself.",
    "He asked the doctor whether the pain would come back.",
)


class Stored(NamedTuple):
    """A tensor as it is shipped: `kind` is F32, F16, Q4_1 or Q8_0, `data` its bytes, row after row."""

    name: str
    kind: str
    rows: int
    cols: int
    data: bytes


def pack(folder: Path, name: str, tensors: Iterable[Stored], vocabulary: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Write manifest and parts below folder/name and return the manifest."""
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
        step = tensor.rows if len(tensor.data) <= PIECE else PIECE // row // 4 * 4  # maps are unpacked four rows at a time
        for first in range(0, tensor.rows, step):
            data = tensor.data[first * row : (first + step) * row]
            if len(waiting) + len(data) > PART:
                write(bytes(waiting), "weights")
                waiting.clear()
            place = {"part": len(parts), "at": len(waiting), "bytes": len(data)}
            pieces.append({"name": tensor.name, "kind": tensor.kind, "cols": tensor.cols, "first": first, "rows": len(data) // row} | place)
            waiting += data
    write(bytes(waiting), "weights")
    write(json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":")).encode(), "vocabulary")
    manifest = facts | {"name": name, "bytes": sum(part["bytes"] for part in parts), "tensors": shapes, "pieces": pieces, "parts": parts}
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    (target / "manifest.js").write_text(f'__course_model("{name}","manifest",{json.dumps(text)});', encoding="utf-8")
    return manifest


# -------------------------------------------------------------------------------------------------------- the two models
def smollm_config(facts: dict[str, Any]) -> dict[str, Any]:
    """The sizes that the page's decoder asks for, from the facts of a GGUF file."""
    d, h = facts["llama.embedding_length"], facts["llama.attention.head_count"]
    return {
        "layers": facts["llama.block_count"], "heads": h, "keyHeads": facts["llama.attention.head_count_kv"], "d": d, "m": d // h,
        "r": facts["llama.feed_forward_length"], "vocab": len(facts["tokenizer.ggml.tokens"]), "context": CONTEXT, "causal": True, "next": True,
        "base": facts["llama.rope.freq_base"], "epsilon": facts["llama.attention.layer_norm_rms_epsilon"],
    }  # fmt: skip


def gguf_tensors(path: Path) -> list[Stored]:
    """Every tensor with the bytes that the file has for it."""
    from gguf import GGUFReader

    def stored(tensor: Any) -> Stored:
        cols, rows = (*map(int, tensor.shape), 1)[:2]
        return Stored(tensor.name, tensor.tensor_type.name, rows, cols, tensor.data.tobytes())

    return [stored(tensor) for tensor in GGUFReader(path).tensors]


@cache
def smollm_facts() -> dict[str, Any]:
    from course_lib.pretrained.gguf_file import read_gguf

    return read_gguf(locate(SMOLLM))[1]


def byte_pairs(facts: dict[str, Any]) -> dict[str, Any]:
    """What a tokeniser by byte pairs needs: pieces in the alphabet of bytes, merges in order, which pieces are no text."""
    kinds = facts["tokenizer.ggml.token_type"]
    special = [i for i, kind in enumerate(kinds) if kind == 3]  # how GGUF marks a piece that is no text
    return {"kind": "byte-pairs", "pieces": facts["tokenizer.ggml.tokens"], "merges": facts["tokenizer.ggml.merges"], "special": special}


def word_pieces() -> dict[str, Any]:
    """What a tokeniser by word pieces needs: pieces, and the numbers of three of them."""
    ids = json.loads(locate(MINILM_WORDS).read_text(encoding="utf-8"))["model"]["vocab"]
    named = {"cls": ids["[CLS]"], "sep": ids["[SEP]"], "unknown": ids["[UNK]"]}
    return {"kind": "word-pieces", "pieces": sorted(ids, key=ids.__getitem__)} | named


def vocabulary(name: str) -> dict[str, Any]:
    """The vocabulary that is shipped with `smollm2` or `minilm`. Raises NotInstalled where its package is missing."""
    return {"smollm2": lambda: byte_pairs(smollm_facts()), "minilm": word_pieces}[name]()


def write_smollm(folder: Path) -> dict[str, Any]:
    from course_lib.pretrained.smollm import _tokenizer

    facts, encode = smollm_facts(), _tokenizer(smollm_facts()).encode
    about = {
        "title": "SmolLM2-135M-Instruct", "licence": "Apache-2.0", "source": f"{SMOLLM.release}: {SMOLLM.path}, SHA-256 {SMOLLM.sha256}",
        "memory": 300_000_000, "config": smollm_config(facts), "reference": [encode(text).ids for text in REFERENCE],
    }  # fmt: skip
    return pack(folder, "smollm2", gguf_tensors(locate(SMOLLM)), byte_pairs(facts), about)


def write_minilm(folder: Path) -> dict[str, Any]:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    W = load_file(locate(MINILM))

    def stored(name: str) -> Stored:
        shape = (1, *W[name].shape)[-2:]
        return Stored(name, "F16", *shape, W[name].astype(np.float16).tobytes())

    names = [name for name in W if not name.startswith("pooler") and not name.endswith("position_ids")]
    E = W["embeddings.word_embeddings.weight"]
    config = {
        "layers": 6, "heads": 12, "keyHeads": 12, "d": E.shape[1], "m": E.shape[1] // 12, "r": 1536, "vocab": len(E),
        "context": CONTEXT, "causal": False, "next": False, "epsilon": 1e-12,
    }  # fmt: skip
    encode = Tokenizer.from_file(str(locate(MINILM_WORDS))).encode
    about = {
        "title": "all-MiniLM-L6-v2", "licence": "Apache-2.0", "source": f"{MINILM.release}: {MINILM.path}, SHA-256 {MINILM.sha256}",
        "memory": 150_000_000, "config": config, "reference": [[i for i in encode(text).ids if i] for text in REFERENCE],
    }  # fmt: skip
    return pack(folder, "minilm", map(stored, names), word_pieces(), about)


MODELS: dict[str, Callable[[Path], dict[str, Any]]] = {"smollm2": write_smollm, "minilm": write_minilm}


def write(static: Path) -> dict[str, Any]:
    """Write static/models and return what a page says before it loads: name → title, bytes, memory. NotInstalled names a missing package."""
    made = {name: make(static / "models") for name, make in MODELS.items()}
    return {name: {key: manifest[key] for key in ("title", "bytes", "memory")} for name, manifest in made.items()}


def scripts(folder: Path) -> None:
    """Turn every part below `folder` into a script: a page that was opened from a folder may not fetch, but may load scripts."""
    for part in sorted(folder.glob("*/*.bin")):
        text = base64.b64encode(part.read_bytes()).decode()
        part.with_suffix(".js").write_text(f'__course_model("{part.parent.name}","{part.stem}","{text}");', encoding="utf-8")
        part.unlink()


if __name__ == "__main__":
    book = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "_build" / "html"
    print(json.dumps(write(book / "_static"), indent=1))
