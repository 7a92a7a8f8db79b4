"""The journey: every stop shows what the model computed and how, sentences are cut as Python cuts them, the widget
refuses in words."""

import base64
import json
import re

import numpy as np
import pytest
import torch

from course_lib.text.tokenisers import words
from course_lib.widgets import Journey, shipped_data
from course_lib.widgets.journey import END, EXAMPLES, LONGEST, STATIONS, tokens_of
from tests.shared.graph_node import node, stored
from tests.widgets.test_inference_graphs import everything_translated, translator
from tools.models.train_translator import training_pairs

SHIPPED = json.loads(shipped_data.blobs("english_french")["english_french"])
GRAPH = stored("read_translator")


RANDOM = (16, 4, 3, 20, 30, 40, 0)  # d, m, h, r, words of both languages, seed
HEADS = {
    "Q": "Q",
    "K": "K",
    "V": "V",
    "scores": "scores",
    "weights": "weights",
    "mix": "heads",
}  # on the page, in PyTorch


def journey(**data):
    return node("journey_scenes.mjs", {"graph": GRAPH} | data)


@pytest.fixture(scope="module")
def random_model():
    """A small random model whose sizes are all different, and what its journey shows."""
    _, data = translator(*RANDOM)
    data["config"]["layers"] = 2
    cases = [{"source": [5, 8, 5, 9, 11], "target": [1, 7, 9], "head": 1}, {"source": [6], "target": [1], "head": 2}]
    return data, cases, journey(data=data, cases=cases)


# ---- The stops
def test_both_sides_know_the_same_stops(random_model):
    order = random_model[2]["order"]
    assert list(dict.fromkeys(station for station, _ in order)) == list(STATIONS)
    assert len(order) == 4 + 2 * 7 + 1 + 3 + 2 * 12 + 3
    assert (
        len(random_model[2]["boxes"])
        == len({tuple(box) for box in random_model[2]["boxes"]})
        == 3 + 2 * 2 + 1 + 3 + 2 * 3 + 3
    )
    assert random_model[2]["found"] == list(range(len(order)))
    assert order[random_model[2]["beyond"]] == ["cross_weights", 1]  # a layer that is none: the last


def test_every_number_is_what_the_page_says_it_was_computed_from(random_model):
    tried = 0
    for seen in random_model[2]["seen"]:
        for stop in seen:
            for matrix in stop["matrices"]:
                assert matrix["fits"] and matrix["worst"] < 2e-5, (stop["station"], matrix["id"])
                assert not re.search("NaN|undefined|Infinity|null", matrix["words"])
                tried += matrix["tried"]
    assert tried > 5000


def test_a_head_shows_its_own_part_at_its_own_layer(random_model):
    model, _ = translator(*RANDOM)
    for case, seen in zip(random_model[1], random_model[2]["seen"], strict=True):
        source, target = torch.tensor([case["source"]]), torch.tensor([case["target"]])
        truth = everything_translated(model, source, torch.tensor([len(case["source"])]), target)
        compared = 0
        for stop in seen:
            part, _, step = stop["station"].rpartition("_")
            if step not in ("read", "scores", "weights", "mix"):
                continue
            name = (
                f"{'encoder' if part == 'encoder' else 'decoder'}.{stop['layer']}.{'cross_' if part == 'cross' else ''}"
            )
            for matrix in stop["matrices"]:
                if matrix["id"] in HEADS:
                    want = truth[name + HEADS[matrix["id"]]][0, case["head"], -1]
                    torch.testing.assert_close(
                        torch.tensor(matrix["last"], dtype=torch.float32), want.float(), atol=1e-5, rtol=1e-5
                    )
                    compared += 1
        assert compared == 6 * (3 + 3 + 2 + 3)


def test_every_result_of_the_graph_is_shown_somewhere(random_model):
    shown = {name for stop in random_model[2]["seen"][0] for name in stop["read"]}
    assert shown == {name for name, _ in GRAPH["outputs"]}


