"""The real models: files found and checked, GGUF read as its own library reads it, every layer equal to PyTorch's
modules."""

import hashlib
import sys

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.attention import KeyValues
from course_lib.pretrained import files, gguf_file
from course_lib.pretrained.smollm import DecoderLayer, SmolLM
from tests.shared.optional import missing
from tests.shared.seeded import F64, rng, seeded
from tools.repository import ROOT

TIRED = "The animal didn't cross the street because it was too tired."
TAL = "Mikhail Tal was a bad smoker but a good"


# ---- files
@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package that must not be imported, and the ModelFile of its one file."""
    folder = tmp_path / "a_package_with_weights"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('this package must not be imported')")
    (folder / "weights.bin").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    return files.ModelFile(folder.name, "a-package 1.0", "weights.bin", hashlib.sha256(b"weights").hexdigest())


def test_a_file_is_found_without_importing_its_package(package):
    assert files.locate(package).read_bytes() == b"weights"
    assert package.package not in sys.modules


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sha256": "0" * 64}, "weights.bin must have the SHA-256 0000"),
        ({"path": "other.bin"}, "a-package 1.0 should hold other.bin"),
        ({"package": "no_such_package_anywhere"}, "needs the package a-package 1.0, which is not installed"),
    ],
)
def test_what_is_missing_or_changed_is_named_with_the_command_that_helps(package, change, words):
    with pytest.raises(files.NotInstalled, match=words) as stopped:
        files.locate(package._replace(**change))
    assert files.INSTALL in str(stopped.value) and isinstance(stopped.value, ImportError)


def test_a_missing_library_is_named():
    files.require("torch")
    with pytest.raises(files.NotInstalled, match="no_such_library"):
        files.require("torch", "no_such_library")


def test_the_install_command_names_a_file_that_pins_both_models():
    pinned = (ROOT / "requirements/models.txt").read_text()
    for file in (files.MINILM, files.SMOLLM):
        assert file.release.replace(" ", "==") in pinned.splitlines()


# ---- GGUF
@pytest.fixture
def gguf():
    if not files.installed("gguf"):
        missing(files.INSTALL)
    return pytest.importorskip("gguf")


def test_gguf_is_read_as_its_own_library_writes_it(gguf, tmp_path):
    random = rng()
    kinds = {
        "F32": gguf.GGMLQuantizationType.F32,
        "Q8_0": gguf.GGMLQuantizationType.Q8_0,
        "Q4_1": gguf.GGMLQuantizationType.Q4_1,
    }
    writer, theirs = gguf.GGUFWriter(tmp_path / "a.gguf", "llama"), {}
    writer.add_uint32("a.count", 7)
    writer.add_float32("a.number", 0.5)
    writer.add_bool("a.truth", True)
    writer.add_string("a.text", "città")
    writer.add_array("a.list", ["x", "Ġy"])
    writer.add_array("a.kinds", [3, 1, -1])
    for name, kind in kinds.items():
        stored = gguf.quantize(random.normal(size=(5, 96)).astype(np.float32), kind)
        writer.add_tensor(name, stored, raw_dtype=kind)
        theirs[name] = gguf.dequantize(stored, kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    tensors, facts = gguf_file.read_gguf(tmp_path / "a.gguf")
    expected = {
        "a.count": 7,
        "a.number": 0.5,
        "a.truth": True,
        "a.text": "città",
        "a.list": ["x", "Ġy"],
        "a.kinds": [3, 1, -1],
    }
    assert {name: facts[name] for name in expected} == expected
    assert tensors.keys() == theirs.keys()
    for name, weights in theirs.items():
        assert tensors[name].dtype == torch.float32
        np.testing.assert_array_equal(tensors[name].numpy(), weights)


# ---- what is new since 2017, in float64


def tiny(d=12, h=6, g=2, m=4, r=10, vocab=9, layers=3):
    draw = lambda *shape: torch.randn(*shape, generator=generator, **F64) / 3
    generator = seeded(5)
    made = [
        DecoderLayer(
            1 + draw(d),
            draw(h, d, m),
            draw(g, d, m),
            draw(g, d, m),
            draw(h, m, d),
            1 + draw(d),
            draw(d, r),
            draw(d, r),
            draw(r, d),
        )
        for _ in range(layers)
    ]
    return SmolLM(draw(vocab, d), made, 1 + draw(d), base=50.0, epsilon=1e-5)


def by_pytorchs_modules(model, tokens):
    """The same decoder from nn.RMSNorm, scaled_dot_product_attention and the *other* arrangement of pairs, (i, i +
    m/2)."""
    apart = lambda W: torch.cat([W[..., 0::2], W[..., 1::2]], -1)
    n, m = tokens.shape[1], model.layers[0].W_Q.shape[2]
    angles = torch.arange(n, **F64)[:, None] * model.base ** (-torch.arange(0, m, 2, **F64) / m)
    cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)

    def turn(x):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def norm(x, weight):
        return F.rms_norm(x, x.shape[-1:], weight, model.epsilon)

    def heads(y, W):
        return (y @ W.transpose(0, 1).flatten(1)).unflatten(-1, (W.shape[0], -1)).transpose(1, 2)

    x = F.embedding(tokens, model.E)
    for layer in model.layers:
        y = norm(x, layer.before_attention)
        q, k, v = turn(heads(y, apart(layer.W_Q))), turn(heads(y, apart(layer.W_K))), heads(y, layer.W_V)
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + o.transpose(1, 2).flatten(2) @ layer.W_O.flatten(0, 1)
        y = norm(x, layer.before_feed_forward)
        x = x + F.linear(F.silu(y @ layer.W_gate) * (y @ layer.W_up), layer.W_down.T)
    return norm(x, model.norm) @ model.E.T


def test_the_decoder_equals_one_of_pytorchs_modules_with_the_other_arrangement_of_pairs():
    model, tokens = tiny(), torch.randint(9, (2, 7), generator=seeded())
    hidden, _, _ = model.forward(tokens, model.start(2))
    torch.testing.assert_close(model.unembed(hidden[-1]), by_pytorchs_modules(model, tokens))


def test_a_part_that_is_not_kept_is_replaced_by_what_is_given():
    """What a part adds itself, put in its place, changes nothing; anything else is added, at this token alone."""
    model, tokens = tiny(), torch.randint(9, (2, 7), generator=seeded())
    whole, _, _ = model.forward(tokens, model.start(2))
    silent = torch.ones(len(model.layers), 2, 2, 7)
    silent[0, 1] = 0
    looked = model.forward(tokens, model.start(2), silent)[0][1] - whole[0]  # what attention alone adds in layer 0
    for part, added in enumerate((looked, whole[1] - whole[0] - looked)):
        keep, instead = torch.ones_like(silent), model.E.new_zeros(len(model.layers), 2, 2, model.E.shape[1])
        keep[0, part, :, 3] = 0
        instead[0, part] = added[:, 3]
        torch.testing.assert_close(model.forward(tokens, model.start(2), keep, instead)[0], whole)
    one, _, _ = model.forward(tokens, model.start(2), keep, torch.ones_like(instead[:, :, :1]))
    nothing, _, _ = model.forward(tokens, model.start(2), keep)
    torch.testing.assert_close(one[1] - nothing[1], torch.eye(7, **F64)[3][None, :, None].expand_as(one[1]))


def test_reading_token_by_token_gives_the_same():
    model, tokens = tiny(), torch.randint(9, (2, 7), generator=seeded())
    hidden, weights, full = model.forward(tokens, model.start(2))
    whole, state = model.unembed(hidden[-1]), model.start(2)
    for t in range(7):
        logits, state = model.step(tokens[:, t], state)
        torch.testing.assert_close(logits, whole[:, t])
    assert isinstance(state[0], KeyValues) and all(part.shape[0] == 2 for pair in state for part in pair)
    for mine, theirs in zip(state, full, strict=True):
        torch.testing.assert_close(mine, theirs)
    _, later, _ = model.forward(tokens[:, 3:], model.forward(tokens[:, :3], model.start(2))[2])
    torch.testing.assert_close(later[2], weights[2][:, :, 3:])


# ---- MiniLM
def test_minilm_equals_pytorchs_encoder_layer_by_layer(minilm):
    """nn.TransformerEncoderLayer with the weights straight from the file, fed with our input of each layer."""
    from safetensors.torch import load_file

    W = load_file(files.locate(files.MINILM))
    read = minilm.read(TIRED)
    assert read.hidden.shape == (7, len(read.tokens), 384) and read.weights.shape == (
        6,
        12,
        len(read.tokens),
        len(read.tokens),
    )
    embedded = nn.functional.embedding(
        torch.tensor(minilm.tokenizer.encode(TIRED).ids), W["embeddings.word_embeddings.weight"]
    )
    embedded = (
        embedded
        + W["embeddings.position_embeddings.weight"][: len(read.tokens)]
        + W["embeddings.token_type_embeddings.weight"][0]
    )
    norm = W["embeddings.LayerNorm.weight"], W["embeddings.LayerNorm.bias"]
    torch.testing.assert_close(read.hidden[0], F.layer_norm(embedded, (384,), *norm, 1e-12))
    for i in range(6):
        layer = theirs(W, f"encoder.layer.{i}.")
        x = read.hidden[i][None]
        with torch.no_grad():
            torch.testing.assert_close(read.hidden[i + 1], layer(x)[0], atol=1e-5, rtol=1e-4)
            _, weights = layer.self_attn(x, x, x, average_attn_weights=False)
        torch.testing.assert_close(read.weights[i], weights[0], atol=1e-5, rtol=1e-4)


def theirs(W, name):
    layer = nn.TransformerEncoderLayer(
        384, 12, 1536, dropout=0.0, activation="gelu", layer_norm_eps=1e-12, batch_first=True
    )
    own = lambda part: {kind: W[f"{name}{part}.{kind}"] for kind in ("weight", "bias")}
    maps = [own(f"attention.self.{part}") for part in ("query", "key", "value")]
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(torch.cat([part["weight"] for part in maps]))
        layer.self_attn.in_proj_bias.copy_(torch.cat([part["bias"] for part in maps]))
    layer.self_attn.out_proj.load_state_dict(own("attention.output.dense"))
    layer.norm1.load_state_dict(own("attention.output.LayerNorm"))
    layer.linear1.load_state_dict(own("intermediate.dense"))
    layer.linear2.load_state_dict(own("output.dense"))
    layer.norm2.load_state_dict(own("output.LayerNorm"))
    return layer.eval()


def test_a_head_taken_away_is_one_whose_output_map_is_zero(minilm):
    from safetensors.torch import load_file

    W = load_file(files.locate(files.MINILM))
    W["encoder.layer.2.attention.output.dense.weight"][:, 5 * 32 : 6 * 32] = 0
    x = minilm.read(TIRED).hidden[2]
    with torch.no_grad():
        expected = theirs(W, "encoder.layer.2.")(x[None])[0]
    read = minilm.read(TIRED, without=[(2, 5)])
    torch.testing.assert_close(read.hidden[2], x)
    torch.testing.assert_close(read.hidden[3], expected, atol=1e-5, rtol=1e-4)
    with pytest.raises(ValueError, match=r"without must be pairs \(layer 0 … 5, head 0 … 11\), got \(6, 0\)"):
        minilm.read(TIRED, without=[(6, 0)])


def test_the_models_do_not_mind_a_page_in_double_precision(minilm, smollm):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        assert minilm.read("a cat", without=[(0, 0)]).hidden.dtype == smollm.read("a cat").logits.dtype == torch.float32
    finally:
        torch.set_default_dtype(before)


def test_minilms_vocabulary(minilm):
    assert len(minilm.vocabulary) == len(minilm.vectors) == 30_522
    assert minilm.vocabulary[minilm.index("queen")] == "queen"
    assert minilm.tokens("Unbelievable!") == ["[CLS]", "unbelievable", "!", "[SEP]"]
    assert minilm.tokens("smokers")[1:3] == ["smoke", "##rs"]
    torch.testing.assert_close(minilm.vector("king"), minilm.vectors[minilm.tokenizer.encode("king").ids[1]])
    with pytest.raises(ValueError, match=r"word must be one piece of the vocabulary.*'smokers': smoke ##rs"):
        minilm.index("smokers")
    with pytest.raises(ValueError, match="at most 512 tokens, got 602"):
        minilm.read("word " * 600)


# ---- SmolLM
def test_smollms_next_word(smollm):
    """The numbers an independent script gave before this module was written, with the format's own library."""
    word, p = smollm.next_words(TAL, 3)[0]
    assert word == " friend" and p == pytest.approx(0.25, abs=0.01)
    assert smollm.rank(TAL, " chess") == pytest.approx(1173, abs=5)
    assert smollm.rank("World chess champion " + TAL, " player") == 2
    assert smollm.next_words(TAL + " chess", 1)[0][0] == " player"


