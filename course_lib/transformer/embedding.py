"""From the numbers of tokens to vectors: a row of E for each, times √d, plus the position."""

from typing import Any, Literal

from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.parameters import Parameters
from course_lib.transformer.positions import LearnedPositions, sinusoidal

Positions = Literal["sinusoidal", "learned", "none"]


class Embedding(nn.Module):
    """Token t at position p becomes √d · E[t] + P[p]; without `root_d` the √d is left out.

    E [vocab, d] is normal with variance 1/d, so the √d makes the entries of a vector as large as those of a sinusoid.
    `positions` is "sinusoidal" (fixed), "learned" (a table) or "none"; the first two know `longest` positions, without
    any the length is free. `drawn`, see `Parameters`: E, then the table.  [Vaswani et al. 2017, §3.4]
    """

    def __init__(
        self,
        vocab: int,
        d: int,
        *,
        root_d: bool = True,
        positions: Positions = "sinusoidal",
        longest: int = 512,
        **drawn: Any,
    ) -> None:
        super().__init__()
        checks.positive_ints(vocab=vocab, d=d, longest=longest)
        checks.one_of("positions", positions, ("sinusoidal", "learned", "none"))
        new = Parameters(**drawn)
        self.E = new.normal(vocab, d, fan_in=d)
        self.factor = d**0.5 if root_d else 1.0
        self.longest = None if positions == "none" else longest
        self.positions = LearnedPositions(longest, d, **new.drawn()) if positions == "learned" else None
        # Not saved with the weights: it can be computed, and a model made longer can then still load them.
        P = sinusoidal(longest, d, **new.like) if positions == "sinusoidal" else None
        self.register_buffer("P", P, persistent=False)

    def forward(self, tokens: Int[Tensor, "b n"], start: int = 0, *, name: str = "tokens") -> Float[Tensor, "b n d"]:
        """Embed the tokens at positions start … start + n - 1; an error calls them `name`."""
        self._check(tokens, start, name)
        x = nn.functional.embedding(tokens, self.E) * self.factor  # [b, n, d]
        end = start + tokens.shape[1]
        if self.positions is not None:
            return x + self.positions(end)[start:]
        return x if self.P is None else x + self.P[start:end]

    def _check(self, tokens: Tensor, start: int, name: str) -> None:
        checks.integers(name, tokens, 2, "a tensor [b, n] of ints, the numbers of the tokens")
        vocab, end = self.E.shape[0], start + tokens.shape[1]
        if self.longest is not None and end > self.longest:
            takes = (
                f"at most {self.longest} tokens long (`longest`; shorten the sequence, or make the model with "
                f"a larger one)"
            )
            checks.fail(name, takes, end)
        try:
            checks.within(name, tokens, 0, vocab - 1)
        except ValueError as error:
            advice = f"the vocabulary has {vocab} entries; encode a word that is not among them as its unknown word"
            raise ValueError(f"{error}: {advice}") from None
