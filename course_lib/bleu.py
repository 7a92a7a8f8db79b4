"""BLEU: how many runs of one to four words of a translation occur in its reference.  [Papineni et al. 2002]

Counted by sacrebleu, so that the number can be compared; this module only fixes the settings and says what it refuses.
"""

from collections.abc import Sequence

from sacrebleu.metrics import BLEU

from course_lib import checks

Text = str | Sequence[str]


def bleu(answers: Sequence[Text], references: Sequence[Text]) -> float:
    """The corpus BLEU of the answers, one reference each, from 0 to 100.

    Tokens are taken as they are: the words of a list, or what blanks part in a string (sacrebleu's `tokenize="none"`).
    Smoothing is sacrebleu's own ("exp"), and matters only where no run of some length matches at all. An answer may be
    empty, a reference not. Raises ValueError for that, for unequal numbers, and for no texts at all.
    """
    if isinstance(answers, str) or isinstance(references, str):
        checks.fail("answers and references", "lists of texts", "one text")
    if len(answers) != len(references):
        checks.fail("answers", f"as many as references, {len(references)}", len(answers))
    if not len(references):
        checks.fail("references", "one text or more", "none")
    hypotheses, right = ([_text(each) for each in texts] for texts in (answers, references))
    for i, reference in enumerate(right):
        if not reference:
            checks.fail("references", "texts of one word or more", f"an empty one at {i}")
    # force: a word list that ends with " ." looks tokenised to sacrebleu, which would warn of it
    return BLEU(tokenize="none", force=True).corpus_score(hypotheses, [right]).score


def _text(words: Text) -> str:
    return words.strip() if isinstance(words, str) else " ".join(words)
