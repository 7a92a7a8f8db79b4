"""The map of films: what its training does with troupes that never meet, and what is taken from the database."""

import numpy as np
import pytest

from studies import film_map


def by_neighbours(points, labels):
    """The share of points whose nearest other has the same label."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 1e9 * np.eye(len(points))
    return float((labels[apart.argmin(1)] == labels).mean())


def test_training_brings_films_of_the_same_people_together():
    """Three troupes that never work together: the troupe was not shown, and its films end up side by side."""
    random = np.random.default_rng(0)
    troupe = np.repeat(np.arange(3), 40)
    links = np.array([(film, 15 * troupe[film] + person) for film in range(120) for person in random.choice(15, 4, replace=False)])
    found, losses = film_map.train(links, 120, 45, width=8, passes=40, batch=128, strangers=3, rate=0.02, seed=0)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1)
    assert losses[-1] < losses[0] and by_neighbours(found, troupe) > 0.95
    start, _ = film_map.train(links, 120, 45, width=8, passes=0, batch=128, strangers=3, rate=0.02, seed=0)
    assert by_neighbours(start, troupe) < 0.6


def test_links_leave_out_who_made_too_few_films():
    film = lambda cast, director="D": {"director": director, "writer": "", "cast": cast}  # noqa: E731
    links, persons = film_map.links_of([film("A, B"), film("A, Jr."), film("A, B", director="")], 2)
    assert persons == ["director: D", "cast: A", "cast: B"]
    assert links.tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 1], [2, 2]]


def test_labels_are_taken_from_films_that_list_one():
    films = [{"language": text} for text in ("English", "French", "English, French", "English", "", "Latin")]
    assert film_map.commonest(films, "language", 2) == ([0, 1, 3], ["English", "French", "English"])
