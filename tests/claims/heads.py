"""Chapter 3's page on heads: a claim judged on fresh sentences, removals in two models, what maps do not say, 2017 to 2024."""

import copy
from functools import cache

import torch
from torch import Tensor

from course_lib.pretrained.minilm import MiniLM
from course_lib.pretrained.smollm import SmolLM, rms_norm, rotate, share
from course_lib.results import load
from course_lib.shipped import translator
from course_lib.text.batches import PairBatch, Pairs
from course_lib.text.corpora import english_french
from course_lib.training import cross_entropy

from . import claim, rounding

F64 = {"dtype": torch.float64}


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# --- MiniLM: the head of "it" -----------------------------------------------------------------------------------------

SENTENCES = (  # the sentence, what "it" is, the other noun
    ("The cat left the room because it was tired.", "cat", "room"),
    ("The trophy did not fit into the box because it was too big.", "trophy", "box"),
    ("The trophy did not fit into the box because it was too small.", "box", "trophy"),
    ("The dog chased the car until it was exhausted.", "dog", "car"),
    ("The girl hit the glass with a stone and it broke.", "glass", "stone"),
    ("My brother sold a bicycle to the museum because it was old.", "bicycle", "museum"),
    ("The museum sold the picture because it had no money.", "museum", "picture"),
    ("The bird left the tree when it saw the snow.", "bird", "tree"),
    ("The company sold the house because it needed cash.", "company", "house"),
    ("The ship hit the rock and it sank.", "ship", "rock"),
    ("The storm destroyed the bridge before it reached the city.", "storm", "bridge"),
    ("The horse jumped over the fence although it was high.", "fence", "horse"),
)


def looks(text: str, noun: str) -> Tensor:
    """The weight of every head from "it" to a noun, [layers, h]."""
    seen = MiniLM.load().read(text)
    return seen.weights[:, :, seen.tokens.index("it"), seen.tokens.index(noun)]


@claim("S5.animal", rtol=0.01)
def largest_weight_from_it_to_animal() -> float:
    return looks("The animal didn't cross the street because it was too tired.", "animal").max().item()


@cache
def right() -> Tensor:
    """Of the twelve sentences, how many each head gets right: [layers, h]."""
    return sum((looks(text, true) > looks(text, other)).long() for text, true, other in SENTENCES)


@claim("S5.fresh")
def sentences_of_twelve_that_the_chosen_head_gets_right() -> int:
    chosen = looks("The animal didn't cross the street because it was too tired.", "animal")
    return int(right().flatten()[chosen.argmax()])


@claim("S5.best")
def sentences_of_twelve_that_the_best_of_72_heads_gets_right() -> int:
    return int(right().max())


@claim("S5.first")
def sentences_of_twelve_whose_right_noun_comes_first() -> int:
    """What a head gets right that only prefers the earlier of the two nouns."""
    return sum(text.index(true) < text.index(other) for text, true, other in SENTENCES)


# --- SmolLM: the stored removals --------------------------------------------------------------------------------------


def second_copy(without: str) -> float:
    return next(row["second"] for row in load("head_probe")["rows"] if row["without"] == without)


@claim("S5.whole")
def nats_of_the_second_copy() -> float:
    return second_copy("nothing")


@claim("S5.copy")
def nats_of_the_second_copy_without_six_copy_heads() -> float:
    return second_copy("copy heads")


@claim("S5.previous")
def nats_of_the_second_copy_without_the_previous_token_head() -> float:
    return second_copy(load("head_probe")["scores"]["previous token"]["highest"])


@claim("S5.others")
def groups_of_other_heads_that_cost_a_nat() -> int:
    """Of the random groups of six other heads; the one that does holds the strongest previous-token head."""
    rows = [row for row in load("head_probe")["rows"] if row["without"].startswith("others")]
    return sum(row["second"] > second_copy("nothing") + 1 for row in rows)


@claim("S5.resting")
def heads_that_rest_on_the_first_token() -> int:
    return load("head_probe")["scores"]["first token"]["above 0.5"]


# --- our translator, examined completely ------------------------------------------------------------------------------

PARTS = ("encoder.blocks.{}.attention", "decoder.blocks.{}.attention", "decoder.blocks.{}.cross_attention")


@cache
def held_out() -> PairBatch:
    _, english, french, _ = translator()
    pairs = [pair for pair in english_french().test if len(pair.source) < 12][:100]
    encoded = [english.encode(pair.source) for pair in pairs], [french.encode(pair.target) for pair in pairs]
    return Pairs(*encoded, len(pairs)).batch_at(0)


@torch.no_grad()
def cost(heads: tuple[tuple[str, int], ...] = ()) -> float:
    """Nats a French word with these heads (part, head) erased."""
    model, batch = copy.deepcopy(translator().model), held_out()
    for part, head in heads:
        model.get_submodule(part).W_O[head] = 0
    return cross_entropy(model(batch.source, batch.target, batch.source_lengths).logits, batch.answers).item()


@cache
def damage() -> dict[tuple[str, int], float]:
    """What each of the 24 heads costs when it goes alone."""
    every = [(part.format(layer), head) for part in PARTS for layer in range(2) for head in range(4)]
    return {one: cost((one,)) - cost() for one in every}


@claim("S5.missed", rtol=0.05)
def damage_of_the_head_that_is_missed() -> float:
    return max(damage().values())


@claim("S5.next", rtol=0.1)
def damage_of_the_next_head() -> float:
    return sorted(damage().values())[-2]


def all_eight(part: str) -> float:
    return cost(tuple(one for one in damage() if one[0] in {part.format(layer) for layer in range(2)})) - cost()


