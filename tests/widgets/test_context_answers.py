"""A context of the reader's own: every answer beside PyTorch's network and NumPy's sum of products, every wanted one
beside its formula."""

import base64
import json

import numpy as np
import pytest
import torch

from course_lib.graphs import trace
from course_lib.results import load
from course_lib.universal import InContextNetworks
from course_lib.widgets import ContextAnswers
from tests.shared.graph_node import call, js, read

TERMS = 5
DRAWN = np.random.default_rng(3).normal(size=(4, 3, TERMS)), np.random.default_rng(4).normal(size=TERMS)
CLOUDS = [[[0.3, 0.0]], [[-0.7, 0.0], [-0.5, 0.0], [0.1, 0.0], [0.9, 0.0]]]
POINTS = [[[0.2, -1.0]], [[-0.9, 1.5], [-0.2, 0.4], [0.1, 0.2], [0.8, -2.0], [0.8, -2.0]]]


def products(x, cloud, a, b, c, v, weights):
    """Sums of products of elementary maps, as the page on universality traces them."""
    u, U = x[:, :, None] * a + b, cloud[:, :, None] * a + b
    maps = u + v * (((c * u)[:, None] * U).softmax(1) * U).sum(1)
    return {
        "answers": (maps.prod(1) if maps.dtype == torch.float64 else maps[:, 0] * maps[:, 1] * maps[:, 2]) @ weights
    }


def text(arrays):
    return base64.b64encode(np.concatenate([np.ravel(each) for each in arrays]).astype("<f4").tobytes()).decode()


SUMS = trace(
    "sums", products, {"x": ("q", 1), "cloud": ("n", 1), **dict.fromkeys("abcv", (3, "terms")), "weights": ("terms",)}
)


def answers():
    runs = load("in_context_targets")["runs"]
    line = next(row["network"] for row in load("in_context_regression")["rows"] if "network" in row)
    theorem = {"d": 4, "h": 1, "r": 32}
    return [
        *({"question": "kernel", "family": "start 2", "name": f"{k} layers", "graph": f"in_context_{k}_1",
        "sizes": theorem, "numbers": runs[f"kernel | theorem | {k}"]["networks"][1]} for k in (1, 2, 4)),
        *({"question": name, "family": "", "name": f"{k} layers", "graph": f"in_context_{k}_1", "sizes": theorem,
        "numbers": runs[f"{name} | theorem | {k}"]["network"]} for name, k in (("rank", 4), ("centred", 1))),
        {"question": "line", "family": "", "name": "2 layers", "graph": "in_context_2_4", "sizes": {"d": 16, "h": 4,
        "r": 32}, "numbers": line},
        {"question": "kernel", "family": "three", "name": "5 terms", "graph": SUMS, "sizes": {"terms": TERMS},
        "numbers": text([*DRAWN[0], DRAWN[1]])},
    ]  # fmt: skip


ANSWERS = answers()
STATES = [
    {"answer": k, "points": points, "copies": copies}
    for k, each in enumerate(ANSWERS)
    for points in (POINTS if each["question"] == "line" else CLOUDS)
    for copies in (1, 3)
]
LINKS = ["-0.5,1,0.25,-3", "0,0,1", "1.5,0", "0,4", ",".join(["0"] * 50), "x,0", ",".join(["0"] * 48)]
SAID = {"question": "line", "points": POINTS[0], "copies": 4, "name": "2 layers", "found": {"rms": 0.0123, "most": 0.05,
    "at": 40}, "wanted": [0.5] * 41,
        "answered": [0.45] * 41, "shift": {"answered": 1e-7, "wanted": 0.12}, "asked": {"x": 0.5, "wanted": 0.5,
        "answered": 0.45}}  # fmt: skip


@pytest.fixture(scope="module")
def page():
    shown = ContextAnswers(ANSWERS)
    given = json.loads(shown._data[shown.data_keys["answers"]])
    own, questions, kept = (
        js("context_answers/answers.js"),
        js("context_answers/questions.js").QUESTIONS,
        js().structuredClone(given),
    )
    library = own.library(kept)

    def asked(state):
        many, answer = state["points"] * state["copies"], kept[state["answer"]]
        wanted = own.LINE.map(questions[answer.question].wanted(many))
        answered = library.run(answer, state["points"], state["copies"])
        return js().Object.assign({"wanted": wanted, "answered": answered}, own.distance(answered, wanted))

    line, *found = call(own.LINE, *map(asked, STATES))
    return {"line": line, "found": found}


