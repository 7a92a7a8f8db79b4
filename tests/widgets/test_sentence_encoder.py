"""The sentence encoder in the page: its layer is the reader's, traced; what is around the layer is held to the reader
here."""

import numpy as np
import pytest
import torch

from course_lib.pretrained import files
from course_lib.pretrained.minilm import EncoderLayer, MiniLM, NormWeights, encoder_layer, normalise
from tests.shared.engine_answers import edit, floats, near
from tests.shared.graph_node import node
from tests.shared.optional import missing
from tools.page import model_parts, real_models, sentence_encoder

LAYERS, H, D, M, R, VOCAB, CONTEXT = 2, 3, 24, 8, 40, 30, 40
TOKENS = np.random.default_rng(1).integers(0, VOCAB, 18).tolist()  # more than the first plan has room for
ROW, PATCH = np.linspace(1, -1, M, dtype="f4"), np.random.default_rng(2).normal(size=(2, D)).astype("f4")
EDITS = [edit("head", 0, 0, head=2), edit("head", 1, ROW, [3, 17], head=1), edit("stream", 1, PATCH, [0, 5])]
CALLS = [
    ["run", TOKENS, {"parts": True}],
    ["run", TOKENS, {"edits": EDITS}],
    ["run", TOKENS[:5], {}],  # after a longer one: nothing of that is left
    ["run", [30], {}],
    ["run", TOKENS, {"edits": [edit("attention", 0, 0)]}],
]


def small_encoder() -> MiniLM:
    """An encoder of MiniLM's structure; its numbers are 16-bit floats."""
    draw = np.random.default_rng(0)
    size = {"h": H, "d": D, "m": M, "r": R}

    def tensor(*shape: int) -> torch.Tensor:
        return torch.from_numpy(draw.normal(size=shape, scale=0.4).astype("f2").astype("f4"))

    def norm() -> NormWeights:
        return NormWeights(1 + tensor(D), tensor(D))

    def layer() -> EncoderLayer:
        maps = {
            name: tensor(*(size[each] for each in shape))
            for name, shape in sentence_encoder.SHAPES.items()
            if "." not in name
        }
        return EncoderLayer(**maps, after_attention=norm(), after_feed_forward=norm())

    rounded = lambda norm: NormWeights(*(each.half().float() for each in norm))
    layers = [
        each._replace(
            after_attention=rounded(each.after_attention), after_feed_forward=rounded(each.after_feed_forward)
        )
        for each in (layer(), layer())
    ]
    return MiniLM(None, tensor(VOCAB, D), tensor(CONTEXT, D), rounded(norm()), layers)


def forward(model: MiniLM, tokens: list[int], changed: bool = False) -> dict[str, torch.Tensor]:
    """The reader's layers, and with EDITS what they say."""
    n, found = len(tokens), {"stream": [], "maps": [], "heads": []}
    x = normalise(model.vectors[tokens] + model.places[:n], model.norm)
    for number, layer in enumerate(model.layers):
        keep, put = torch.ones(H, n, 1), torch.zeros(H, n, M)
        if changed and number == 0:
            keep[2] = 0
        if changed and number == 1:
            keep[1, [3, 17]], put[1, [3, 17]] = 0, torch.from_numpy(ROW)
            x = x.clone()
            x[[0, 5]] = torch.from_numpy(PATCH)
        found["stream"].append(x)
        x, weights, heads = encoder_layer(x, layer, keep, put)
        found["maps"].append(weights)
        found["heads"].append(heads)
    return {name: torch.stack(each) for name, each in (found | {"stream": [*found["stream"], x]}).items()}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The reader, and the engine's answers to CALLS."""
    model, folder = small_encoder(), tmp_path_factory.mktemp("encoder")
    about = {"config": sentence_encoder.config(model, CONTEXT), "reference": []}
    model_parts.pack(folder, "encoder", sentence_encoder.tensors(model), {"kind": "none"}, about, (4000, 800))
    return model, node("real_model.mjs", {"folder": str(folder / "encoder"), "calls": CALLS})["answers"]


def test_every_layer_is_the_readers(small):
    want, got = forward(small[0], TOKENS), small[1][0]
    for name in ("stream", "maps", "heads"):
        near(got[name], want[name], 1e-5)
    log = want["maps"].log()
    near(got["spreadAt"], log.std(-1, correction=0), 1e-4)
    near(got["spread"], log.std(-1, correction=0).mean(-1), 1e-4)
    near(got["effective"], (1 / want["maps"].square().sum(-1)).mean(-1), 1e-4)


def test_edits_are_what_the_reader_does(small):
    want, got = forward(small[0], TOKENS, changed=True), small[1][1]
    near(got["stream"], want["stream"], 1e-5)
    near(got["maps"], want["maps"], 1e-5)
    assert (want["maps"][1] - forward(small[0], TOKENS)["maps"][1]).abs().max() > 0.02


def test_a_shorter_text_after_a_longer_one(small):
    near(small[1][2]["stream"], forward(small[0], TOKENS[:5])["stream"], 1e-5)


def test_what_it_cannot_read_or_change_is_refused(small):
    assert small[1][3]["refused"] == "tokens must be whole numbers from 0 to 29, got 30"
    assert small[1][4]["refused"] == "edits[0].at must be head or stream in this model, got attention"


def test_gelu_without_erf_is_pytorchs():
    x = torch.linspace(-7, 7, 2001)
    torch.testing.assert_close(sentence_encoder.gelu(x), torch.nn.functional.gelu(x), rtol=0, atol=2e-6)


@pytest.mark.slow
def test_the_real_encoder_reads_as_pytorch_reads(tmp_path):
    if not files.installed(*files.PACKAGES):
        missing(f"the real models are not installed: {files.INSTALL}")
    model, text = MiniLM.load(), "The animal didn't cross the street because it was too tired."
    real_models.write_minilm(tmp_path)
    ids, want = model.tokenizer.encode(text).ids, model.read(text)
    [got] = node("real_model.mjs", {"folder": str(tmp_path / "minilm"), "calls": [["run", ids, {}]]})["answers"]
    assert float((floats(got["maps"], *want.weights.shape) - want.weights).abs().max()) < 2e-3
    assert float((floats(got["stream"], *want.hidden.shape) - want.hidden).abs().max()) < 5e-3
