"""The page on embeddings: angles, analogies, axes and senses, from the vectors in the file by NumPy."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.pretrained import files
from course_lib.pretrained.minilm import MiniLM
from tests.shared.seeded import rng

FIELDS = (
    ("The field is full of ripe wheat.", "The field was ploughed before the rain.", "The field feeds all our cows.",
    "The field lies behind the barn."),
    ("The field accelerates the electron.", "The field is strongest near the magnet.",
    "The field of a charge falls with distance.", "The field bends the beam of particles."),
    ("The field was empty after the match.", "The field is too wet to play football.",
    "The field was left by both teams.", "The field is where the players train."),
    ("The field has finitely many elements.", "The field contains the real numbers.",
    "The field is closed under division.", "The field is a ring with inverses."),
)  # fmt: skip


def test_one_hot_vectors_of_37000_books(record):
    assert record("L3.2.zeros", int((F.one_hot(torch.tensor(5), 37_000) == 0).sum())) == 36_999
    assert torch.empty(37_000, 37_000, dtype=torch.float32, device="meta").nbytes / 1e9 == pytest.approx(
        4 * 37_000**2 / 1e9
    )


# ---- real vectors, straight from the file
@pytest.fixture(scope="module")
def of(minilm):
    """The token vectors of some words, straight from the file: NumPy, length 1, float64, [words, d]. Our model gives
    the same."""
    from safetensors.numpy import load_file

    path = files.locate(files.MINILM)
    pieces = (path.parent / "vocab.txt").read_text(encoding="utf-8").splitlines()
    number = {piece: i for i, piece in enumerate(pieces)}
    U = load_file(path)["embeddings.word_embeddings.weight"].astype(np.float64)
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    for word in ("king", "aunt", "oslo"):
        assert minilm.index(word) == number[word]
        np.testing.assert_allclose(F.normalize(minilm.vector(word), dim=0), U[number[word]], atol=1e-6)

    def of(*words, index=False):
        rows = [number[word] for word in words]
        return rows if index else U[rows]

    of.all = U
    return of


def test_the_angles_of_the_source(of):
    pairs = ("king", "queen"), ("uncle", "aunt"), ("car", "automobile")
    king, uncle, car = (np.degrees(np.arccos(np.dot(*of(*pair)))) for pair in pairs)
    assert king == pytest.approx(51.2, abs=0.1)
    assert uncle == pytest.approx(54.9, abs=0.1)
    assert abs(car - uncle) < 1  # similar angles, and another relation


def listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


MALE = listed(
    "man king uncle brother father son boy prince husband actor grandfather nephew he male duke god hero "
    "waiter host dad"
)


FEMALE = listed(
    "woman queen aunt sister mother daughter girl princess wife actress grandmother niece she female duchess "
    "goddess heroine waitress hostess mom"
)


def test_what_the_page_says_of_analogies(
    of,
):  # shares of a : b = c : ? answered right: given words allowed, and struck out
    a, b = of(*MALE, index=True), of(*FEMALE, index=True)
    hits, others = np.zeros(2), ~np.eye(len(a), dtype=bool)
    A, B = (of.all[each] @ of.all.T for each in (a, b))  # [pairs, vocab] each
    for i, other in enumerate(others):
        c, right = np.array(a)[other], np.array(b)[other]
        similar = B[i] - A[i] + A[other]  # the three similarities of the theorem
        hits[0] += (similar.argmax(1) == right).sum()
        similar[:, [a[i], b[i]]] = similar[np.arange(len(c)), c] = -9
        hits[1] += (similar.argmax(1) == right).sum()
    allowed, struck_out = hits / others.sum()
    assert allowed < 0.05
    assert struck_out == pytest.approx(0.66, abs=0.01)


def test_the_steps_look_parallel_in_the_plane_alone(record, of):
    male, female = of(*MALE), of(*FEMALE)
    _, axes = np.linalg.eigh(np.cov(np.concatenate([male, female]).T))
    values = []
    for step in (female - male, (female - male) @ axes[:, -2:]):
        step = step / np.linalg.norm(step, axis=1, keepdims=True)
        values.append(((step @ step.T).sum() - 20) / 380)
    assert record("G1.1.parallel", values[0], rtol=0.02) == pytest.approx(0.222, abs=2e-3)
    assert values[1] == pytest.approx(0.959, abs=2e-3)


def test_an_axis_of_gender_is_found_in_turned_spaces_too(of):
    step, random = of(*FEMALE) - of(*MALE), rng(1)
    best = lambda step: max((step > 0).sum(0).max(), (step < 0).sum(0).max())
    assert best(step) == 20
    turned = np.mean([best(step @ np.linalg.qr(random.normal(size=(384, 384)))[0]) for _ in range(5)])
    assert turned >= 19


def senses(model: MiniLM, groups: tuple[tuple[str, ...], ...], token: str) -> tuple[float, float, int]:
    """After six layers: mean cosine within a sense, across senses, and sentences whose nearest other has their
    sense."""
    texts, kinds = [text for group in groups for text in group], torch.arange(len(groups)).repeat_interleave(4)
    reads = [model.read(text) for text in texts]
    vectors = F.normalize(torch.stack([read.hidden[6, read.tokens.index(token)] for read in reads]), dim=1)
    C, same, self = vectors @ vectors.T, kinds[:, None] == kinds, torch.eye(len(texts), dtype=torch.bool)
    hits = same[torch.arange(len(texts)), (C - 9 * self).argmax(1)].sum()
    return float(C[same & ~self].mean()), float(C[~same].mean()), int(hits)


def test_the_senses_part_and_the_article_tells_them_too(minilm):
    within, across, hits = senses(minilm, FIELDS, "field")
    assert (within, across) == pytest.approx((0.89, 0.79), abs=0.01) and hits >= 14
    article = senses(minilm, FIELDS, "the")
    assert article[0] - article[1] > within - across and article[2] >= 14
