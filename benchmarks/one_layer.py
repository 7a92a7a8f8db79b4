"""Why the real language model is no traced graph: the seven maps of one of its layers by graph.js, and in the integers of its file.

    python -m benchmarks.one_layer       megabytes of all layers and milliseconds of processor time, by both ways

The maps alone are traced, from PyTorch; attention and norms would come to both. The bar that a graph misses is the renderer's memory,
350 MB (benchmarks/real_model.py), before it has read a token. What is drawn at random is nothing: times and bytes do not depend on it.
"""

import json
import subprocess
from pathlib import Path

from torch import Tensor

from course_lib.graphs.trace import trace
from tests.shared.graph_node import NODE

LAYERS, SIZES = 30, {"d": 576, "narrow": 192, "r": 1536}
MAPS = {
    "W_Q": (576, 576),
    "W_K": (192, 576),
    "W_V": (192, 576),
    "W_O": (576, 576),
    "W_gate": (1536, 576),
    "W_up": (1536, 576),
    "W_down": (576, 1536),
}
EMBEDDING, VECTORS, ROUNDS, BAR = 49_152 * 576, (1, 12, 32), 9, 350


def maps_of_a_layer() -> dict:
    """x [n, d] and u [n, r] through all maps, which act from the right."""

    def all_maps(x: Tensor, u: Tensor, W_down: Tensor, **W: Tensor) -> dict[str, Tensor]:
        return {name: x @ each for name, each in W.items()} | {"W_down": u @ W_down}

    names = {size: name for name, size in SIZES.items()}
    shapes = {name: (names[columns], names[rows]) for name, (rows, columns) in MAPS.items()}
    return trace("maps_of_a_layer", all_maps, {"x": ("n", "d"), "u": ("n", "r"), **shapes})


def main() -> None:
    given = {"graph": maps_of_a_layer(), "sizes": SIZES, "maps": MAPS, "vectors": VECTORS, "rounds": ROUNDS}
    done = subprocess.run([NODE, Path(__file__).with_suffix(".mjs")], input=json.dumps(given), capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    floats = (LAYERS * found["bytes"]["graph"] + 4 * EMBEDDING) / 1e6
    integers = (LAYERS * found["bytes"]["integers"] + EMBEDDING * 144 / 128) / 1e6
    print(f"all maps: {floats:.0f} MB as a graph's 32-bit floats (the page may take {BAR}), {integers:.0f} MB in the file's integers")
    for each in found["times"]:
        print(
            f"{LAYERS} layers, {each['n']:2} vectors: {LAYERS * each['graph']:6.1f} ms by graph, {LAYERS * each['integers']:6.1f} ms in integers"
        )


if __name__ == "__main__":
    main()
