"""The language model in the page, held to the PyTorch reader layer by layer: on a small model of its structure, and on
the real weights."""

import hashlib

import numpy as np
import pytest
import torch

from course_lib.attention import attend, causal_mask
from course_lib.pretrained import files
from course_lib.pretrained.smollm import SmolLM, rms_norm, rotate, share, swiglu
from tests.shared.engine_answers import edit, floats, near
from tests.shared.graph_node import node
from tests.shared.optional import missing
from tests.shared.small_language_model import CONFIG, small_language_model
from tools.page import model_parts, real_models

LAYERS, HEADS, D, M = (CONFIG[name] for name in ("layers", "heads", "d", "m"))
N = 41  # more than the 32 places that are read at once
TOKENS = np.random.default_rng(3).integers(0, CONFIG["vocab"], N).tolist()
CLEAN, DIRTY = TOKENS[:9], [*TOKENS[:3], 7, *TOKENS[4:9]]
ROW, ROWS = np.linspace(-1, 1, D, dtype="f4"), np.random.default_rng(4).normal(size=(2, D)).astype("f4")
HEAD_ROW = np.linspace(1, -1, M, dtype="f4")


EDITS = {
    "a head erased": [edit("head", 1, 0, head=4)],
    "a head replaced at two places": [edit("head", 0, HEAD_ROW, [1, 35], head=2)],
    "an attention part erased": [edit("attention", 2, 0)],
    "a feed-forward part replaced": [edit("feedForward", 1, ROW)],
    "the stream patched": [edit("stream", 1, ROWS, [2, 33])],
    "the last stream patched, and two heads erased": [
        edit("stream", LAYERS, ROW, [N - 1]),
        edit("head", 2, 0, head=0),
        edit("head", 2, 0, head=5),
    ],
}
REFUSED = {
    "edits[0].layer must be a whole number from 0 to 2, got 3": [edit("head", 3, 0)],
    "edits[1].head must be a whole number from 0 to 5, got 6": [edit("head", 0, 0), edit("head", 0, 0, head=6)],
    "edits[0].at must be head, attention, feedForward, stream, got nose": [edit("nose", 0, 0)],
    "edits[0].values must be 0 or have 96 numbers, or 96 for each of its places, got 16": [edit("stream", 0, HEAD_ROW)],
    "edits[0].places must be a list of whole numbers below 96, got 96": [edit("stream", 0, 0, [96])],
}


@torch.no_grad()
def forward(model: SmolLM, tokens: list[int], edits: list[dict] = ()) -> dict[str, torch.Tensor]:
    """The reader's own steps, with a hook at each part: what a head, a layer's parts and the stream are, and the
    logits."""
    x, n = model.E[tokens], len(tokens)
    found = {name: [] for name in ("stream", "heads", "attention", "feedForward", "maps", "spreadAt")}

    def hook(at: str, layer: int, value: torch.Tensor) -> torch.Tensor:
        for each in edits:
            if (each["at"], each["layer"]) == (at, layer):
                places = each.get("places", list(range(n)))
                rows = 0 if each["values"] == 0 else floats(each["values"], -1, M if at == "head" else D)
                (value[each["head"]] if at == "head" else value)[places] = rows
        return value

    for number, layer in enumerate(model.layers):
        x = hook("stream", number, x)
        found["stream"].append(x)
        y = rms_norm(x, layer.before_attention, model.epsilon)
        q, k, v = (torch.einsum("nd,hdm->hnm", y, W) for W in (layer.W_Q, layer.W_K, layer.W_V))
        q, k, v = rotate(q, model.base), share(rotate(k, model.base)[None], HEADS)[0], share(v[None], HEADS)[0]
        heads, A, _ = attend(q, k, v, causal_mask(n))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        found["spreadAt"].append(torch.stack([scores[:, i, : i + 1].std(-1, correction=0) for i in range(n)], 1))
        found["maps"].append(A)
        found["heads"].append(hook("head", number, heads))
        found["attention"].append(hook("attention", number, torch.einsum("hnm,hmd->nd", found["heads"][-1], layer.W_O)))
        x = x + found["attention"][-1]
        found["feedForward"].append(
            hook("feedForward", number, swiglu(rms_norm(x, layer.before_feed_forward, model.epsilon), layer))
        )
        x = x + found["feedForward"][-1]
    x = hook("stream", len(model.layers), x)
    found["stream"].append(x)
    return {name: torch.stack(each) for name, each in found.items()} | {"logits": model.unembed(x)}


