"""A map of films learned from their people alone: who directed, wrote and acted, and nothing about language or genre.

    python studies/film_map.py        (trains, measures, flattens: about two minutes of one core)

It needs, beside the course: pip install scikit-learn==1.9.1, and pip install --no-deps bokeh-sampledata==2026.1, whose movies.db
holds 17,472 films from Wikidata (CC0). Every film and every person gets a vector; a film's cosine with its own people should
be large, that of another film with them small. Language, country and genre are looked at only afterwards.
"""

import sqlite3
import sys
from collections import Counter
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.long_work import tell
from course_lib.pretrained.files import ModelFile, locate
from course_lib.results.study import Study

FILMS = ModelFile(
    "bokeh_sampledata", "bokeh-sampledata 2026.1", "_data/movies.db",
    "1d9c6a02e488d0354b2309e16130c58820a91ac2ce417e814c5964f9579a65ac",
)  # fmt: skip
SETTINGS = {"width": 32, "passes": 15, "batch": 2048, "strangers": 3, "rate": 0.01, "least_films": 3, "seed": 0}
LABELS = {"language": 6, "country": 6, "genre": 8}  # how many of the commonest values are told apart
NEIGHBOURS, FOLDS = 10, 3
ASKED = ("The Godfather", "Goldfinger", "Toy Story", "La Dolce Vita", "Seven Samurai")  # chosen before looking
SHOWN, SHOWN_EACH = 1500, 450  # films on the map, and at most so many of one language
NOT_NAMES = {"Jr.", "Sr.", "II", "III"}  # what a comma inside a name leaves behind


def read_films() -> list[dict]:
    """Each film as the database has it; an empty text where it knows nothing."""
    with sqlite3.connect(f"file:{locate(FILMS)}?mode=ro", uri=True) as database:
        database.row_factory = sqlite3.Row
        rows = database.execute('select Title, Year, Director, Writer, "Cast", Language, Country, Genre from omdb order by ID')
        return [{key.lower(): row[key] or "" for key in row.keys()} for row in rows]  # noqa: SIM118


def listed(text: str) -> list[str]:
    return [part for each in text.split(",") if (part := each.strip()) and part not in NOT_NAMES]


def links_of(films: list[dict], least_films: int) -> tuple[np.ndarray, list[str]]:
    """Pairs (film, person in a role), and the persons; those with fewer films tell nothing about a film and are left out."""
    found = [(i, f"{role}: {name}") for i, film in enumerate(films) for role in ("director", "writer", "cast") for name in listed(film[role])]
    count = Counter(person for _, person in found)
    persons = [person for person, films_of in count.items() if films_of >= least_films]
    number = {person: k for k, person in enumerate(persons)}
    return np.array([(i, number[person]) for i, person in found if person in number]), persons


def train(links: np.ndarray, films: int, persons: int, *, width, passes, batch, strangers, rate, seed) -> tuple[np.ndarray, list[float]]:
    """Unit vectors [films, width], and the mean loss of each pass.

    The loss is the cross-entropy of "is this person one of this film's?", asked of every link and of `strangers` random
    films a link, from the cosine, stretched and shifted by two learned numbers.
    """
    generator = torch.Generator().manual_seed(seed)
    film = nn.Parameter(0.1 * torch.randn(films, width, generator=generator))
    person = nn.Parameter(0.1 * torch.randn(persons, width, generator=generator))
    stretch, shift = nn.Parameter(torch.tensor(5.0)), nn.Parameter(torch.tensor(-2.0))
    optimiser = torch.optim.Adam([film, person, stretch, shift], lr=rate)
    pairs, losses = torch.as_tensor(links), []
    for _ in range(passes):
        total = 0.0
        for part in torch.randperm(len(pairs), generator=generator).split(batch):
            own, who = pairs[part].T
            other = torch.randint(films, (len(part) * strangers,), generator=generator)
            i, j = torch.cat([own, other]), torch.cat([who, who.repeat(strangers)])
            cosine = (F.normalize(film[i], dim=-1) * F.normalize(person[j], dim=-1)).sum(-1)
            truth = torch.cat([torch.ones(len(own)), torch.zeros(len(other))])
            loss = F.binary_cross_entropy_with_logits(stretch * cosine + shift, truth)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(part)
        losses.append(total / len(pairs))
        tell(f"pass {len(losses)} of {passes}")
    return F.normalize(film.detach(), dim=-1).numpy(), losses


