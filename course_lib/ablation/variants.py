"""The rows of the ablation study: each changes one thing of a base model, as a row of the published table does.

Ours keeps the ratios of the published rows, not their sizes: half as many layers there is half as many here. Two rows
have a base of their own: "none" (no positions at all) is not in the published table, "big" changes several things at
once. [Vaswani et al. 2017, Table 3]
"""

from typing import Any, NamedTuple

from course_lib import checks


class Sizes(NamedTuple):
    """What a variant can change. k is the width of a head's queries and keys, m that of its values (published d_k,
    d_v)."""

    layers: int = 3
    d: int = 32
    r: int = 128
    h: int = 4
    k: int = 8
    m: int = 8
    dropout: float = 0.1
    smoothing: float = 0.1
    positions: str = "sinusoidal"


class Variant(NamedTuple):
    """`name` as our table has it; `changes` of the base; `published` the name of its row there, None where there is
    none."""

    group: str
    name: str
    changes: dict[str, Any]
    published: str | None

    @property
    def sizes(self) -> Sizes:
        return BASE._replace(**self.changes)

    @property
    def peak(self) -> float:
        """The rate's largest value under the published schedule, which contains d^(-1/2), as a share of the base's."""
        return round((BASE.d / self.sizes.d) ** 0.5, 4)


BASE = Sizes()
VARIANTS: dict[str, Variant] = {
    each.name: each
    for each in (
        Variant("base", "base", {}, "base"),
        Variant("A", "h = 1", {"h": 1, "k": 32, "m": 32}, "h = 1"),
        Variant("A", "h = 2", {"h": 2, "k": 16, "m": 16}, "h = 4"),
        Variant("A", "h = 8", {"h": 8, "k": 4, "m": 4}, "h = 16"),
        Variant("A", "h = 16", {"h": 16, "k": 2, "m": 2}, "h = 32"),
        Variant("B", "k = 2", {"k": 2}, "d_k = 16"),
        Variant("B", "k = 4", {"k": 4}, "d_k = 32"),
        Variant("C", "1 layer", {"layers": 1}, "N = 2"),
        Variant("C", "2 layers", {"layers": 2}, "N = 4"),
        Variant("C", "4 layers", {"layers": 4}, "N = 8"),
        Variant("C", "d = 16", {"d": 16, "k": 4, "m": 4}, "d_model = 256"),
        Variant("C", "d = 64", {"d": 64, "k": 16, "m": 16}, "d_model = 1024"),
        Variant("C", "r = 64", {"r": 64}, "d_ff = 1024"),
        Variant("C", "r = 256", {"r": 256}, "d_ff = 4096"),
        Variant("D", "dropout 0", {"dropout": 0.0}, "P_drop = 0.0"),
        Variant("D", "dropout 0.2", {"dropout": 0.2}, "P_drop = 0.2"),
        Variant("D", "smoothing 0", {"smoothing": 0.0}, "ε_ls = 0.0"),
        Variant("D", "smoothing 0.2", {"smoothing": 0.2}, "ε_ls = 0.2"),
        Variant("E", "learned positions", {"positions": "learned"}, "learned positions"),
        Variant("none", "no positions", {"positions": "none"}, None),
        Variant("big", "big", {"d": 64, "r": 256, "h": 8, "dropout": 0.3}, "big"),
    )
}


def variant(name: str) -> Variant:
    """The variant of this name; ValueError lists the names there are."""
    checks.one_of("name", name, tuple(VARIANTS))
    return VARIANTS[name]
