"""BLEU against the definition written out, and words in, words out."""

import math
from collections import Counter

import pytest
import torch

from course_lib.bleu import bleu
from course_lib.recurrent import RNNencdec, RNNsearch
from course_lib.text.vocabulary import Vocabulary
from course_lib.transformer import Translator
from course_lib.translation import translate
from tests.shared.refusals import named
from tests.shared.seeded import seeded

SOURCE, TARGET = Vocabulary(["the", "cat", "sleeps", "runs", "."]), Vocabulary(["le", "chat", "dort", "court", "."])


def by_definition(answers, references):
    """Papineni et al.: clipped matches summed over the corpus, geometric mean of four precisions, brevity penalty."""
    logs = 0.0
    for size in (1, 2, 3, 4):
        matched = total = 0
        for answer, reference in zip(answers, references, strict=True):
            said, right = (
                Counter(tuple(w[i : i + size]) for i in range(len(w) - size + 1)) for w in (answer, reference)
            )
            matched += sum((said & right).values())
            total += sum(said.values())
        logs += math.log(matched / total) / 4
    said, right = (sum(map(len, each)) for each in (answers, references))
    return 100 * min(1.0, math.exp(1 - right / said)) * math.exp(logs)


def test_bleu_is_its_definition():
    references = [
        ["le", "chat", "noir", "dort", "dans", "la", "petite", "maison", "."],
        ["la", "reine", "voit", "le", "beau", "cheval", "blanc", "."],
    ]
    answers = [
        ["le", "chat", "noir", "dort", "dans", "la", "maison", "."],
        ["la", "reine", "voit", "le", "cheval", "blanc", "beau", "beau", "."],
    ]
    assert bleu(answers, references) == pytest.approx(by_definition(answers, references), abs=1e-9)
    short = [answers[0][:6], answers[1]]
    assert bleu(short, references) == pytest.approx(by_definition(short, references), abs=1e-9)
    assert bleu(references, references) == pytest.approx(100)
    assert bleu([" ".join(a) for a in answers], [" ".join(a) for a in references]) == bleu(answers, references)


def test_bleu_takes_words_as_they_are_cut():
    """Its library would cut at the signs: then the two would differ in half a word only."""
    references = [
        ["il", "dit:", "vingt-et-un", "chats!", "(noirs)", "et", "3,50", "euros"],
        ["a&b", "c", "est-ce", "d", "e"],
    ]
    answers = [
        ["il", "dit", ":", "vingt-et-un", "chats!", "(noirs)", "et", "3,50"],
        ["a", "&", "b", "c", "est-ce", "d", "e"],
    ]
    assert bleu(answers, references) == pytest.approx(by_definition(answers, references), abs=1e-9)


def test_nothing_said_is_worth_nothing():
    assert bleu([[]], [["le"]]) == 0


test_bleu_refuses = named(
    (lambda: bleu([["a"]], []), "answers must be as many as references, 0"),
    (lambda: bleu([], []), "references must be one text or more"),
    (lambda: bleu([["a"]], [[]]), "references must be texts of one word or more, got an empty one at 0"),
    (lambda: bleu("a b", "a b"), "lists of texts"),
)


@pytest.mark.parametrize("kind", [RNNencdec, RNNsearch])
def test_translate_is_one_sentence_at_a_time(kind):
    model = kind(len(SOURCE), len(TARGET), 6, 8, generator=seeded(1)).eval()
    sentences = [["the", "cat", "runs", "."], ["the", "dog", "sleeps"], ["cat"]]  # dog: unknown
    together = translate(model, SOURCE, TARGET, sentences)
    for each, answer in zip(sentences, together, strict=True):
        alone = translate(model, SOURCE, TARGET, [each])[0]
        shorter = min(len(alone.words), len(answer.words))
        assert alone.words[:shorter] == answer.words[:shorter]  # the batch is cut where its longest is
        assert len(alone.words) <= 3 * len(each) // 2 + 10
        assert alone.finished or len(alone.words) > 0
    assert translate(model, SOURCE, TARGET, []) == []
    assert translate(model, SOURCE, TARGET, sentences[:1], width=1) == translate(model, SOURCE, TARGET, sentences[:1])


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none"])
def test_an_answer_is_cut_where_the_positions_end(positions, width):
    """12 positions: 3/2 of a source of up to 12 words + 10 tokens is more, and the others of its batch are answered all
    the same."""
    model = Translator(
        len(SOURCE),
        len(TARGET),
        1,
        8,
        4,
        2,
        8,
        positions=positions,
        longest=12,
        tied=False,
        norm="pre",
        generator=seeded(3),
    ).eval()
    with torch.no_grad():  # it says one word for ever
        model.decoder.final_norm.gain.zero_(), model.decoder.final_norm.bias.fill_(1), model.U.zero_()
        model.U[:, 5] = 1
    lengths = [12, 2, 1, 11, 5]
    limits = [3 * (12 if width == 1 else n) // 2 + 10 for n in lengths]
    answers = translate(model, SOURCE, TARGET, [["cat"] * n for n in lengths], width=width)
    assert [len(answer.words) for answer in answers] == (
        limits if positions == "none" else [min(limit, 12) for limit in limits]
    )
    assert not any(answer.finished for answer in answers)
    if positions != "none":
        with pytest.raises(
            ValueError, match="sentences must be of at most 12 words, the model's positions, got 13 at 1"
        ):
            translate(model, SOURCE, TARGET, [["cat"], ["cat"] * 13], width=width)


test_translate_refuses = named(
    (
        lambda: translate(RNNencdec(len(SOURCE), len(TARGET), 6, 8), SOURCE, TARGET, [[]]),
        "sentences must be lists of one word or more, got an empty one at 0",
    ),
    (
        lambda: translate(RNNencdec(len(SOURCE), len(TARGET), 6, 8), SOURCE, TARGET, ["the cat"]),
        "sentences must be lists of words, got the text 'the cat' at 0",
    ),
)
