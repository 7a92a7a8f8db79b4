"""The recurrent translators in the page: every step against PyTorch in float64, whole translations against
course_lib's."""

import json

import pytest
import torch

from course_lib import shipped
from course_lib.recurrent import RNNencdec, RNNsearch
from course_lib.text.corpora import english_french
from course_lib.text.vocabulary import END, START
from course_lib.translation import translate
from course_lib.widgets import shipped_data
from course_lib.widgets.translate import sentence
from tests.shared.graph_node import GLUE, call, close, js, stored

MODELS = {"rnnencdec": RNNencdec, "rnnsearch": RNNsearch}
# words of the source, words of the target, d, r, width of the score, both directions?
SIZES = [
    (9, 7, 4, 6, 3, True),
    (5, 5, 5, 2, 1, True),
    (30, 41, 1, 12, 12, True),
    (12, 60, 16, 10, 7, False),
    (334, 50, 7, 32, 16, True),
]
LENGTHS = [
    (1, 1),
    (3, 5),
    (16, 4),
    (17, 9),
    (40, 2),
]  # of source and target: on both sides of the rooms that share a plan


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
    return opened(name, data)


def opened(name, data):
    return js("runtime/recurrent.js").makeRecurrent(data, [stored(graph) for graph in shipped_data.GRAPHS_OF[name]])


@pytest.mark.parametrize("name", MODELS)
def test_every_step_is_pytorchs(name):
    """All states of the encoder, both ways, and the logits of each step of the decoder: 25 cases of sizes and
    lengths."""
    asked, wants = [], []
    for seed, sizes in enumerate(SIZES):
        model = made(name, sizes, seed)
        its = page(name, model)
        generator = torch.Generator().manual_seed(seed)
        for s, n in LENGTHS:
            source = torch.randint(sizes[0], (1, s), generator=generator)
            target = torch.randint(sizes[1], (1, n), generator=generator)
            state = its.start(encoded := its.encode(source[0].tolist()))
            logits = []
            for token in target[0].tolist():
                answer = its.step(token, state)
                state = answer.state
                logits.append(answer.logits)
            asked.append({"H": encoded.H, "C": encoded.C, "logits": logits})
            with torch.no_grad():
                read, answer = model.encode(source), model(source, target)
            wants.append({"H": read.H, "C": read.C, "logits": answer.logits})
    for got, want in zip(call(*asked), wants, strict=True):
        for key, expected in want.items():
            assert close(torch.tensor(got[key], dtype=torch.float64).flatten(), expected.flatten()), key


@pytest.mark.parametrize("name", MODELS)
def test_whole_translations_are_course_libs(name):
    """The shipped model, greedy in the page and in Python: the same words, the same end, the same looks, to 61 tokens
    and with ⟨unk⟩."""
    model, source, target, _ = getattr(shipped, name)()
    texts = [sentence(example, clauses)[0].split() for example, clauses in ((0, 1), (1, 2), (2, 3), (3, 4), (0, 6))]
    texts += [list(pair.source) for pair in english_french().test[:3]] + [["the", "zeppelin", "sleeps", "."], ["."]]
    run, its = js("translate/run.js"), opened(name, json.loads(shipped_data.blobs(name)[name]))
    asked = [source.encode(words) for words in texts]
    for words, ids, (steps, longest) in zip(
        texts,
        asked,
        call(*([GLUE.every(run.greedySteps, its, ids), run.longestFor(len(ids))] for ids in asked)),
        strict=True,
    ):
        got = {part: [step.get(part) for step in steps] for part in ("token", "probability", "weights", "C")}
        (want,) = translate(model, source, target, [words])
        assert tuple(target.decode(got["token"])) == want.words
        assert (got["token"][-1] == END) == want.finished and longest == 3 * len(words) // 2 + 10
        with torch.no_grad():
            read = torch.tensor([[START, *got["token"][:-1]]])
            answer = model(torch.tensor([ids]), read)
        said = answer.logits.softmax(-1)[0].gather(1, torch.tensor(got["token"])[:, None])[:, 0]
        assert close(torch.tensor(got["probability"]), said, 1e-3)
        if name == "rnnsearch":
            assert close(torch.tensor(got["weights"], dtype=torch.float32), answer.weights[0], 1e-3)
        else:
            assert all(got["C"][0] == C for C in got["C"]) and got["weights"] == [None] * len(steps)


def test_tokens_that_are_none_are_refused_in_words():
    its = page("rnnsearch", made("rnnsearch", SIZES[0]))
    said = call(*(GLUE.refused(its.encode, ids) for ids in ([], [1, 9], [0.5])))
    assert said[0] == "a sentence must have one token or more, got none"
    assert said[1:] == [f"a token must be a whole number from 0 to 8, got {wrong}" for wrong in (9, 0.5)]
