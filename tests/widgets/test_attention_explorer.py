"""The explorer: tasks with exact lines, the same run in PyTorch and in the page, its memory, and the widget's
traits."""

import base64
import itertools
import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from course_lib import tasks
from course_lib.graphs import Generator
from course_lib.graphs.explorer import Run, Settings
from course_lib.graphs.explorer import test_batch as fixed_batch
from course_lib.sources import entropy_rate
from course_lib.tasks import TASKS
from course_lib.widgets import AttentionExplorer
from course_lib.widgets.attention_explorer import DEFAULT as STORED
from course_lib.widgets.attention_explorer import blobs
from tests.shared.graph_node import node

TABLES = json.loads(blobs()["tasks"])
DEFAULT = json.loads(STORED.read_text(encoding="utf-8"))


def asked(*questions):
    return node("explorer.mjs", questions)


def trained(settings, **how):
    return ["train", TABLES[settings.task], asdict(settings), how]


def spelled(name, *draws):
    """The words of a question and of its answers, for the draws as one row."""
    task = TASKS[name]
    tokens, targets = (part[0].tolist() for part in task.spell(np.array([draws])))
    return " ".join(tasks.words(task, tokens)), " ".join(tasks.words(task, [t for t in targets if t >= 0]))


# ---- Tasks
def test_tasks_say_what_they_promise():
    assert spelled("reverse", 0, 1, 2, 3, 4, 4) == ("a b c d e e → e e d c b", "e e d c b a")
    assert spelled("copy", 0, 1, 2, 3, 4, 9) == ("a b c d e j → a b c d e", "a b c d e j")
    assert spelled("sort", 3, 0, 9, 3, 1, 2) == ("d a j d b c → a b c d d", "a b c d d j")
    assert spelled("numbers", 2, 3, 3) == (
        "three hundred fifty four → drei hundert vier und",
        "drei hundert vier und fünfzig",
    )
    # a3 b1 a5 c0: a's second pair does not count.
    assert spelled("recall", 0, 1, 0, 2, 3, 1, 5, 0, 2, 1, 0, 3) == ("a 3 b 1 a 5 c 0 a b a c", "3 1 3 0")


@pytest.mark.parametrize("name", [name for name in TASKS if name != "text"])
def test_the_floor_is_zero_and_answers_follow_from_what_came_before(name):
    """Sequences that agree up to an asked place have the same answer there: the least loss is exactly 0."""
    task, batch = TASKS[name], TASKS[name].batch(Generator(5), 20_000)
    for place in range(task.n):
        if not (batch.targets[:, place] >= 0).any():
            continue
        answer = {}
        for tokens, target in zip(batch.tokens[:, : place + 1], batch.targets[:, place], strict=True):
            assert answer.setdefault(tokens.tobytes(), target) == target
        if task.fed and place + 1 < task.n:
            assert (batch.tokens[:, place + 1] == batch.targets[:, place]).all()


def conditional_entropy(own, answer, size):
    joint = np.bincount(own * size + answer, minlength=size * size).reshape(size, size) / len(own)
    given = joint.sum(1, keepdims=True)
    share = np.divide(joint, given, out=np.ones_like(joint), where=joint > 0)
    return -(joint * np.log(share)).sum()


@pytest.mark.parametrize("name", ["reverse", "copy", "sort", "numbers"])
def test_the_line_without_looking_is_exact(name):
    """Against the entropy of the answer given one's own token and place, counted over every question there is."""
    task = TASKS[name]
    draws = np.stack([axis.ravel() for axis in np.indices(task.bounds, dtype=np.int32)], axis=1)
    batch = task.spell(draws)
    asked = [place for place in range(task.n) if batch.targets[0, place] >= 0]
    size = len(task.vocabulary)
    each = [conditional_entropy(batch.tokens[:, place], batch.targets[:, place], size) for place in asked]
    assert task.blind == pytest.approx(np.mean(each), abs=1e-9)