def of_pytorch(answer, points, line):
    sizes = answer["sizes"]
    if answer["graph"] is SUMS:
        given = [torch.tensor(each) for each in (*DRAWN[0], DRAWN[1])]
        return products(torch.tensor(line)[:, None], torch.tensor(points)[:, :1], *given)["answers"]
    asks_line = answer["question"] == "line"
    network = InContextNetworks(
        3 if asks_line else 1, 1, int(answer["name"][0]), d=sizes["d"], h=sizes["h"], m=4 if asks_line else 1
    )
    network.read_text(answer["numbers"])
    x, y = np.array(points).T
    tokens = np.stack([x, y, np.ones_like(x)], 1) if asks_line else x[:, None]
    asked = np.stack([line, 0 * line, 0 * line], 1) if asks_line else line[:, None]
    with torch.no_grad():
        return network.double()(torch.tensor(asked)[None, None], torch.tensor(tokens)[None, None])[0, 0, :, 0]


def of_a_formula(question, points, line):
    x, y = np.array(points).T
    apart = line[:, None] - x
    if question == "line":
        F = np.stack([np.ones_like(x), x], 1)
        return np.linalg.solve(F.T @ F + 0.25 * np.eye(2), F.T @ y) @ np.stack([np.ones_like(line), line])
    return {"kernel": np.exp(-(apart**2) / (2 * 0.25**2)), "rank": 1 / (1 + np.exp(-apart / 0.1)), "centred": apart}[
        question
    ].mean(1)


def test_every_answer_is_pytorchs_and_every_wanted_one_the_formulas(page):
    line = np.array(page["line"])
    for state, found in zip(STATES, page["found"], strict=True):
        answer, points = ANSWERS[state["answer"]], state["points"] * state["copies"]
        own, wanted = of_pytorch(answer, points, line).numpy(), of_a_formula(answer["question"], points, line)
        assert found["answered"] == pytest.approx(own, abs=2e-5)
        assert found["wanted"] == pytest.approx(wanted, abs=1e-12)
        assert (found["rms"], found["most"]) == pytest.approx(
            (np.sqrt(np.mean((own - wanted) ** 2)), abs(own - wanted).max()), abs=4e-5
        )


def test_a_product_of_elementary_maps_is_numpys():
    (a, b, c, v), weights = DRAWN
    x, cloud = np.array([-0.4, 0.9]), np.array([0.1, -0.3, 0.8])
    wanted = np.zeros(2)
    for i, at in enumerate(x):
        for t in range(TERMS):
            product = 1.0
            for k in range(3):
                u, U = a[k, t] * at + b[k, t], a[k, t] * cloud + b[k, t]
                share = np.exp(c[k, t] * u * U)
                product *= u + v[k, t] * (share * U).sum() / share.sum()
            wanted[i] += weights[t] * product
    given = [torch.tensor(each) for each in (x[:, None], cloud[:, None], a, b, c, v, weights)]
    assert products(*given)["answers"].numpy() == pytest.approx(wanted, abs=1e-12)


def test_links_and_words():
    first, *none, many = read(*(("context_answers", "points", text) for text in LINKS))
    assert first == [[-0.5, 1], [0.25, -3]] and len(many) == 24 and none == [None] * 5
    line, plain, cloud = call(
        *map(
            js("context_answers/words.js").told,
            (SAID, SAID | {"question": "kernel", "shift": None}, SAID | {"question": "kernel"}),
        )
    )
    assert (
        "0.012 off the best possible answer" in line
        and "At x = 0.50 the network predicts 0.45, the best answer is 0.50." in line
    )
    assert (
        "moves the answer by less than 0.00001, and the best possible one, which counts 4 observations, by 0.12" in line
    )
    assert "list" not in plain and cloud.endswith("the measure is the same.")


def test_points_become_plain_and_the_data_are_whole():
    shown = ContextAnswers(ANSWERS, points=np.array(POINTS[1]))
    assert shown.points == POINTS[1] and set(shown.data_keys) == {"answers"}
    kept = json.loads(shown._data[shown.data_keys["answers"]])
    assert (
        [each["numbers"] for each in kept] == [each["numbers"] for each in ANSWERS]
        and kept[-1]["graph"] == SUMS
        and kept[0]["graph"]["name"] == "in_context_1_1"
    )