def test_the_pairs_that_turn_together_are_neighbours_in_this_file(smollm):
    """Forty random pieces, twice: to copy them a head must find the place before. With other pairs none does."""
    apart = lambda W: torch.cat([W[..., 0::2], W[..., 1::2]], -1)
    other = [x._replace(W_Q=apart(x.W_Q), W_K=apart(x.W_K)) for x in smollm.layers]
    ids = torch.randint(1000, 20_000, (1, 40), generator=seeded()).repeat(1, 2)
    losses, looks_back = [], []
    for layers in (smollm.layers, other):
        model = SmolLM(smollm.E, layers, smollm.norm, smollm.base, smollm.epsilon)
        hidden, weights, _ = model.forward(ids, model.start())
        losses.append(F.cross_entropy(model.unembed(hidden[-1])[0, 40:-1], ids[0, 41:]).item())
        looks_back.append(max(head.diagonal(-1).mean().item() for layer in weights for head in layer[0]))
    assert losses[0] < 3 and losses[1] > 8  # a guess among all pieces costs ln 49,152 = 10.8
    assert looks_back[0] > 0.85 and looks_back[1] < 0.4


def test_smollms_pieces(smollm):
    assert smollm.tokens(TAL) == ["M", "ikhail", " Tal", " was", " a", " bad", " smoker", " but", " a", " good"]
    assert smollm.tokens(" 1960") == [" ", "1", "9", "6", "0"]  # digits stand alone
    assert smollm.decode(smollm.encode("Perché no? <|im_end|>")) == "Perché no? <|im_end|>"
    with pytest.raises(ValueError, match=r"word must be one piece .*got \[' chess"):
        smollm.rank(TAL, " chessboardish")
    with pytest.raises(ValueError, match="at least one piece"):
        smollm.read("")