def test_recall_without_looking_is_a_guess_among_the_digits():
    """Given the asked letter, its first digit is uniform."""
    assert TASKS["recall"].blind == pytest.approx(math.log(6))
    batch = TASKS["recall"].batch(Generator(1), 60_000)
    own, answer = batch.tokens[:, 8], batch.targets[:, 8]
    assert conditional_entropy(own, answer, 12) == pytest.approx(math.log(6), abs=1e-3)


def test_the_floors_of_the_text_are_the_entropies_of_its_chain():
    """By counting a million drawn signs, and far from the start by the entropy rate of the chain of pairs."""
    task, count = TASKS["text"], 90_000
    batch = task.batch(Generator(2), count)
    pairs = np.concatenate([np.zeros((count, 1), np.int64), batch.tokens[:, :-1]], 1) * 10 + batch.tokens
    seen = {"blind": batch.tokens, "floor": pairs}
    for name, own in seen.items():
        each = [conditional_entropy(own[:, place], batch.targets[:, place], 100) for place in range(task.n)]
        assert getattr(task, name) == pytest.approx(np.mean(each), abs=2e-3)
    P = np.zeros((100, 100))
    for pair, line in enumerate(tasks.FOLLOW):
        for sign in line:
            P[pair, 10 * (pair % 10) + tasks.SIGNS.index(sign)] += 1 / len(line)
    met = np.linalg.matrix_power(P, 64)[0] > 0  # the pairs that ever occur
    long, short = (tasks._text_floors(n)[1] * n for n in (400, 399))
    assert long - short == pytest.approx(entropy_rate(P[met][:, met]), abs=1e-9)
    assert task.floor < task.blind < math.log(10)


def test_a_batch_needs_a_size_and_one_hot_leaves_blanks():
    with pytest.raises(ValueError, match=r"^b must be an int > 0, got 0"):
        TASKS["copy"].batch(Generator(0), 0)
    assert tasks.one_hot(np.array([[2, -1]]), 3).tolist() == [[[0, 0, 1], [0, 0, 0]]]


def test_both_sides_draw_the_same_batches():
    cases = list(itertools.product((0, 7, 2**32 - 1), TASKS))
    for (seed, name), got in zip(
        cases, asked(*(["batch", TABLES[name], seed, 50] for seed, name in cases)), strict=True
    ):
        batch = TASKS[name].batch(Generator(seed), 50)
        assert got == {"tokens": batch.tokens.ravel().tolist(), "targets": batch.targets.ravel().tolist()}


GOOD = [
    ("reverse", "B,a d→c e f", [1, 0, 3, 2, 4, 5]), ("recall", "a3 b1 a5 c0 | a b a c", [0, 1, 0, 2, 3, 1, 5, 0, 0, 1,
    0, 3]),
    ("numbers", "354", [2, 3, 3]), ("numbers", "seven hundred ninety nine", [6, 7, 8]), ("sort", "jjjjjj", [9] * 6),
    ("text", "oria.oria.or", [3, 1, 3, 2, 0, 3, 1, 3, 2, 0, 3, 1]),
]  # fmt: skip
BAD_TEXT = [
    ("reverse", "abc"), ("reverse", "abcdek"), ("copy", ""), ("recall", "a3 b1 a5 c0 a b a f"), ("recall",
    "a3 b1 a5 c0 a b a"),
    ("recall", "a3 b1 a9 c0 a b a c"), ("numbers", "314"), ("numbers", "twenty"), ("numbers",
    "three hundred four fifty"), ("sort", "<b>"),
    ("text", "oria"), ("text", "oooooooooooo"), ("text", "oria.oria.ox"),
]  # fmt: skip


def read(*cases):
    return asked(*(["read", TABLES[name], text] for name, text in cases))