def patched(model: SmolLM, part: str, layer: int, place: int) -> torch.Tensor:
    """The last logits of DIRTY, with this part of CLEAN's run at one place of one layer."""
    values = forward(model, CLEAN)[part][layer, place].numpy()
    return forward(model, DIRTY, [edit(part, layer, values, [place])])["logits"][-1]


CALLS = [
    ["run", TOKENS, {"parts": True, "logits": "all"}],
    *(["run", TOKENS, {"edits": edits}] for edits in EDITS.values()),
    *(["run", TOKENS, {"edits": edits}] for edits in REFUSED.values()),
    *(["next", TOKENS[:end]] for end in (5, 6, 40, 41, 4)),
    ["next", TOKENS, {"edits": EDITS["a head erased"]}],
    ["lensOf", TOKENS, 7, {"top": 3, "asked": [11]}],
    *(["patchMap", CLEAN, DIRTY, {"part": part, "yes": 5, "no": 6}] for part in ("stream", "attention", "feedForward")),
    ["means"],
    ["run", [60], {}],
    ["run", [1] * 97, {}],
    ["patchMap", CLEAN, DIRTY[:-1], {"yes": 5, "no": 6}],
    ["patchMap", CLEAN, CLEAN, {"yes": 5, "no": 6}],
]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_language_model(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module", params=[True, False], ids=["simd", "script"])
def answers(small, request):
    """The answers to CALLS, in their order, from the kernel and from its twin in JavaScript."""
    said = node("real_model.mjs", {"folder": str(small[0]), "calls": CALLS, "simd": request.param})
    assert said["kind"] == ("simd" if request.param else "script")
    return said["answers"]


def test_every_layer_is_the_readers(small, answers):
    run, want = answers[0], forward(small[1], TOKENS)
    for name in ("stream", "heads", "attention", "feedForward", "maps", "spreadAt", "logits"):
        near(run[name], want[name])
    whole = small[1].forward(torch.tensor([TOKENS]), small[1].start())  # the hooked steps above are the reader's
    torch.testing.assert_close(want["stream"], torch.cat(whole[0]))
    effective = 1 / want["maps"].square().sum(-1)
    near(run["effectiveAt"], effective)
    near(run["effective"], effective[..., 1:].mean(-1))
    near(run["spread"], want["spreadAt"][..., 1:].mean(-1))


@pytest.mark.parametrize("name", EDITS)
def test_edits_are_what_hooks_do(small, answers, name):
    got, want = answers[1 + list(EDITS).index(name)], forward(small[1], TOKENS, EDITS[name])
    near(got["logits"], want["logits"][-1])
    near(got["stream"], want["stream"])
    near(got["maps"], want["maps"])
    assert (
        want["logits"][-1] - forward(small[1], TOKENS)["logits"][-1]
    ).abs().max() > 0.02  # each edit moves something


def test_a_wrong_edit_is_named(answers):
    first = 1 + len(EDITS)
    assert [each["refused"] for each in answers[first : first + len(REFUSED)]] == list(REFUSED)


def test_what_is_remembered_changes_nothing(small, answers):
    """The same logits whether the tokens before are new, remembered, or more than are asked for now; and an edit
    forgets them."""
    first = 1 + len(EDITS) + len(REFUSED)
    logits = forward(small[1], TOKENS)["logits"]
    for got, end in zip(answers[first : first + 5], (5, 6, 40, 41, 4), strict=True):
        near(got, logits[end - 1])
    near(answers[first + 5], forward(small[1], TOKENS, EDITS["a head erased"])["logits"][-1])


def test_the_lens_reads_each_layer_as_the_last(small, answers):
    rows = answers[first_after_next()]
    want = small[1].unembed(forward(small[1], TOKENS)["stream"][:, 7]).softmax(-1)
    assert len(rows) == LAYERS + 1
    for row, p in zip(rows, want, strict=True):
        assert row["probabilities"] == pytest.approx(p[row["ids"]].tolist(), abs=2e-3)
        assert p[row["ids"]].tolist() == pytest.approx(p.topk(3).values.tolist(), abs=2e-3)
        assert row["asked"][0]["probability"] == pytest.approx(float(p[11]), abs=2e-3)
        assert row["asked"][0]["rank"] - 1 in range(int((p > p[11] + 2e-3).sum()), int((p > p[11] - 2e-3).sum()))


def first_after_next() -> int:
    return 1 + len(EDITS) + len(REFUSED) + 6


@pytest.mark.parametrize("part", ["stream", "attention", "feedForward"])
def test_a_patch_map_is_a_hook_a_cell(small, answers, part):
    found = answers[first_after_next() + 1 + ["stream", "attention", "feedForward"].index(part)]
    places = range(8, 2, -1)  # from the last place to the one where the sentences differ
    assert [(cell["place"], cell["layer"]) for cell in found["cells"]] == [
        (place, layer) for place in places for layer in range(LAYERS)
    ]
    assert sum(found["came"]) == len(found["cells"]) and found["came"][:2] == [1, 1]
    for cell in found["cells"]:
        logits = patched(small[1], part, cell["layer"], cell["place"])
        assert cell["value"] == pytest.approx(float(logits[5] - logits[6]), abs=5e-3)
    for name, tokens in (("clean", CLEAN), ("dirty", DIRTY)):
        logits = forward(small[1], tokens)["logits"][-1]
        assert found[name] == pytest.approx(float(logits[5] - logits[6]), abs=5e-3)


def test_means_are_over_all_places_but_the_first(small, answers):
    found = answers[first_after_next() + 4]
    texts = reference(small[0])
    runs = [forward(small[1], tokens) for tokens in texts]
    for name in ("heads", "attention", "feedForward"):
        near(found[name], torch.cat([run[name][..., 1:, :] for run in runs], -2).mean(-2))


def reference(folder) -> list[list[int]]:
    return model_parts.read_manifest(folder)["reference"]


def test_what_no_model_can_read_is_refused(answers):
    assert [each["refused"] for each in answers[first_after_next() + 5 :]] == [
        "tokens must be whole numbers from 0 to 59, got 60",
        "tokens must be 1 to 96 tokens, got 97",
        "clean and dirty must have as many tokens as each other, got 9 and 8",
        "clean and dirty must differ in a token",
    ]


# ---- the real weights
SENTENCES = ["Mikhail Tal was a bad smoker but a good", "The capital of France is Paris, and the capital of Italy is"]


@pytest.mark.slow
def test_the_real_model_says_what_pytorch_says(tmp_path):
    if not files.installed(*files.PACKAGES, "gguf"):
        missing(f"the real models are not installed: {files.INSTALL}")
    lm = SmolLM.load()
    real_models.write_smollm(tmp_path)
    tokens = [lm.encode(text) for text in SENTENCES]
    calls = [
        ["run", tokens[0], {"logits": "all"}],
        ["next", tokens[1]],
        ["run", tokens[0], {"edits": [{"at": "attention", "layer": 5, "values": 0}]}],
    ]
    run, following, silenced = node("real_model.mjs", {"folder": str(tmp_path / "smollm2"), "calls": calls})["answers"]
    want = lm.read(SENTENCES[0])
    got = floats(run["logits"], *want.logits.shape)
    assert float((got - want.logits).abs().max()) < 0.05
    assert torch.equal(got.argmax(-1), want.logits.argmax(-1))
    assert float((floats(run["maps"], *want.weights.shape) - want.weights).abs().max()) < 0.005
    assert float((floats(following, -1) - lm.read(SENTENCES[1]).logits[-1]).abs().max()) < 0.05
    keep = torch.ones(len(lm.layers), 2, 1, len(tokens[0]))
    keep[5, 0] = 0
    with torch.no_grad():
        hidden = lm.forward(torch.tensor([tokens[0]]), lm.start(), keep)[0]
        assert float((floats(silenced["logits"], -1) - lm.unembed(hidden[-1][0, -1])).abs().max()) < 0.05


def test_a_part_is_a_few_megabytes_and_named_after_its_bytes(small):
    manifest = model_parts.read_manifest(small[0])
    assert sum(part["bytes"] for part in manifest["parts"]) == manifest["bytes"]
    for part in manifest["parts"]:
        data = (small[0] / f"{part['file']}.bin").read_bytes()
        assert hashlib.sha256(data).hexdigest() == part["sha256"] and part["sha256"].startswith(part["file"])
        assert len(data) == part["bytes"] <= model_parts.PART < 25_000_000