@claim("S5.across", rtol=0.05)
def damage_of_all_eight_cross_heads() -> float:
    return all_eight(PARTS[2])


@claim("S5.encoder", rtol=0.3)
def damage_of_all_eight_encoder_heads() -> float:
    return all_eight(PARTS[0])


# --- what maps do not say ---------------------------------------------------------------------------------------------


def fewest(a: Tensor, v: Tensor) -> Tensor:
    """Weights on at most m + 1 tokens with the output of a [n] on v [n, m]: the walk of Carathéodory's proof."""
    a, points = a.clone(), torch.cat([v, torch.ones(len(v), 1, dtype=v.dtype)], 1)
    while (alive := a.nonzero()[:, 0]).numel() > points.shape[1]:
        z = torch.linalg.svd(points[alive].T).Vh[-1]
        steps = torch.where(z < 0, a[alive] / -z, torch.inf)
        a[alive] += steps.min() * z
        a[alive[steps.argmin()]] = 0
        a = a.clamp(min=0)
    return a


TEXT = """The lighthouse keeper counted the ships every evening and wrote their names in a long green book, and when the winter storms
came he read the names aloud, one after the other, so that the sea would not forget which of them it still had to give back to him."""


@cache
def widest_row() -> tuple[Tensor, Tensor, Tensor]:
    """MiniLM's row of weights with the largest entropy on the text, other weights with its output, and the values [n, m]."""
    model, seen = MiniLM.load(), MiniLM.load().read(TEXT)
    entropy = -(seen.weights * seen.weights.log()).sum(-1)  # [layers, h, n]
    layer, head, i = (int(k) for k in torch.unravel_index(entropy.argmax(), entropy.shape))
    part = model.layers[layer]
    values = (seen.hidden[layer] @ part.W_V[head] + part.b_V[head]).double()
    a = seen.weights[layer, head, i].double()
    return a / a.sum(), fewest(a / a.sum(), values), values


@claim("P10.before")
def tokens_looked_at() -> int:
    return int((widest_row()[0] > 0).sum())


@claim("P10.after")
def tokens_that_are_enough() -> int:
    return int((widest_row()[1] > 0).sum())


@claim("P10.output")
def difference_of_the_two_outputs() -> float:
    a, other, values = widest_row()
    return rounding(((a - other) @ values).abs().max().item(), 1e-9)


@claim("P10.moved", rtol=0.3)
def weight_that_is_elsewhere() -> float:
    a, other, _ = widest_row()
    return ((a - other).abs().sum() / 2).item()


@cache
@torch.no_grad()
def resting() -> tuple[float, float]:
    """The first token's share of SmolLM's weights, and of the lengths of what is added, on an ordinary sentence."""
    model = SmolLM.load()
    seen = model.read("The lighthouse keeper counted the ships every evening and wrote their names in a long green book.")
    weight, length = [], []
    for x, layer, A in zip(seen.hidden[:-1], model.layers, seen.weights, strict=True):
        values = torch.einsum("nd,gdm->gnm", rms_norm(x, layer.before_attention, model.epsilon), layer.W_V)
        norms = torch.einsum("hnm,hmd->hnd", share(values[None], len(A))[0], layer.W_O).norm(dim=-1)  # [h, n]
        added = A * norms[:, None]
        weight.append(A[:, 1:, 0].mean())
        length.append((added[:, 1:, 0] / added[:, 1:].sum(-1)).mean())
    return torch.stack(weight).mean().item(), torch.stack(length).mean().item()


@claim("P10.sink_weight", rtol=0.02)
def weight_of_the_first_token() -> float:
    return resting()[0]


@claim("P10.sink_length", rtol=0.02)
def length_that_the_first_token_adds() -> float:
    return resting()[1]


@claim("P10.own", rtol=0.05)
def places_most_like_their_own_word_after_six_layers() -> float:
    hidden = MiniLM.load().read(TEXT).hidden
    start, now = (torch.nn.functional.normalize(hidden[k] - hidden[k].mean(0), dim=-1) for k in (0, 6))
    return ((now @ start.T).argmax(-1) == torch.arange(len(start))).double().mean().item()


# --- what has changed since 2017 --------------------------------------------------------------------------------------


def rotated_score(s: int, t: int, base: float = 100_000.0) -> float:
    q, k = torch.randn(2, 1, 64, generator=seeded(), **F64)
    return (rotate(q, base, s) @ rotate(k, base, t).T).item()


@claim("P10.distance")
def change_of_a_score_when_both_places_move_by_a_thousand() -> float:
    return rounding(rotated_score(1005, 1002) - rotated_score(5, 2), 1e-9)


@claim("P10.norm")
def rms_norm_minus_layer_norm_without_a_mean() -> float:
    x = torch.randn(5, 64, generator=seeded(), **F64)
    x = x - x.mean(-1, keepdim=True)
    ours = rms_norm(x, torch.ones(64, **F64), 1e-5)
    return rounding((ours - torch.nn.functional.layer_norm(x, (64,))).abs().max().item())


@claim("P10.ratio")
def feed_forward_width_over_d() -> float:
    d, r = SmolLM.load().layers[0].W_gate.shape
    return r / d


def kept(shared: bool) -> int:
    """Numbers kept for every token read: a key and a value for each key head, or for each head of queries."""
    return sum(2 * (part.W_K if shared else part.W_Q).shape[0] * part.W_K.shape[2] for part in SmolLM.load().layers)


@claim("P10.kept")
def numbers_kept_for_a_token() -> int:
    return kept(shared=True)


@claim("P10.unshared")
def numbers_kept_without_sharing() -> int:
    return kept(shared=False)