def test_a_readers_own_question_is_read_or_refused():
    answers = read(*(case[:2] for case in GOOD))
    for (name, _, draws), got in zip(GOOD, answers, strict=True):
        batch = TASKS[name].spell(np.array([draws]))
        assert (got["draws"], got["tokens"], got["targets"]) == (
            draws,
            batch.tokens[0].tolist(),
            batch.targets[0].tolist(),
        )
    again = read(*((case[0], got["shown"]) for case, got in zip(GOOD, answers, strict=True)))
    assert [got["draws"] for got in again] == [case[2] for case in GOOD]
    assert read(*BAD_TEXT) == [None] * len(BAD_TEXT)


# ---- The same run on both sides
RUNS = [
    Settings(),
    Settings(task="recall", layers=2, positions="sinusoidal", norm="post", seed=3, scaled=False),
    Settings(
        task="sort", d=8, m=5, h=3, positions="none", norm="none", residual=False, causal=False, seed=4, rate=0.01
    ),
    Settings(task="numbers", d=4, m=1, h=1, layers=2, norm="none", seed=5),
    Settings(task="text", d=16, m=8, seed=6),
    Settings(task="copy", d=20, m=3, h=8, layers=2, norm="post", residual=False, seed=9999, rate=1e-5),
    Settings(task="copy", d=16, m=7, h=4, share=2, positions="rotary", seed=7),
    Settings(task="reverse", d=16, m=4, h=5, share=3, layers=2, positions="alibi", norm="post", seed=8),
]


def test_the_page_trains_as_torch_does():
    """From one seed: the same start, 20 losses within 1e-4, the same test accuracy, maps and probabilities."""
    for settings, got in zip(RUNS, asked(*(trained(each, steps=20) for each in RUNS)), strict=True):
        run = Run(settings)
        start = run.parameters()
        assert list(got["start"]) == list(start)
        for name, values in start.items():
            assert np.allclose(got["start"][name], values.ravel(), rtol=1e-6, atol=1e-7), name
        losses = [run.step() for _ in range(20)]
        assert np.abs(np.array(got["losses"]) - losses).max() < 1e-4, settings
        assert got["accuracy"] == pytest.approx(run.accuracy(), abs=1 / 128)  # at most a few answers on the edge
        batch = fixed_batch(run.task)
        assert (got["tokens"], got["targets"]) == (batch.tokens[0].tolist(), batch.targets[0].tolist())
        with torch.no_grad():
            logits, weights = run.read(batch.tokens[:1])
        assert np.allclose(got["probabilities"], logits.softmax(-1).flatten(), atol=1e-4)
        assert all(np.allclose(a, b.flatten(), atol=1e-4) for a, b in zip(got["weights"], weights, strict=True))
        moving = sum(values.size for values in start.values()) - (
            0 if settings.positions == "learned" else start["positions"].size
        )
        assert got["count"] == moving


def test_a_head_switched_off_adds_nothing():
    settings = replace(Settings(), d=16, layers=2, h=3)
    run = Run(settings)
    for _ in range(60):
        run.step()
    off = [[0, 1], [1, 2]]
    [got] = asked(trained(settings, steps=60, off=off))
    before = run.accuracy()
    with torch.no_grad():
        for layer, head in off:
            run.model.encoder.blocks[layer].attention.W_O[head] = 0
    logits, _ = run.read(fixed_batch(run.task).tokens[:1])
    assert np.allclose(got["probabilities"], logits.detach().softmax(-1).flatten(), atol=1e-3)
    assert got["accuracy"] == pytest.approx(before, abs=0.01)
    assert got["without"] == pytest.approx(run.accuracy(), abs=0.01)
    assert got["without"] < got["accuracy"] == got["still"]


def test_going_back_gives_the_same_future():
    for got in asked(*(trained(each, steps=30, back=12) for each in RUNS[:3])):
        assert got["again"] == got["losses"][12:]