def test_shapes_in_letters_are_the_shapes(random_model):
    data, cases, answer = random_model
    config = data["config"]
    for case, seen in zip(cases, answer["seen"], strict=True):
        sizes = {letter: config[letter] for letter in "dmhr"} | {"s": len(case["source"]), "n": len(case["target"])}
        sizes["h·m"] = config["h"] * config["m"]
        for stop in seen:
            sizes["v"] = 30 if STATIONS.index(stop["station"]) < STATIONS.index("target_words") else 40
            for matrix in stop["matrices"]:
                assert [sizes[letter] for letter in matrix["letters"]] == matrix["shape"], (
                    stop["station"],
                    matrix["id"],
                )


def test_every_stop_says_one_sentence_and_joins_its_matrices(random_model):
    for stop in random_model[2]["seen"][0]:
        told = stop["told"]
        assert (
            told.endswith(".") and not re.search(r"[.!?] [A-Z]", told) and not re.search("NaN|undefined|null", told)
        ), told
        used = {item for line in stop["lines"] for item in line if item in stop["ids"]}
        assert used == set(stop["ids"]) and stop["main"] in [*stop["ids"], None], stop["station"]


# ---- Sentences
TEXTS = [
    "The Old doctor, who runs",
    "my friends do not see the old bridge .",
    "it's a bad-tempered horse!",
    "",
    "  ",
    "é œuf 3",
    "A . B",
]


def test_a_sentence_is_cut_as_python_cuts_it():
    for text, (tokens, _) in zip(TEXTS, journey(data=SHIPPED, cut=TEXTS)["cut"], strict=True):
        assert tokens == tokens_of(text)
        lower = words(text.lower())
        assert tokens == (lower if not lower or lower[-1] == "." else [*lower, "."])


def test_unknown_words_are_said():
    too_long = " ".join(["the"] * LONGEST)
    answers = [
        trouble
        for _, trouble in journey(data=SHIPPED, cut=["the doctor runs", "the zebra and the docter", "", too_long])[
            "cut"
        ]
    ]
    assert answers[0] is None
    assert "“zebra”, “docter” are not among them" in answers[1]
    assert answers[2].startswith("Type an English sentence")
    assert f"At most {LONGEST} tokens" in answers[3] and f"these are {LONGEST + 1}" in answers[3]


def test_the_address_takes_back_what_it_gave_and_nothing_else():
    (_, back), bad = journey(data=SHIPPED, codecs=[("written", "le chat"), ("written", "a" * 401)])["codecs"]
    assert back == "le chat" and bad == [None, None]


# ---- The shipped model
def greedy(model, source, target, tokens):
    """The translation by PyTorch, word by word, from whole sequences."""
    ids, written = torch.tensor([[source.index(token) for token in tokens]]), [1]
    with torch.no_grad():
        while len(written) < 30:
            best = int(model(ids, torch.tensor([written])).logits[0, -1].argmax())
            if target[best] == END:
                break
            written.append(best)
    return [target[token] for token in written[1:]]


def test_examples_are_sentences_the_model_has_not_seen():
    seen = {" ".join(pair.source) for pair in training_pairs()}
    assert len(EXAMPLES) >= 5 and not seen & set(EXAMPLES)
    assert all(text.split() == tokens_of(text) for text in EXAMPLES)


def test_the_parameters_travel_as_float16_exactly():
    from safetensors.torch import load_file

    for name in shipped_data.GRAPHS_OF:
        data = json.loads(shipped_data.blobs(name)[name])
        for key, tensor in load_file(shipped_data.MODELS / f"{name}.safetensors").items():
            packed = data["parameters"][key]
            numbers = np.frombuffer(base64.b64decode(packed["numbers"]), "<f2").reshape(packed["shape"])
            assert np.array_equal(numbers, tensor.numpy())


# ---- The widget
# Beside what its settings.json says (test_declared_settings.py).
def test_a_sentence_is_kept_as_the_model_reads_it():
    assert Journey("The doctor runs", written=("le", END)).sentence == "the doctor runs ."
