"""Decoding in the page: its decoders against course_lib.decoding, its models against PyTorch, its list of towns, its
traits."""

import json
import math

import numpy as np
import pytest
import torch

from course_lib import shipped
from course_lib.decoding import beam, restrict
from course_lib.text.corpora import english_french, towns
from course_lib.text.vocabulary import END, START
from course_lib.widgets import Decoding
from course_lib.widgets.decoding import EXAMPLES, _data, folded, real_towns
from course_lib.widgets.shipped_data import blobs
from tests.shared import decode_vectors
from tests.shared.graph_node import GLUE, call, exports, js
from tests.shared.refusals import refused

VECTORS = json.loads(json.dumps(decode_vectors.vectors()))
PAGE = exports("runtime", "decode")
MODELS = exports("decoding", "models", "search")


def flat(hypotheses):
    return [[each[name] for name in ("tokens", "logProb", "score", "parent", "finished")] for each in hypotheses]


@pytest.fixture(scope="module")
def page():
    """What the page's decoders answer to the same searches."""

    def asked(case):
        read, options = (
            GLUE.reader(case["after"], case["at"]),
            {"start": [VECTORS["start"]], "end": VECTORS["end"], "longest": VECTORS["longest"]},
        )
        beams = [
            GLUE.every(PAGE.beam, read, options | {name: each[name] for name in ("width", "lengthPower")})
            for each in case["beams"]
        ]
        generator = js("runtime/random.js").Generator
        samples = [
            PAGE.sample(
                read,
                options
                | {name: each[name] for name in DIALS}
                | {"generator": js().Reflect.construct(generator, [each["seed"]])},
            )
            for each in case["samples"]
        ]
        return {"greedy": PAGE.greedy(read, options), "beams": beams, "samples": samples}

    return call(*map(asked, VECTORS["searches"]))


DIALS = ("temperature", "topK", "topP")


def shipped_model(name, make, graph):
    """The page's model of these files."""
    data = {each: json.loads(blob) for each, blob in blobs(name).items()}
    return MODELS[make](js("runtime/shipped.js").makeModel(data[name], data[graph]))


def translator():
    return shipped_model("english_french", "translatorModel", "read_translator")


def town_model():
    return shipped_model("towns", "townsModel", "read_towns")


