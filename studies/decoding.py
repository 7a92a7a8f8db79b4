"""What a wider search repairs, and at which temperature a model of towns invents names that exist.

    python studies/decoding.py          (about three minutes of one core)

search: the shipped translator on the held-out sentences of so many clauses, by greedy and by beams. For each beam how
many sentences come out other than greedy's, how many of these become exact, how many stop being so, and whose text has
the higher log-probability; of those that it leaves wrong, how many it gives a higher log-probability than the right
text, and a higher score.
towns: of NAMES names drawn at a temperature, the share that are on the list of towns, and the share that differ from
each other.
"""

import sys

import torch

from course_lib.decoding import beam, greedy, sample
from course_lib.results.study import Again, Part, Study
from course_lib.shipped import town_model, translator
from course_lib.text.corpora import Pair, english_french, towns
from course_lib.text.corpora import clauses as clauses_of
from course_lib.text.vocabulary import END, START

CLAUSES, SENTENCES = (1, 2, 3), 100
BEAMS = ((2, 0.6), (4, 0.6))  # width, length power
TEMPERATURES, SEEDS, NAMES = (0.3, 0.5, 0.7, 0.85, 1.0, 1.5), range(8), 300


def held_out(clauses: int, count: int = SENTENCES) -> list[Pair]:
    """The first held-out sentences with so many clauses."""
    return [pair for pair in english_french().test if len(clauses_of(pair)) == clauses][:count]


@torch.no_grad()
def answers(pair: Pair, beams: tuple = BEAMS) -> list[tuple[list[int], float]]:
    """The right text of a sentence, then what greedy and each beam makes of it: tokens, and their log-probability with
    ⟨end⟩."""
    model, source, target, _ = translator()
    tokens, right = torch.tensor([source.encode(list(pair.source))]), target.encode(list(pair.target))
    chances = model(tokens, torch.tensor([[START, *right]])).logits[0].log_softmax(-1)
    options = {"start": START, "end": END, "longest": 2 * tokens.shape[1] + 10}
    found = [greedy(model.step, model.start(tokens), **options)]
    found += [
        beam(model.step, model.start(tokens), width=width, length_power=power, **options) for width, power in beams
    ]
    sure = chances[range(len(right) + 1), [*right, END]].sum().item()
    return [(right, sure), *((each.tokens[0], each.log_prob[0].item()) for each in found)]


def counted(found: list, which: int, power: float) -> dict[str, int]:
    """The texts of place `which` against the right one and greedy's over the sentences; scores are log-probability /
    length^power."""
    right, first, second = ([each[place] for each in found] for place in (0, 1, which))
    changed = [i for i in range(len(found)) if first[i][0] != second[i][0]]
    wrong = [i for i in range(len(found)) if second[i][0] != right[i][0]]
    score = [
        (b[1] / (len(b[0]) + 1) ** power, a[1] / (len(a[0]) + 1) ** power) for a, b in zip(right, second, strict=True)
    ]
    return {
        "exact": len(found) - len(wrong),
        "changed": len(changed),
        "repaired": sum(second[i][0] == right[i][0] for i in changed),
        "spoilt": sum(first[i][0] == right[i][0] for i in changed),
        "likelier": sum(second[i][1] > first[i][1] for i in changed),
        "likelier than right": sum(second[i][1] > right[i][1] for i in wrong),
        "above right": sum(score[i][0] > score[i][1] for i in wrong),
    }


def searched(clauses: int) -> dict:
    found = [answers(pair) for pair in held_out(clauses)]
    beams = {f"width {width}": counted(found, i, power) for i, (width, power) in enumerate(BEAMS, 2)}
    return {"clauses": clauses, "sentences": len(found), "greedy": counted(found, 1, 0.0)["exact"], "beams": beams}


@torch.no_grad()
def invented(temperature: float, seed: int, count: int = NAMES) -> dict:
    model, characters, _ = town_model()
    generator = torch.Generator().manual_seed(seed)
    drawn = sample(
        model.step, model.start(count), start=START, end=END, longest=40, generator=generator, temperature=temperature
    )
    names, real = ["".join(characters.decode(row)) for row in drawn.tokens], set(towns())
    return {
        "temperature": temperature,
        "seed": seed,
        "real": round(sum(name in real for name in names) / count, 4),
        "different": round(len(set(names)) / count, 4),
    }


STUDY = Study(
    "decoding",
    {"settings": {"sentences": SENTENCES, "beams": [list(each) for each in BEAMS], "names": NAMES}},
    {
        "search": Part(searched, [(clauses,) for clauses in CLAUSES], key=("clauses",)),
        "towns": Part(invented, [(t, seed) for t in TEMPERATURES for seed in SEEDS], key=("temperature", "seed")),
    },
    minutes=3,
    again=[Again("towns", [(0.3, 0), (1.0, 3)], invented, ("real", "different"), abs=0.02)],
)

if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