def commonest(films: list[dict], field: str, most: int) -> tuple[list[int], list[str]]:
    """The films that list exactly one value, among the `most` commonest such values; and those values, film by film."""
    only = {i: values[0] for i, film in enumerate(films) if len(values := listed(film[field])) == 1}
    kept = {value for value, _ in Counter(only.values()).most_common(most)}
    chosen = [i for i, value in only.items() if value in kept]
    return chosen, [only[i] for i in chosen]


def neighbours_tell(points: np.ndarray, labels: list[str]) -> dict:
    """How often the majority of a film's ten nearest others names its label, over three folds; and what guessing gets."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    right = cross_val_predict(KNeighborsClassifier(NEIGHBOURS), points, labels, cv=folds) == np.array(labels)
    each = {value: float(right[np.array(labels) == value].mean()) for value in sorted(set(labels))}
    return {
        "films": len(labels),
        "right": round(float(right.mean()), 3),
        "commonest": round(max(Counter(labels).values()) / len(labels), 3),
        "mean_over_values": round(float(np.mean(list(each.values()))), 3),
        "each": {value: round(share, 3) for value, share in each.items()},
    }


def shown(films: list[dict], links: np.ndarray) -> tuple[list[int], list[str]]:
    """The films on the map: of each of six languages those with most links, at most 450 of one."""
    chosen, languages = commonest(films, "language", LABELS["language"])
    degree, language = np.bincount(links[:, 0], minlength=len(films)), dict(zip(chosen, languages, strict=True))
    taken: Counter = Counter()
    kept = []
    for i in sorted(chosen, key=lambda i: (-degree[i], i)):
        if taken[language[i]] < SHOWN_EACH and len(kept) < SHOWN:
            taken[language[i]] += 1
            kept.append(i)
    return sorted(kept), [language[i] for i in sorted(kept)]


def nearest(films: list[dict], vectors: np.ndarray, titles: tuple[str, ...], count: int = 4) -> dict[str, list[str]]:
    """For each title the films with the largest cosine: the first film of that title, itself left out."""
    found = {}
    for title in titles:
        i = next(i for i, film in enumerate(films) if film["title"] == title)
        order = np.argsort(-(vectors @ vectors[i]), kind="stable")
        found[title] = [f"{films[k]['title']} ({films[k]['year']})" for k in order if k != i][:count]
    return found


def flatten(points: np.ndarray) -> np.ndarray:
    """t-SNE to the plane, stretched to −100 … 100. Near points stay near; other distances are not kept."""
    from sklearn.manifold import TSNE

    plane = TSNE(2, metric="cosine", init="pca", perplexity=30, random_state=0).fit_transform(points)
    plane -= (plane.max(0) + plane.min(0)) / 2
    return np.round(100 * plane / np.abs(plane).max(), 1)


def table() -> dict[str, Any]:
    films = read_films()
    links, persons = links_of(films, SETTINGS["least_films"])
    options = {key: value for key, value in SETTINGS.items() if key != "least_films"}
    vectors, losses = train(links, len(films), len(persons), **options)
    linked = np.unique(links[:, 0])  # a film without any known person never moved
    with_links = [films[i] for i in linked]
    told, by_chance = {}, {}
    for field, most in LABELS.items():
        chosen, labels = commonest(with_links, field, most)
        told[field] = neighbours_tell(vectors[linked][chosen], labels)
        if field == "language":
            untrained = np.random.default_rng(0).normal(size=(len(chosen), SETTINGS["width"]))
            by_chance = neighbours_tell(untrained, labels)
    kept, languages = shown(films, links)
    plane, names = flatten(vectors[kept]), sorted(set(languages), key=lambda name: (-languages.count(name), name))
    return {
        "films": len(films), "films_with_links": len(linked), "persons": len(persons), "links": len(links),
        "losses": [round(loss, 4) for loss in losses],
        "told": told,
        "untrained": by_chance,
        "shown": {"vectors": neighbours_tell(vectors[kept], languages), "plane": neighbours_tell(plane, languages)},
        "nearest": nearest(with_links, vectors[linked], ASKED),
        "languages": names,
        # One film a line, to be read apart at the tabs: x, y, year, number of its language, title.
        "map": [f"{x:g}\t{y:g}\t{films[i]['year']}\t{names.index(of)}\t{films[i]['title']}" for i, of, (x, y) in zip(kept, languages, plane, strict=True)],
    }  # fmt: skip


HEAD = {
    "source": "movies.db of bokeh-sampledata 2026.1: Wikidata, CC0",
    "sha256": FILMS.sha256,
    "settings": SETTINGS | {"neighbours": NEIGHBOURS, "folds": FOLDS},
}
STUDY = Study("film_map", HEAD, whole=table, minutes=2)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
