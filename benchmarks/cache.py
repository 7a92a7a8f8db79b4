"""Writing with and without the cache of keys and values: the shipped model of town names, one thread, in turns.

    python -m benchmarks.cache        milliseconds for 8 … 128 tokens, for 1, 4 and 16 sequences (bar at 128: see BARRED)

Both ways write the same tokens, the most probable one each time (the end is left out, or a name would stop after a dozen).
With the cache each token is read once; without it the whole text is read again for each. The two take turns and are
measured in processor time, so that whatever else this machine does falls on both; a time is the median over the rounds.
"""

import statistics
import sys
import time

import torch

from course_lib import checks, shipped
from course_lib.text.vocabulary import END, START

LENGTHS = (8, 16, 32, 64, 96, 128)
# For one sequence of this small model most of a step is the cost of calling it, not of reading tokens, and the cache cannot
# save that. The bar counts where there is something to read.
SEQUENCES, BARRED = (1, 4, 16), (4, 16)
ROUNDS, BAR = 5, 2.0


def most_probable(logits: torch.Tensor) -> torch.Tensor:
    logits[:, END] = -torch.inf
    return logits.argmax(-1)  # [b]


def begin(b: int) -> torch.Tensor:
    """[b, 1] tokens to continue: each row has another, so that the rows differ."""
    return torch.tensor([[START], *[[END + 2 + i] for i in range(b - 1)]])


def with_cache(model, b: int) -> tuple[list[list[int]], list[float]]:
    """The tokens, and the seconds after each."""
    tokens, state, written, seconds = begin(b)[:, 0], model.start(b), [], []
    zero = time.process_time()
    for _ in range(max(LENGTHS)):
        logits, state = model.step(tokens, state)
        tokens = most_probable(logits)
        written.append(tokens)
        seconds.append(time.process_time() - zero)
    return torch.stack(written, 1).tolist(), seconds


def without_cache(model, b: int) -> tuple[list[list[int]], list[float]]:
    """The same, by reading everything again for each token."""
    tokens, seconds = begin(b), []
    zero = time.process_time()
    for _ in range(max(LENGTHS)):
        logits = model(tokens).logits[:, -1]
        tokens = torch.cat([tokens, most_probable(logits)[:, None]], 1)  # [b, n + 1]
        seconds.append(time.process_time() - zero)
    return tokens[:, 1:].tolist(), seconds


@torch.no_grad()
def main() -> int:
    torch.set_num_threads(1)
    model, _, info = shipped.town_model()
    print(f"{info['config']}, {sum(p.numel() for p in model.parameters())} parameters, {ROUNDS} rounds")
    print("sequences  tokens  without ms  with ms  ratio")
    worst = float("inf")
    for b in SEQUENCES:
        with checks.trusted():
            if with_cache(model, b)[0] != without_cache(model, b)[0]:  # warms both up, too
                sys.exit("the two ways write different tokens")
            rounds = [(with_cache(model, b)[1], without_cache(model, b)[1]) for _ in range(ROUNDS)]
        for length in LENGTHS:
            kept, read = (statistics.median(r[way][length - 1] for r in rounds) * 1000 for way in (0, 1))
            print(f"{b:9}  {length:6}  {read:10.1f}  {kept:7.1f}  {read / kept:5.2f}", flush=True)
        worst = min(worst, read / kept) if b in BARRED else worst
    print(
        f"worst ratio at {LENGTHS[-1]} tokens, {' and '.join(map(str, BARRED))} sequences: {worst:.2f}, bar {BAR}"
    )
    return 0 if worst >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
