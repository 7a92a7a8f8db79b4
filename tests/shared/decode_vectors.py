"""What course_lib.decoding answers on small tables: what its twin in the page is held to.

A case's step function is the same on both sides: logits = after[last token] + at[number of tokens read so far].
"""

import math

import torch

from course_lib.decoding import beam, greedy, restrict
from course_lib.graphs import Generator

START, END, LONGEST = 1, 2, 7
DIALS = [
    (1.0, None, None),
    (0.5, None, None),
    (3.0, None, None),
    (1.0, 1, None),
    (1.0, 3, None),
    (0.7, 99, 1.0),
    (1.0, None, 0.5),
    (2.0, 4, 0.8),
    (1.0, 3, 0.3),
]
DIALS += [
    (5e-324, None, None),
    (1.7e308, None, None),
    (1.0, None, 5e-324),
    (1.0, None, 1 - 2**-53),
]  # the ends of what they take
LOGITS = [
    [0.3, -1.2, 2.0, 0.7, 1.1, -0.4],
    [1.0, 1.0, 1.0, 1.0, 1.0],
    [5.0, 5.0, -3.0, 5.0, 0.0, 2.0, 2.0],
    [-math.inf, 0.0, 1.0, -math.inf],
    [900.0, 0.0, 899.0],
]
BEAMS = [(1, 0.6), (2, 0.0), (3, 0.6), (4, 1.0), (6, 1.5)]


def table(seed: int, v: int) -> tuple[torch.Tensor, torch.Tensor]:
    """float64 after [v, v] and at [LONGEST + 1, v], rounded to 3 decimals so that JSON holds them exactly."""
    numbers = torch.from_numpy(Generator(seed).normal(v * (v + LONGEST + 1))).round(decimals=3)
    after, at = numbers[: v * v].view(v, v), numbers[v * v :].view(LONGEST + 1, v)
    after[:, 0], after[:, START] = -6.0, -6.0  # padding and start hardly ever follow
    return after, at


def step_of(after: torch.Tensor, at: torch.Tensor):
    def step(tokens, state):
        return after[tokens] + at[state.squeeze(-1)], state + 1

    return step, torch.zeros(1, 1, dtype=torch.long)


def hypothesis(each) -> list:
    return [list(each.tokens), each.log_prob, each.score, each.parent, each.finished]


def draws(step, state, seed: int, temperature: float, top_k: int | None, top_p: float | None) -> dict:
    """A sequence drawn from `restrict`'s probabilities by the shared generator, tokens side by side from the likeliest
    down."""
    generator, tokens, token, log_prob = Generator(seed), [], torch.tensor([START]), 0.0
    while len(tokens) < LONGEST:
        logits, state = step(token, state)
        chances = restrict(logits, temperature=temperature, top_k=top_k, top_p=top_p)[0]
        order = logits[0].argsort(descending=True, stable=True)
        reached = chances[order].cumsum(0)
        token = order[(reached > generator.uniform(1)[0]).nonzero()[0]]
        log_prob += logits.log_softmax(-1)[0, token].item()
        if token.item() == END:
            return {"tokens": tokens, "logProb": log_prob, "finished": True}
        tokens.append(token.item())
    return {"tokens": tokens, "logProb": log_prob, "finished": False}


def vectors() -> dict:
    cuts = []
    for row in LOGITS:
        for temperature, top_k, top_p in DIALS:
            chances = restrict(
                torch.tensor(row, dtype=torch.float64), temperature=temperature, top_k=top_k, top_p=top_p
            )
            words = ["-Infinity" if x == -math.inf else x for x in row]
            cuts.append(
                {"logits": words, "temperature": temperature, "topK": top_k, "topP": top_p, "want": chances.tolist()}
            )
    searches = []
    for seed, v in ((1, 5), (2, 8), (3, 12), (4, 12)):
        after, at = table(seed, v)
        step, state = step_of(after, at)
        options = {"start": START, "end": END, "longest": LONGEST}
        plain = greedy(step, state, **options)
        found = [
            (width, power, beam(step, state, width=width, length_power=power, trace=True, **options))
            for width, power in BEAMS
        ]
        searches.append(
            {
                "after": after.tolist(),
                "at": at.tolist(),
                "greedy": {
                    "tokens": plain.tokens[0],
                    "logProb": plain.log_prob.item(),
                    "finished": plain.finished.item(),
                },
                "beams": [
                    {
                        "width": width,
                        "lengthPower": power,
                        "choices": [
                            [[hypothesis(each) for each in part] for part in (choice.kept, choice.dropped[:4])]
                            for choice in got.trace
                        ],
                    }
                    for width, power, got in found
                ],
                "samples": [
                    {
                        "seed": seed + 10 * i,
                        "temperature": t,
                        "topK": k,
                        "topP": p,
                        "want": draws(step, state, seed + 10 * i, t, k, p),
                    }
                    for i, (t, k, p) in enumerate(DIALS)
                ],
            }
        )
    return {"start": START, "end": END, "longest": LONGEST, "cuts": cuts, "searches": searches}
