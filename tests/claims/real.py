"""Page 02, from a word to a vector: its numbers, computed as the page computes them, or read from the table of films.

Those on real vectors need the packages of requirements-models.txt; `MiniLM.load()` says so where they are missing.
"""

import math
from functools import cache

import torch
import torch.nn.functional as F

from course_lib import results
from course_lib.pretrained.minilm import MiniLM

from . import claim, rounding


def listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


MALE = listed("man king uncle brother father son boy prince husband actor grandfather nephew he male duke god hero waiter host dad")
FEMALE = listed("woman queen aunt sister mother daughter girl princess wife actress grandmother niece she female duchess goddess heroine waitress hostess mom")
COUNTRIES = listed("italy france spain germany england japan russia greece portugal austria egypt china poland ireland sweden norway hungary cuba iran iraq turkey canada")
CAPITALS = listed("rome paris madrid berlin london tokyo moscow athens lisbon vienna cairo beijing warsaw dublin stockholm oslo budapest havana tehran baghdad ankara ottawa")
ONE = listed("dog cat house car tree book king child man woman mouse foot city country bird river road friend hand tooth")
MANY = listed("dogs cats houses cars trees books kings children men women mice feet cities countries birds rivers roads friends hands teeth")
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


@cache
def directions() -> torch.Tensor:
    """MiniLM's token vectors at length 1, [vocab, d]."""
    return F.normalize(MiniLM.load().vectors, dim=1)


def rows(words: tuple[str, ...]) -> torch.Tensor:
    return torch.tensor([MiniLM.load().index(word) for word in words])


def angle(a: str, b: str) -> float:
    U = directions()
    return math.degrees(math.acos(float(U[rows((a,))] @ U[rows((b,))].T)))


# --- P2: the look-up, the angle, the axes -----------------------------------------------------------------------------


@claim("P2.lookup")
def one_hot_product_minus_look_up() -> float:
    generator = torch.Generator().manual_seed(0)
    ids, E = torch.randint(50, (9,), generator=generator), torch.randn(50, 7, generator=generator, dtype=torch.float64)
    return rounding(float((F.one_hot(ids, 50).double() @ E - E[ids]).abs().max()))


@claim("P2.king", rtol=0.01)
def angle_of_king_and_queen() -> float:
    return angle("king", "queen")


@claim("P2.uncle", rtol=0.01)
def angle_of_uncle_and_aunt() -> float:
    return angle("uncle", "aunt")


@claim("P2.car", rtol=0.01)
def angle_of_car_and_automobile() -> float:
    return angle("car", "automobile")


def best_axis(vectors: torch.Tensor) -> int:
    larger = (vectors[rows(FEMALE)] > vectors[rows(MALE)]).sum(0)
    return int(torch.maximum(larger, len(MALE) - larger).max())


@claim("P2.axis")
def pairs_told_apart_by_the_best_axis() -> int:
    return best_axis(directions())


@claim("P2.turned", rtol=0.06)
def pairs_told_apart_by_the_best_axis_of_turned_spaces() -> float:
    generator = torch.Generator().manual_seed(0)
    turns = [torch.linalg.qr(torch.randn(384, 384, generator=generator))[0] for _ in range(5)]
    some = torch.cat([rows(FEMALE), rows(MALE)])
    larger = [(directions()[some] @ turn)[:20] > (directions()[some] @ turn)[20:] for turn in turns]
    return sum(max(int(each.sum(0).max()), 20 - int(each.sum(0).min())) for each in larger) / 5


# --- L3.2: zeros, analogies -------------------------------------------------------------------------------------------


@claim("L3.2.zeros")
def zeros_of_one_book_among_37000() -> int:
    return int((F.one_hot(torch.tensor(5), 37_000) == 0).sum())


@claim("L3.2.gigabytes")
def gigabytes_of_37000_one_hot_vectors() -> float:
    return torch.empty(37_000, 37_000, dtype=torch.float32, device="meta").nbytes / 1e9


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


@claim("L3.2.families", rtol=0.02)
def female_forms_given_words_struck_out() -> float:
    return counted(MALE, FEMALE)[1]


