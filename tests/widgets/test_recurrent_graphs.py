"""The recurrent translators in the page: every step against PyTorch in float64, whole translations against course_lib's."""

import json

import pytest
import torch

from course_lib import shipped
from course_lib.attention import padding_mask
from course_lib.graphs import CATALOGUE, dumps
from course_lib.graphs.recurrent import RECURRENT
from course_lib.recurrent import RNNencdec, RNNsearch
from course_lib.text.corpora import english_french
from course_lib.text.vocabulary import END, START
from course_lib.translation import translate
from course_lib.widgets import shipped_data
from course_lib.widgets.translate import sentence
from tests.shared.graph_node import close, flat, node, stored

MODELS = {"rnnencdec": RNNencdec, "rnnsearch": RNNsearch}
# words of the source, words of the target, d, r, width of the score, both directions?
SIZES = [(9, 7, 4, 6, 3, True), (5, 5, 5, 2, 1, True), (30, 41, 1, 12, 12, True), (12, 60, 16, 10, 7, False), (334, 50, 7, 32, 16, True)]
LENGTHS = [(1, 1), (3, 5), (16, 4), (17, 9), (40, 2)]  # of source and target: on both sides of the rooms that share a plan


def halved(model, seed):
    """Random weights that float16 holds exactly."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
            parameter.copy_((parameter + 0.2 * noise).half().to(parameter.dtype))
    return model.eval()


def made(name, sizes, seed=0):
    source, target, d, r, m, both = sizes
    more = {"score_width": m} if name == "rnnsearch" else {}
    return halved(MODELS[name](source, target, d, r, bidirectional=both, dtype=torch.float64, **more), seed)


def page(name, model):
    """What the page gets of this model."""
    source, target = ([f"w{i}" for i in range(E.shape[0])] for E in (model.E_source, model.E_target))
    parameters = {key: p.detach().half().numpy() for key, p in model.named_parameters()}
    data = json.loads(shipped_data.pack({}, {"source": source, "target": target}, parameters))
    return {"data": data, "graphs": [stored(graph) for graph in shipped_data.GRAPHS_OF[name]]}


def shipped_pages():
    return {name: {"data": json.loads(shipped_data.blobs(name)[name]), "graphs": [stored(graph) for graph in shipped_data.GRAPHS_OF[name]]} for name in MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_every_step_is_pytorchs(name):
    """All states of the encoder, both ways, and the logits of each step of the decoder: 25 cases of sizes and lengths."""
    models, cases, wants = {}, [], []
    for seed, sizes in enumerate(SIZES):
        model = made(name, sizes, seed)
        models[str(seed)] = page(name, model)
        generator = torch.Generator().manual_seed(seed)
        for s, n in LENGTHS:
            source = torch.randint(sizes[0], (1, s), generator=generator)
            target = torch.randint(sizes[1], (1, n), generator=generator)
            cases.append({"model": str(seed), "ids": source[0].tolist(), "target": target[0].tolist()})
            with torch.no_grad():
                encoded, answer = model.encode(source), model(source, target)
            wants.append({"H": encoded.H, "C": encoded.C, "logits": answer.logits})
    for got, want in zip(node("recurrent.mjs", {"models": models, "read": cases})["read"], wants, strict=True):
        for key, expected in want.items():
            assert close(torch.tensor(got[key], dtype=torch.float64).flatten(), expected.flatten()), key


@pytest.mark.parametrize("name", MODELS)
def test_a_graph_of_one_step_takes_batches_and_padding(name):
    """The graph itself, on three sentences of unequal lengths, one of them with padding behind: every output, scores too."""
    sizes = source_vocab, vocab, d, r, m, _ = (9, 8, 5, 6, 4, True)
    model = made(name, sizes, 3)
    lengths = torch.tensor([7, 1, 4])
    source = torch.randint(1, source_vocab, (3, 7), generator=torch.Generator().manual_seed(1))
    tokens = torch.tensor([1, 5, 7])
    state = model.start(source, lengths)
    decoder = model.decoder
    inputs = {"token": torch.nn.functional.one_hot(tokens, vocab), "s": state.s, "E_target": model.E_target}
    rows = {"cell.W_x": [("y", d), ("C", r)], "W_r": [("s", r), ("C", r), ("y", d)]}
    for key, parameter in decoder.named_parameters():
        first = 0
        for part, size in rows.get(key, []):
            inputs[f"{key}.{part}"] = parameter[first : first + size]
            first += size
        inputs[key] = parameter
    if name == "rnnsearch":
        mask = padding_mask(lengths, 7)[:, 0]
        inputs |= {"H": state.H, "keys": state.keys, "mask": mask}
        looked = decoder.look(state.s, state)
        want = {"scores": looked.scores, "weights": looked.weights, "C": looked.C}
        assert not want["weights"][~mask].any()
    else:
        inputs["C"], want = state.C, {}
    with torch.no_grad():
        logits, after = model.step(tokens, state)
    want |= {"s": after.s, "logits": logits, "probabilities": logits.softmax(-1)}
    graph = stored(f"read_{name}_step")
    named = {given for given, _ in graph["inputs"]}
    case = {
        "graph": "step",
        "sizes": {"b": 3, "vocab": vocab, "d": d, "r": r, "m": m, "s": 7},
        "inputs": flat({key: tensor.detach() for key, tensor in inputs.items() if key in named}),
    }
    assert set(case["inputs"]) == named
    (got,) = node("run_graphs.mjs", {"graphs": {"step": graph}, "cases": [case]})
    assert got["outputs"].keys() == want.keys()
    for key, expected in want.items():
        found = torch.tensor(got["outputs"][key]["numbers"], dtype=torch.float64).reshape(got["outputs"][key]["shape"])
        assert close(found, expected.detach()), key


@pytest.mark.parametrize("name", MODELS)
def test_whole_translations_are_course_libs(name):
    """The shipped model, greedy in the page and in Python: the same words, the same end, the same looks, to 61 tokens and with ⟨unk⟩."""
    model, source, target, _ = getattr(shipped, name)()
    texts = [sentence(example, clauses)[0].split() for example, clauses in ((0, 1), (1, 2), (2, 3), (3, 4), (0, 6))]
    texts += [list(pair.source) for pair in english_french().test[:3]] + [["the", "zeppelin", "sleeps", "."], ["."]]
    cases = [{"model": name, "ids": source.encode(words)} for words in texts]
    answers = node("recurrent.mjs", {"models": {name: shipped_pages()[name]}, "translate": cases})["translate"]
    for words, case, got in zip(texts, cases, answers, strict=True):
        (want,) = translate(model, source, target, [words])
        assert tuple(target.decode(got["tokens"])) == want.words
        assert (got["tokens"][-1] == END) == want.finished and got["longest"] == 3 * len(words) // 2 + 10
        with torch.no_grad():
            read = torch.tensor([[START, *got["tokens"][:-1]]])
            answer = model(torch.tensor([case["ids"]]), read)
        said = answer.logits.softmax(-1)[0].gather(1, torch.tensor(got["tokens"])[:, None])[:, 0]
        assert close(torch.tensor(got["probabilities"]), said, 1e-3)
        if name == "rnnsearch":
            assert close(torch.tensor(got["weights"], dtype=torch.float32), answer.weights[0], 1e-3)
        else:
            assert all(got["C"][0] == C for C in got["C"]) and got["weights"] == [None] * len(got["tokens"])


def test_tokens_that_are_none_are_refused_in_words():
    cases = [{"model": "rnnsearch", "ids": ids} for ids in ([], [1, 9], [0.5])]
    models = {"rnnsearch": page("rnnsearch", made("rnnsearch", SIZES[0]))}
    said = node("recurrent.mjs", {"models": models, "refused": cases})["refused"]
    assert said[0] == "a sentence must have one token or more, got none"
    assert said[1:] == [f"a token must be a whole number from 0 to 8, got {wrong}" for wrong in (9, 0.5)]


@pytest.mark.parametrize("name", RECURRENT)
def test_the_stored_graph_is_what_the_module_traces(name):
    assert dumps(stored(name)) == dumps(CATALOGUE[name]())


@pytest.mark.parametrize("name", MODELS)
def test_the_graphs_fit_the_shipped_model(name):
    """Each parameter of the file is an input of a graph, whole or in its parts, and each input that is none is known to the page."""
    given = {key for graph in shipped_data.GRAPHS_OF[name] for key, _ in stored(graph)["inputs"]}
    own = {"token", "state", "s", "C", "H", "keys", "mask"}
    parameters = json.loads(shipped_data.blobs(name)[name])["parameters"]
    short = {key.removeprefix("encoder.forwards.").removeprefix("encoder.backwards.").removeprefix("decoder.") for key in parameters}
    whole = {key.rsplit(".", 1)[0] if key.endswith((".y", ".C", ".s")) else key for key in given - own}
    assert whole == short