# ---- The decoders
def same(a, b):
    """Equal JSON, numbers to 1e-9."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def test_temperature_and_cuts_are_pythons():
    asked = (
        PAGE.restrict(js().Array["from"](case["logits"], js().Number), {name: case[name] for name in DIALS})
        for case in VECTORS["cuts"]
    )
    for case, got in zip(VECTORS["cuts"], call(*asked), strict=True):
        assert np.allclose(got["probabilities"], case["want"], rtol=0, atol=1e-12), case
        logits = torch.tensor([float(x) for x in case["logits"]], dtype=torch.float64)
        assert np.allclose(got["tempered"], restrict(logits, temperature=case["temperature"]), rtol=0, atol=1e-12)
        seen = [
            (p == 0, why is not None)
            for p, before, why in zip(case["want"], got["tempered"], got["cut"], strict=True)
            if before > 0
        ]
        assert all(gone == cut for gone, cut in seen)
        assert got["cut"].count("k") == max(0, len(logits) - (case["topK"] or len(logits)))


def test_greedy_and_beam_search_are_pythons_step_by_step(page):
    for case, got in zip(VECTORS["searches"], page, strict=True):
        assert same(case["greedy"], got["greedy"])
        for want, choices in zip(case["beams"], got["beams"], strict=True):
            assert same(want["choices"], [[flat(each["kept"]), flat(each["dropped"][:4])] for each in choices]), (
                want["width"],
                want["lengthPower"],
            )


def test_a_seed_draws_the_same_tokens_on_both_sides(page):
    for case, got in zip(VECTORS["searches"], page, strict=True):
        assert all(same(sample["want"], drawn) for sample, drawn in zip(case["samples"], got["samples"], strict=True))
    assert len({tuple(sample["want"]["tokens"]) for case in VECTORS["searches"] for sample in case["samples"]}) > 15


def test_wrong_dials_are_refused_in_words():
    bad = [{"temperature": 0}, {"temperature": -1}, {"topK": 0}, {"topK": 1.5}, {"topP": 0}, {"topP": 1.1}]
    for dials, words in zip(bad, call(*(GLUE.refused(PAGE.restrict, [1, 2], dials) for dials in bad)), strict=True):
        assert isinstance(words, str) and words.startswith(f"{next(iter(dials))} must be"), dials


def test_a_draw_falls_on_the_piece_it_should():
    pieces = [0.5, 0.0, 0.3, 0.2]
    cases = (PAGE.draw(pieces, [0, 2, 3, 1], u) for u in (0.0, 0.499, 0.5, 0.501, 0.799, 0.8, 0.801, 0.9999999))
    assert call(*cases) == [0, 0, 2, 2, 2, 3, 3, 3]  # on a border the next piece begins


def test_beam_and_greedy_are_compared_in_true_words():
    """Beam likelier; greedy likelier but shorter; greedy better in both, because the beam lost its beginning."""
    cases = [
        [-1.0, -0.5, -1.5, -0.8],
        [-2.0, -0.4, -1.5, -0.6],
        [-2.0, -0.7, -1.5, -0.5],
    ]  # log p and score of the beam's, of greedy's
    facts = {"text": js().JSON.stringify, "width": 3}
    likelier, longer, lost = call(*(
        js("decoding/words.js").verdict(facts | {"best": {"tokens": [1], "logProb": p, "score": score},
        "other": {"tokens": [2], "logProb": q}, "score": its})
        for p, score, q, its in cases
    ))  # fmt: skip
    assert "gives the beam's sentence 1.6 times the probability" in likelier
    assert "gives greedy's sentence 1.6 times the probability, but the beam's is longer" in longer
    assert "gives greedy's sentence 1.6 times the probability: the beam dropped its beginning" in lost


# ---- The models
def read_aloud(sentence):
    words = sentence.split()
    return [*words] if words[-1] == "." else [*words, "."]


def test_the_page_translates_as_pytorch_does():
    """The shipped model, its own code in the page: every step of the search, log-probabilities and cross-attention
    within 1e-3."""
    model, source, target, _ = shipped.translator()
    page = translator()
    for text, width, power in zip(EXAMPLES, (1, 2, 3, 4, 6), (0, 0.6, 1, 1.5, 0.3), strict=True):
        words, typed = read_aloud(text), page.words(text)
        read, limits = MODELS.remember(page.open(typed.ids)), {"end": END, "longest": 2 * len(words) + 10}
        got, moments = call(
            typed,
            GLUE.every(
                PAGE.beam, GLUE.part(read, "logits"), limits | {"start": [START], "width": width, "lengthPower": power}
            ),
        )
        assert got["words"] == words and got["unknown"] == [] and got["ids"] == source.encode(words)
        tokens = torch.tensor([got["ids"]])
        found = beam(
            model.step, model.start(tokens), start=START, width=width, length_power=power, trace=True, **limits
        )
        for choice, moment in zip(found.trace, moments, strict=True):
            kept = moment["kept"]
            assert [list(each.tokens) for each in choice.kept] == [each["tokens"] for each in kept]
            assert np.allclose([each.log_prob for each in choice.kept], [each["logProb"] for each in kept], atol=1e-3)
            assert np.allclose([each.score for each in choice.kept], [each["score"] for each in kept], atol=1e-3)
        best = moments[-1]["kept"][0]["tokens"]
        with torch.no_grad():
            cross = model(tokens, torch.tensor([[START, *best[:-1]]])).cross_weights
        assert np.allclose(call(read([START, *best[:-1]]).cross)[0], [layer[0].tolist() for layer in cross], atol=1e-3)
        assert target.decode(best) == target.decode(found.tokens[0])


def test_the_page_reads_names_as_pytorch_does():
    model, vocabulary, _ = shipped.town_model()
    names = ["", "M", "Monte San ", "Roccasecca"]
    page = town_model()
    for name, got in zip(
        names, call(*(page.read([page.start, *vocabulary.encode(list(name))]) for name in names)), strict=True
    ):
        tokens = torch.tensor([[START, *vocabulary.encode(list(name))]])
        with torch.no_grad():
            logits, weights = model(tokens)
        assert np.allclose(got["logits"], logits[0, -1], atol=1e-3)
        assert np.allclose(
            np.array(got["looks"])[..., : len(name) + 1], [layer[0].tolist() for layer in weights], atol=1e-3
        )


def test_what_a_reader_types_becomes_tokens_or_is_named():
    page, letters = translator(), town_model().letters
    said = call(*map(page.words, ("The  black CAT sleeps", "a zeppelin, a cat .", "", "’")))
    assert said[0]["words"] == ["the", "black", "cat", "sleeps", "."] and said[0]["unknown"] == []
    assert "zeppelin" in said[1]["unknown"] and said[1]["words"][-1] == "." and 3 in said[1]["ids"]
    assert said[2]["words"] == [] and said[3]["words"] == ["'", "."]
    sources = [pair.source for pair in english_french().test[:200]]
    again = call(*(page.words(" ".join(words)) for words in sources))
    assert [tuple(each["words"]) for each in again] == [tuple(words) for words in sources]
    typed, drawn, odd = call(letters("Roma", False), letters("a⟨end⟩", True), letters("Ro☃ma", False))
    vocabulary = shipped.town_model().vocabulary
    assert typed == {"ids": vocabulary.encode(list("Roma")), "unknown": None}
    assert drawn == {"ids": [*vocabulary.encode(["a"]), END], "unknown": None}
    assert odd == {"ids": vocabulary.encode(["R", "o"]), "unknown": "☃"}


# ---- The list of real towns
def test_the_list_of_towns_arrives_whole_and_small():
    assert real_towns() == sorted(towns())
    assert set(*call(js().Array["from"](js("decoding/names.js").unfold(folded(real_towns()))))) == set(towns())
    assert len(_data("towns")["real"]) < 100_000 and "real" not in _data("translator")


def test_what_a_page_loads_is_bounded():
    import gzip

    for name, most in (("translator", 700_000), ("towns", 500_000)):
        assert sum(len(gzip.compress(blob, 6)) for blob in _data(name).values()) < most


# ---- The widget
# Beside what its settings.json says (test_declared_settings.py).
BAD = [("text", "a" * 31), ("text", "Ro☃ma"), ("drawn", "☃")]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_wrong_argument_is_named(name, value):
    refused(lambda **more: Decoding("towns", **more), name, value)


def test_a_model_is_chosen_once():
    for wrong in ("mice", None, ["towns"]):
        with pytest.raises(ValueError, match=r"^model must be one of translator, towns, table, got "):
            Decoding(wrong)
    widget = Decoding("towns")
    with pytest.raises(ValueError, match=r"^model must stay 'towns'"):
        widget.model = "translator"
    assert (widget.address, Decoding().address, Decoding("table").address) == ("towns", "translator", "table")
    with pytest.raises(ValueError, match=r"^model must stay 'table'"):
        Decoding("table").model = "towns"


START_ROW = {"⟨start⟩": {"a": 1}}


@pytest.mark.parametrize(
    "follows",
    [
        [],
        {},
        {"a": {"⟨end⟩": 1}},
        START_ROW,
        {**START_ROW, "a": {"⟨end⟩": 0.9}},
        {**START_ROW, "a": {"⟨end⟩": 1, "a": 0}},
        {**START_ROW, "a": 1},
    ],
)
def test_a_language_that_is_none_is_refused(follows):
    refused(lambda **more: Decoding("table", **more), "follows", follows)