@claim("L3.2.allowed", rtol=0.1)
def female_forms_given_words_allowed() -> float:
    return counted(MALE, FEMALE)[0]


@claim("L3.2.capitals", rtol=0.02)
def capitals_given_words_struck_out() -> float:
    return counted(COUNTRIES, CAPITALS)[1]


@claim("L3.2.plurals", rtol=0.01)
def plurals_given_words_struck_out() -> float:
    return counted(ONE, MANY)[1]


@claim("L3.2.alone", rtol=0.01)
def plurals_by_the_neighbour_alone() -> float:
    return counted(ONE, MANY)[2]


# --- G1.1: the step from male to female, the map of films -------------------------------------------------------------


def steps() -> torch.Tensor:
    return directions()[rows(FEMALE)] - directions()[rows(MALE)]


def mean_cosine(differences: torch.Tensor) -> float:
    flat = F.normalize(differences, dim=1)
    return float((flat @ flat.T)[~torch.eye(len(flat), dtype=torch.bool)].mean())


@claim("G1.1.parallel", rtol=0.02)
def mean_cosine_of_two_steps() -> float:
    return mean_cosine(steps())


@claim("G1.1.plane", rtol=0.02)
def mean_cosine_of_two_steps_in_the_plane() -> float:
    points = torch.cat([directions()[rows(MALE)], directions()[rows(FEMALE)]])
    _, _, axes = torch.linalg.svd(points - points.mean(0), full_matrices=False)
    return mean_cosine(steps() @ axes[:2].T)


@claim("G1.1.added")
def female_nouns_found_by_adding_woman_minus_man() -> int:
    U, male, female = directions(), rows(MALE), rows(FEMALE)
    similar = (U[male[1:]] + U[female[0]] - U[male[0]]) @ U.T
    given = torch.stack([male[1:], male[0].expand(19), female[0].expand(19)], 1)
    return int((similar.scatter(1, given, -9.0).argmax(1) == female[1:]).sum())


@claim("G1.1.language")
def language_by_ten_neighbours() -> float:
    return results.load("film_map")["told"]["language"]["right"]


@claim("G1.1.commonest")
def language_by_always_the_commonest() -> float:
    return results.load("film_map")["told"]["language"]["commonest"]


@claim("G1.1.genre")
def genre_by_ten_neighbours() -> float:
    return results.load("film_map")["told"]["genre"]["right"]


@claim("G1.1.genre_commonest")
def genre_by_always_the_commonest() -> float:
    return results.load("film_map")["told"]["genre"]["commonest"]


# --- G1.5: one word, several senses -----------------------------------------------------------------------------------


@cache
def senses(groups: tuple[tuple[str, ...], ...], token: str) -> tuple[float, float, int]:
    """After six layers: mean cosine within a sense, across senses, and sentences whose nearest other has their sense."""
    texts, kinds = [text for group in groups for text in group], torch.arange(len(groups)).repeat_interleave(4)
    reads = [MiniLM.load().read(text) for text in texts]
    vectors = F.normalize(torch.stack([read.hidden[6, read.tokens.index(token)] for read in reads]), dim=1)
    C, same, self = vectors @ vectors.T, kinds[:, None] == kinds, torch.eye(len(texts), dtype=torch.bool)
    hits = same[torch.arange(len(texts)), (C - 9 * self).argmax(1)].sum()
    return float(C[same & ~self].mean()), float(C[~same].mean()), int(hits)


@claim("G1.5.within", rtol=0.01)
def fields_of_one_sense() -> float:
    return senses(FIELDS, "field")[0]


@claim("G1.5.across", rtol=0.01)
def fields_of_two_senses() -> float:
    return senses(FIELDS, "field")[1]


@claim("G1.5.nearest")
def fields_whose_nearest_has_their_sense() -> int:
    return senses(FIELDS, "field")[2]


@claim("G1.5.article")
def articles_whose_nearest_has_their_sense() -> int:
    return senses(FIELDS, "the")[2]


@claim("G1.5.campo", rtol=0.1)
def gap_between_senses_of_campo() -> float:
    within, across, _ = senses(CAMPI, "campo")
    return within - across
