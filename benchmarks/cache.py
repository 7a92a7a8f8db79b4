"""Writing with and without the cache of keys and values: the shipped model of town names, one thread, in turns.

    python benchmarks/cache.py        milliseconds for the first 8 … 128 tokens and their ratio (bar at 128: at least 2)

Both ways write the same tokens, the most probable one each time (the end is left out, or a name would stop after a dozen).
With the cache each token is read once; without it the whole text is read again for each. The two take turns, so that
whatever else this machine does meets both; a time is the median over the rounds.
"""

import statistics
import sys
import time

import torch

from course_lib import checks, shipped
from course_lib.text.vocabulary import END, START

LENGTHS = (8, 16, 32, 64, 96, 128)
ROUNDS, BAR = 9, 2.0


def most_probable(logits: torch.Tensor) -> torch.Tensor:
    logits[:, END] = -torch.inf
    return logits.argmax(-1)  # [b]


def with_cache(model) -> tuple[list[int], list[float]]:
    """The tokens, and the seconds after each."""
    tokens, state, written, seconds = torch.tensor([START]), model.start(1), [], []
    begin = time.perf_counter()
    for _ in range(max(LENGTHS)):
        logits, state = model.step(tokens, state)
        tokens = most_probable(logits)
        written.append(tokens.item())
        seconds.append(time.perf_counter() - begin)
    return written, seconds


def without_cache(model) -> tuple[list[int], list[float]]:
    """The same, by reading everything again for each token."""
    tokens, seconds = torch.tensor([[START]]), []
    begin = time.perf_counter()
    for _ in range(max(LENGTHS)):
        logits = model(tokens).logits[:, -1]
        tokens = torch.cat([tokens, most_probable(logits)[:, None]], 1)  # [1, n + 1]
        seconds.append(time.perf_counter() - begin)
    return tokens[0, 1:].tolist(), seconds


@torch.no_grad()
def main() -> int:
    torch.set_num_threads(1)
    model, _, info = shipped.towns()
    print(
        f"{info['config']}, {sum(p.numel() for p in model.parameters())} parameters, one sequence, {ROUNDS} rounds"
    )
    with checks.trusted():
        first, again = (
            with_cache(model)[0],
            without_cache(model)[0],
        )  # warms up, and shows that the two write the same
        if first != again:
            print("the two ways write different tokens", file=sys.stderr)
            return 1
        rounds = [(with_cache(model)[1], without_cache(model)[1]) for _ in range(ROUNDS)]
    print("tokens  without ms  with ms  ratio")
    for length in LENGTHS:
        kept, read = (statistics.median(r[way][length - 1] for r in rounds) * 1000 for way in (0, 1))
        print(f"{length:6}  {read:10.1f}  {kept:7.1f}  {read / kept:5.2f}")
    print(f"ratio at {length} tokens {read / kept:.2f}, bar {BAR}")
    return 0 if read / kept >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
