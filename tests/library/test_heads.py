"""The page on heads: the head of "it" on fresh sentences, removals in two models, other weights with the same output."""

import copy
from functools import cache

import pytest
import torch
from torch import Tensor

from course_lib.pretrained.files import NotInstalled
from course_lib.pretrained.minilm import MiniLM
from course_lib.pretrained.smollm import SmolLM, rms_norm, rotate, share
from course_lib.shipped import translator
from course_lib.text.batches import PairBatch, Pairs
from course_lib.text.corpora import english_french
from course_lib.training import cross_entropy
from tests.shared.optional import missing
from tests.shared.record import rounding

F64 = {"dtype": torch.float64}
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
PARTS = ("encoder.blocks.{}.attention", "decoder.blocks.{}.attention", "decoder.blocks.{}.cross_attention")
TEXT = """The lighthouse keeper counted the ships every evening and wrote their names in a long green book, and when the winter storms
came he read the names aloud, one after the other, so that the sea would not forget which of them it still had to give back to him."""


def real(model):
    try:
        return model.load()
    except NotInstalled as reason:
        missing(reason)


@pytest.fixture(scope="module")
def reader():
    return real(MiniLM)


@pytest.fixture(scope="module")
def writer():
    return real(SmolLM)


def looks(text: str, noun: str) -> Tensor:
    """The weight of every head from "it" to a noun, [layers, h]."""
    seen = MiniLM.load().read(text)
    return seen.weights[:, :, seen.tokens.index("it"), seen.tokens.index(noun)]


def largest_weight_from_it_to_animal() -> float:
    return looks("The animal didn't cross the street because it was too tired.", "animal").max().item()


@cache
def right() -> Tensor:
    """Of the twelve sentences, how many each head gets right: [layers, h]."""
    return sum((looks(text, true) > looks(text, other)).long() for text, true, other in SENTENCES)


def sentences_of_twelve_that_the_chosen_head_gets_right() -> int:
    chosen = looks("The animal didn't cross the street because it was too tired.", "animal")
    return int(right().flatten()[chosen.argmax()])


def test_a_head_chosen_on_one_sentence_fails_on_twelve(record, reader):  # S5
    seen = reader.read("The animal didn't cross the street because it was too tired.")
    it, animal = seen.tokens.index("it"), seen.tokens.index("animal")
    assert seen.weights[3, 1, it, animal].item() == largest_weight_from_it_to_animal() > 0.6
    count = 0
    for text, true, other in SENTENCES:
        words, row = reader.tokens(text), reader.read(text).weights[3, 1]
        count += row[words.index("it"), words.index(true)] > row[words.index("it"), words.index(other)]
    assert record("S5.fresh", sentences_of_twelve_that_the_chosen_head_gets_right()) == count == 6
    # the twelve are no fair test of liking the first noun: that alone gets most of them
    assert sum(text.index(true) < text.index(other) for text, true, other in SENTENCES) > 8
    assert int(right().max()) > 8


@torch.no_grad()
def copied(model: SmolLM, twice: Tensor) -> tuple[float, float, Tensor]:
    """Nats a piece in the first copy and in the second (without its first piece), and the weights [layers, h, b, 2n, 2n]."""
    n = twice.shape[1] // 2
    hidden, weights, _ = model.forward(twice, model.start(len(twice)))
    nats = -model.unembed(hidden[-1]).log_softmax(-1)[:, :-1].gather(-1, twice[:, 1:, None])[..., 0]  # [b, 2n − 1]
    return nats[:, : n - 1].mean().item(), nats[:, n:].mean().item(), torch.stack(weights).transpose(1, 2)


def erased(model: SmolLM, heads: list[tuple[int, int]]) -> SmolLM:
    layers = list(model.layers)
    for layer, head in heads:
        W_O = layers[layer].W_O.clone()
        W_O[head] = 0
        layers[layer] = layers[layer]._replace(W_O=W_O)
    return SmolLM(model.E, layers, model.norm, model.base, model.epsilon, model.tokenizer)


def test_copying_is_lost_with_its_heads(record, writer):  # S5
    n = 24
    once = torch.randint(1000, 20_000, (4, n), generator=seeded())  # pieces common enough to be words, rare enough to be no marks
    twice = torch.cat([once, once], 1)
    first, whole, A = copied(writer, twice)
    assert A[17, 4, 0, 30].sum().item() == pytest.approx(1, abs=1e-5) and A[17, 4, 0, 30, 31:].abs().max() == 0
    second, every = torch.arange(n, 2 * n), torch.arange(1, 2 * n)
    copy_score, previous = A[..., second, second - n + 1].mean((2, 3)), A[..., every, every - 1].mean((2, 3))  # [layers, h]
    copiers = [divmod(k, A.shape[1]) for k in copy_score.flatten().topk(6).indices.tolist()]
    without_copiers = copied(erased(writer, copiers), twice)
    assert record("S5.whole", round(whole, 3)) < 3 and record("S5.copy", round(without_copiers[1], 3)) > 3 * whole
    assert without_copiers[0] == pytest.approx(first, abs=0.5)  # the model is not broken
    layer, head = divmod(previous.argmax().item(), A.shape[1])
    assert copied(erased(writer, [(layer, head)]), twice)[1] > 2 * whole  # who copies is told by it what stood before
    assert (A[..., every, 0].mean((2, 3)) > 0.5).double().mean() > 0.5
    assert writer.layers[layer].W_O[head].abs().max() > 0  # the model itself is untouched


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
def damages() -> dict[tuple[str, int], float]:
    """What each of the 24 heads costs when it goes alone."""
    every = [(part.format(layer), head) for part in PARTS for layer in range(2) for head in range(4)]
    return {one: cost((one,)) - cost() for one in every}


