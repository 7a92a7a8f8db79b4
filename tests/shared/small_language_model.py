"""A small language model of SmolLM2's structure with random maps of few bits: as the page gets it, and as PyTorch's
reader has it."""

from pathlib import Path

import numpy as np
import torch

from course_lib.pretrained.gguf_file import BLOCK, Q4_1_BLOCK, Q8_0_BLOCK
from course_lib.pretrained.smollm import SmolLM, _layer
from tools.page.model_parts import Stored, pack

CONFIG = {
    "layers": 3, "heads": 6, "keyHeads": 2, "d": 96, "m": 16, "r": 160, "vocab": 60, "context": 96, "causal": True,
    "next": True,
    "base": 1000.0, "epsilon": 1e-5,
}  # fmt: skip
# As tools/models/tokeniser_files.py has it: sixty letters, each a piece of its own.
LETTERS = {
    "special": [],
    "alphabet": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,Ġ-!?:;",
    "merges": "",
    "letters": "41-5a 61-7a",
    "numbers": "30-39",
}
LIMITS = 20_000, 4_000  # bytes of a part and of a piece: so that there are many of both


def q4(rows: int, cols: int, draw: np.random.Generator) -> tuple[bytes, np.ndarray]:
    """A map in blocks of Q4_1 with weights of about 1/√cols: its bytes, and its numbers from their definition."""
    blocks = np.zeros(rows * cols // BLOCK, Q4_1_BLOCK)
    size = cols**-0.5 * draw.uniform(0.5, 1.5, len(blocks))
    blocks["scale"], blocks["offset"], blocks["pairs"] = (
        size / 4,
        -size * 2,
        draw.integers(0, 256, blocks["pairs"].shape),
    )
    low, high = blocks["pairs"] & 15, blocks["pairs"] >> 4
    weights = (
        np.concatenate([low, high], 1) * blocks["scale"].astype("f4")[:, None] + blocks["offset"].astype("f4")[:, None]
    )
    return blocks.tobytes(), weights.astype("f4").reshape(rows, cols)


def q8(rows: int, cols: int, draw: np.random.Generator) -> tuple[bytes, np.ndarray]:
    blocks = np.zeros(rows * cols // BLOCK, Q8_0_BLOCK)
    blocks["scale"], blocks["integers"] = (
        draw.uniform(0.5, 1.5, len(blocks)) / 100,
        draw.integers(-127, 128, blocks["integers"].shape),
    )
    return blocks.tobytes(), (blocks["integers"] * blocks["scale"].astype("f4")[:, None]).astype("f4").reshape(
        rows, cols
    )


def small_language_model(folder: Path, name: str = "small", vocabulary: dict | None = None) -> tuple[Path, SmolLM]:
    """The folder of its parts, under the name, and the reader with the same numbers."""
    draw, stored, W = np.random.default_rng(0), [], {}
    d, r, wide, narrow = CONFIG["d"], CONFIG["r"], CONFIG["heads"] * CONFIG["m"], CONFIG["keyHeads"] * CONFIG["m"]
    shapes = {"token_embd": (CONFIG["vocab"], d), "output_norm": (1, d)}
    for i in range(CONFIG["layers"]):
        maps = {
            "attn_q": (wide, d),
            "attn_k": (narrow, d),
            "attn_v": (narrow, d),
            "attn_output": (d, wide),
            "attn_norm": (1, d),
        }
        maps |= {"ffn_gate": (r, d), "ffn_up": (r, d), "ffn_down": (d, r), "ffn_norm": (1, d)}
        shapes |= {f"blk.{i}.{name}": shape for name, shape in maps.items()}
    for tensor, (rows, cols) in shapes.items():
        if rows == 1:
            kind, numbers = "F32", draw.uniform(0.5, 1.5, cols).astype("f4")
            data = numbers.tobytes()
        else:
            kind = "Q8_0" if tensor == "token_embd" else "Q4_1"
            data, numbers = (q8 if kind == "Q8_0" else q4)(rows, cols, draw)
        stored.append(Stored(f"{tensor}.weight", kind, rows, cols, data))
        W[f"{tensor}.weight"] = torch.from_numpy(numbers)
    reference = [draw.integers(0, CONFIG["vocab"], 5).tolist() for _ in range(2)]
    pack(
        folder,
        name,
        stored,
        vocabulary or {"kind": "none"},
        {"config": CONFIG, "reference": reference, "title": "Small", "licence": "none"},
        LIMITS,
    )
    layers = [_layer(W, f"blk.{i}.", CONFIG["heads"], CONFIG["keyHeads"]) for i in range(CONFIG["layers"])]
    return folder / name, SmolLM(
        W["token_embd.weight"], layers, W["output_norm.weight"], CONFIG["base"], CONFIG["epsilon"]
    )
