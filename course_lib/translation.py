"""From words to words: a trained translator with its two vocabularies, applied to sentences."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn

from course_lib import checks
from course_lib.decoding import beam, greedy
from course_lib.text.batches import pad
from course_lib.text.vocabulary import END, START, Vocabulary

BATCH = 50


class Translation(NamedTuple):
    """The words of an answer, without its end; `finished` is false where it was cut."""

    words: tuple[str, ...]
    finished: bool


@torch.no_grad()
def translate(
    model: nn.Module, source: Vocabulary, target: Vocabulary, sentences: Sequence[Sequence[str]], *, width: int = 1
) -> list[Translation]:
    """Each sentence, a list of words, in the target language. An answer is cut at 3/2 of its source's length + 10
    tokens.

    model: anything with `start(tokens, lengths)` and `step` (`course_lib.decoding`); its `longest`, if any, cuts too.
    Width 1 is greedy, in batches of about equally long sentences, each cut at the longest one's length; a wider beam
    goes sentence by sentence. A word that the source vocabulary lacks is read as ⟨unk⟩. Raises ValueError for an empty
    sentence, for one longer than `longest`, and for a width below 1.
    """
    checks.positive_int("width", width)
    positions = getattr(model, "longest", None) or float("inf")
    for i, sentence in enumerate(sentences):
        if isinstance(sentence, str):
            checks.fail("sentences", "lists of words", f"the text {sentence!r} at {i}: split it")
        if not len(sentence):
            checks.fail("sentences", "lists of one word or more", f"an empty one at {i}")
        if len(sentence) > positions:
            checks.fail("sentences", f"of at most {positions} words, the model's positions", f"{len(sentence)} at {i}")
    found: dict[int, Translation] = {}
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    size = BATCH if width == 1 else 1
    for first in range(0, len(order), size):
        rows = order[first : first + size]
        tokens, lengths = pad([source.encode(sentences[i]) for i in rows])
        limits = {"start": START, "end": END, "longest": min(3 * tokens.shape[1] // 2 + 10, positions)}
        state = model.start(tokens, lengths)
        # a beam has the best first: the first is the answer
        decoded = greedy(model.step, state, **limits) if width == 1 else beam(model.step, state, width=width, **limits)
        answers = zip(decoded.tokens, decoded.finished.tolist(), strict=True)
        for i, (answer, finished) in zip(rows, answers, strict=False):
            found[i] = Translation(tuple(target.decode(answer)), finished)
    return [found[i] for i in range(len(sentences))]