def all_eight(part: str) -> float:
    return cost(tuple(one for one in damages() if one[0] in {part.format(layer) for layer in range(2)})) - cost()


def test_one_head_of_the_translator_is_missed_and_eight_are_needed():  # S5
    (part, head), damage = max(damages().items(), key=lambda one: one[1])
    assert part.startswith("decoder") and part.endswith(".attention")
    assert damage == max(damages().values()) > 3 * sorted(damages().values())[-2]
    assert all_eight(PARTS[2]) > 20 * max(v for (name, _), v in damages().items() if "cross" in name)
    assert all_eight(PARTS[0]) < 0.1
    # without a bias a head is silenced by its values as well as by its output map
    model, batch = copy.deepcopy(translator().model), held_out()
    with torch.no_grad():
        model.get_submodule(part).W_V[head] = 0
        logits = model(batch.source, batch.target, batch.source_lengths).logits
    assert cross_entropy(logits, batch.answers).item() - cost() == pytest.approx(damage, abs=1e-4)
    assert len(damages()) == 24 and 0 <= cost() < 0.1


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


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


@pytest.mark.parametrize(("n", "m"), [(5, 1), (40, 3), (60, 16), (4, 3), (9, 8)])
def test_few_tokens_give_the_same_output(n, m):  # P10: Carathéodory
    a, v = torch.randn(n, generator=seeded(n), **F64).softmax(0), torch.randn(n, m, generator=seeded(m), **F64)
    other = fewest(a, v)
    assert (other >= 0).all() and other.sum().item() == pytest.approx(1)
    torch.testing.assert_close(other @ v, a @ v)
    assert (other > 0).sum() <= m + 1
    if n <= m + 1:
        torch.testing.assert_close(other, a)


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


def difference_of_the_two_outputs() -> float:
    a, other, values = widest_row()
    return rounding(((a - other) @ values).abs().max().item(), 1e-9)


def weight_that_is_elsewhere() -> float:
    a, other, _ = widest_row()
    return ((a - other).abs().sum() / 2).item()


def test_a_real_row_has_another_with_its_output(record, reader):  # P10
    a, other, values = widest_row()
    n, m = values.shape
    assert record("P10.before", int((widest_row()[0] > 0).sum())) == n == len(reader.tokens(TEXT))
    assert record("P10.after", int((widest_row()[1] > 0).sum())) <= m + 1 == 33
    torch.testing.assert_close(other @ values, a @ values)
    assert difference_of_the_two_outputs() == 0
    assert weight_that_is_elsewhere() > 0.2


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


def test_resting_weight_adds_less_than_it_looks(record, writer):  # P10
    assert record("P10.sink_weight", resting()[0], rtol=0.02) > 0.5
    assert resting()[1] < resting()[0] - 0.1


def places_most_like_their_own_word_after_six_layers() -> float:
    hidden = MiniLM.load().read(TEXT).hidden
    start, now = (torch.nn.functional.normalize(hidden[k] - hidden[k].mean(0), dim=-1) for k in (0, 6))
    return ((now @ start.T).argmax(-1) == torch.arange(len(start))).double().mean().item()


def test_a_place_keeps_its_word(reader):  # P10
    hidden = reader.read(TEXT).hidden.double()
    first, last = (hidden[k] - hidden[k].mean(0) for k in (0, 6))
    own = 0
    for i, vector in enumerate(last):
        likeness = [torch.cosine_similarity(vector, other, dim=0).item() for other in first]
        own += likeness[i] == max(likeness)
    assert places_most_like_their_own_word_after_six_layers() == pytest.approx(own / len(last))
    assert 0.7 < own / len(last) < 1  # less than all: the words have moved


def rotated_score(s: int, t: int, base: float = 100_000.0) -> float:
    q, k = torch.randn(2, 1, 64, generator=seeded(), **F64)
    return (rotate(q, base, s) @ rotate(k, base, t).T).item()


def rms_norm_minus_layer_norm_without_a_mean() -> float:
    x = torch.randn(5, 64, generator=seeded(), **F64)
    x = x - x.mean(-1, keepdim=True)
    ours = rms_norm(x, torch.ones(64, **F64), 1e-5)
    return rounding((ours - torch.nn.functional.layer_norm(x, (64,))).abs().max().item())


def feed_forward_width_over_d() -> float:
    d, r = SmolLM.load().layers[0].W_gate.shape
    return r / d


def kept(shared: bool) -> int:
    """Numbers kept for every token read: a key and a value for each key head, or for each head of queries."""
    return sum(2 * (part.W_K if shared else part.W_Q).shape[0] * part.W_K.shape[2] for part in SmolLM.load().layers)


def test_four_changes_since_2017(writer):  # P10
    assert rounding(rotated_score(1005, 1002) - rotated_score(5, 2), 1e-9) == 0
    assert abs(rotated_score(6, 2) - rotated_score(5, 2)) > 0.1
    assert rms_norm_minus_layer_norm_without_a_mean() == 0
    assert feed_forward_width_over_d() == pytest.approx(8 / 3)
    _, _, state = writer.forward(torch.tensor([[5, 6, 7]]), writer.start())
    stored = sum(part.k.numel() + part.v.numel() for part in state)
    assert stored == 3 * kept(shared=True) == kept(shared=False)
