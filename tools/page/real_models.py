"""The real models for the published book, in parts: `python -m tools.page.real_models [BOOK]` (default _build/html)
writes BOOK/_static/models.

COURSE_MODELS=1 make html does the same while the book is built, and tells its pages so. Weights come from the packages
of requirements/models.txt, whose files are compared byte by byte (course_lib.pretrained.files): the language model's
maps stay the integers of its file, the encoder's become 16-bit floats. A page asks for them only when its reader
presses a button.

How they are cut into parts: model_parts.py.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_lib.pretrained.files import MINILM, SMOLLM, locate
from course_lib.pretrained.gguf_file import BLOCK, F32, Q4_1, Q4_1_BLOCK, Q8_0, Q8_0_BLOCK, scan_gguf
from studies.fact_probe import OTHERS
from tools.models.tokeniser_files import byte_pairs, facts, word_pieces
from tools.page.model_parts import Stored, pack

ROOT = Path(__file__).resolve().parents[2]
CONTEXT, SENTENCE = 512, 128  # tokens that the page lets a model read: more would take memory that phones lack
REFERENCE = OTHERS  # what a part of the model writes on average is taken over these, as in the studies


# -------------------------------------------------------------------------------------------------------- the two
# models
def smollm_config(facts: dict[str, Any]) -> dict[str, Any]:
    """The sizes that the page's decoder asks for, from the facts of a GGUF file."""
    d, h = facts["llama.embedding_length"], facts["llama.attention.head_count"]
    return {
        "layers": facts["llama.block_count"], "heads": h, "keyHeads": facts["llama.attention.head_count_kv"], "d": d,
        "m": d // h,
        "r": facts["llama.feed_forward_length"], "vocab": len(facts["tokenizer.ggml.tokens"]), "context": CONTEXT,
        "causal": True, "next": True,
        "base": facts["llama.rope.freq_base"], "epsilon": facts["llama.attention.layer_norm_rms_epsilon"],
    }  # fmt: skip


def gguf_tensors() -> list[Stored]:
    """Every tensor with the bytes that the language model's file has for it."""
    data, headers, _ = scan_gguf(locate(SMOLLM))
    sizes = {F32: ("F32", 1, 4), Q4_1: ("Q4_1", BLOCK, Q4_1_BLOCK.itemsize), Q8_0: ("Q8_0", BLOCK, Q8_0_BLOCK.itemsize)}

    def stored(name: str, shape: list[int], kind: int, at: int) -> Stored:
        rows, cols = (1, *shape)[-2:]
        form, together, size = sizes[kind]
        return Stored(name, form, rows, cols, data[at : at + rows * cols // together * size].tobytes())

    return [stored(*header) for header in headers]


def write_smollm(folder: Path) -> dict[str, Any]:
    from course_lib.pretrained.smollm import _tokenizer

    known = facts()
    encode = _tokenizer(known).encode
    about = {
        "title": "SmolLM2-135M-Instruct", "licence": "Apache-2.0",
        "source": f"{SMOLLM.release}: {SMOLLM.path}, SHA-256 {SMOLLM.sha256}",
        "memory": 300_000_000, "config": smollm_config(known), "reference": [encode(text).ids for text in REFERENCE],
    }  # fmt: skip
    return pack(folder, "smollm2", gguf_tensors(), byte_pairs(), about)


def write_minilm(folder: Path) -> dict[str, Any]:
    from course_lib.pretrained.minilm import MiniLM
    from tools.page import sentence_encoder

    model = MiniLM.load()
    about = {
        "title": "all-MiniLM-L6-v2", "licence": "Apache-2.0",
        "source": f"{MINILM.release}: {MINILM.path}, SHA-256 {MINILM.sha256}", "memory": 150_000_000,
        "config": sentence_encoder.config(model, SENTENCE),
        "reference": [model.tokenizer.encode(text).ids for text in REFERENCE],
    }  # fmt: skip
    return pack(folder, "minilm", sentence_encoder.tensors(model), word_pieces(), about)


MODELS: dict[str, Callable[[Path], dict[str, Any]]] = {"smollm2": write_smollm, "minilm": write_minilm}


def write(static: Path) -> dict[str, Any]:
    """Write static/models and return what a page says before it loads: name → title, bytes, memory. NotInstalled names
    a missing package."""
    made = {name: make(static / "models") for name, make in MODELS.items()}
    return {name: {key: manifest[key] for key in ("title", "bytes", "memory")} for name, manifest in made.items()}


if __name__ == "__main__":
    book = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "_build" / "html"
    print(json.dumps(write(book / "_static"), indent=1))