def test_history_thins_and_forgets_a_former_future():
    [got] = asked(["thinned", {"steps": 1000, "limit": 12, "from": 300, "more": 20}])
    before, after = got["before"], got["after"]
    assert 6 <= len(before) <= 13 and before[0] == 0 and before == sorted(set(before))
    gaps = np.diff(before)
    assert before[-1] > 1000 - 2 * gaps.max() and len(set(gaps)) == 1  # evenly over all that has passed
    assert got["steps"] == 320 and max(after) <= 320 and set(after) <= set(before) | set(range(300, 321))
    curve = got["loss"]  # the loss of step i was i: means of neighbours
    assert len(curve) <= 240 and curve[0][1] == pytest.approx(curve[0][0]) and sum(v for _, v in curve) > 0
    assert got["accuracy"] == [[step, step / 1000] for step in range(0, 320, 10)]


def test_what_a_session_shows():
    """Trained beforehand, trained anew, back, a head off, a hopeless rate, a run that cannot begin."""
    [got] = asked(["talked", TABLES["reverse"], DEFAULT])
    first, new, back, again, off, hopeless = (
        got[name] for name in ("first", "trained", "back", "again", "off", "hopeless")
    )
    assert (first["step"], first["stored"], first["accuracy"], first["moments"]) == (150, True, 1, [0, 15, 30, 45, 150])
    assert max(got["differences"]) < 0.01  # the stored picture against 16-bit parameters
    run = Run(Settings())
    losses = [run.step() for _ in range(30)]
    assert new["step"] == 30 and new["loss"] == pytest.approx(losses[-1], abs=1e-4)
    assert back["step"] == 10 and again["loss"] == new["loss"]
    assert off["accuracy"] < off["whole"]
    assert hopeless["stopped"] == "diverged" and math.isfinite(hopeless["whole"])
    assert got["errors"] == 1


# ---- The run trained beforehand
def test_the_stored_run_is_what_the_model_trains_to():
    run = Run(Settings())
    assert DEFAULT["settings"] == asdict(run.settings)
    losses = [run.step() for _ in range(50)]
    assert np.allclose(DEFAULT["losses"][:50], losses, atol=2e-3)
    moment = next(m for m in DEFAULT["moments"] if m["step"] == 45)
    code = base64.b64decode(moment["parameters"])
    stored = np.frombuffer(code, "<f2").astype(np.float32)
    assert stored.size == sum(values.size for values in run.parameters().values())
    assert np.array_equal(asked(["halves", moment["parameters"]])[0], stored)
    assert DEFAULT["accuracies"][-1][1] > 0.99 and DEFAULT["moments"][-1]["step"] == len(DEFAULT["losses"])


def test_halves_are_read_exactly():
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    every = every[np.isfinite(every)]
    [got] = asked(["halves", base64.b64encode(every.tobytes()).decode()])
    assert np.array_equal(np.array(got, np.float32), every.astype(np.float32))


def test_what_the_page_loads_is_small():
    import gzip

    used = ("adam", "train_1_pre", "tasks", "default", "worker")
    assert sum(len(gzip.compress(blobs()[name], 9)) for name in used) < 100_000


# ---- The widget
def test_defaults_are_those_of_the_stored_run():
    widget = AttentionExplorer()
    assert {name: getattr(widget, name) for name in widget.controls} == DEFAULT["settings"]
    assert widget._settings["task"]["takes"] == list(TASKS)


# Beside what its settings.json says (test_declared_settings.py).
def test_maps_are_kept_in_order_and_the_row_is_the_first_that_is_asked():
    widget = AttentionExplorer("sort", compare=(0, 1), off=[(1, 0), (0, 3)])
    assert (widget.compare, widget.off) == ([0, 1], [[0, 3], [1, 0]])
    assert [AttentionExplorer(name).row for name in TASKS] == [
        6,
        6,
        6,
        8,
        4,
        0,
    ]  # the arrow, or recall's first question
