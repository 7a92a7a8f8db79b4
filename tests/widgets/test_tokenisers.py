"""The page's two tokenisers against the models' own: 2,000 lines of many scripts, cut into the same pieces; and every
piece's text."""

import pytest

from course_lib.pretrained.files import MINILM_WORDS, NotInstalled, locate, require
from tests.shared.graph_node import call, js
from tests.shared.lines import LINES, lines
from tests.shared.optional import missing


@pytest.fixture(scope="module")
def both():
    """The lines, the two models' own tokenisers, and what the page's make of the lines."""
    try:
        require("tokenizers", "gguf")
        locate(MINILM_WORDS)
    except NotInstalled as error:
        missing(error)
    from tokenizers import Tokenizer

    from course_lib.pretrained.smollm import _tokenizer
    from tools.models.tokeniser_files import byte_pairs, facts, word_pieces

    words = Tokenizer.from_file(str(locate(MINILM_WORDS)))
    words.no_padding()
    words.no_truncation()
    text = lines()
    assert len(text) == LINES
    return (
        text,
        {"bytePairs": _tokenizer(facts()), "wordPieces": words},
        {
            "bytePairs": in_page("byte_pairs", "bytePairs", byte_pairs(), text),
            "wordPieces": in_page("word_pieces", "wordPieces", word_pieces(), text),
        },
    )


def in_page(module, name, vocabulary, text):
    """What the page's tokeniser makes of the lines, and its pieces; of byte pairs, the lines again."""
    made = js(f"real_model/tokenisers/{module}.js")[name](vocabulary)
    ids = js().Array["from"](text, made.encode)
    (count,) = call(made.pieces)
    told = {"ids": ids, "pieces": js().Array["from"](list(range(count)), made.piece)}
    return call(told | ({"texts": js().Array["from"](ids, made.text)} if name == "bytePairs" else {}))[0]


@pytest.mark.parametrize("name", ["bytePairs", "wordPieces"])
def test_two_thousand_lines_are_cut_as_the_models_own_tokeniser_does(both, name):
    text, own, made = both
    wanted = [each.ids for each in own[name].encode_batch(text)]
    assert [
        (line, got, want) for line, got, want in zip(text, made[name]["ids"], wanted, strict=True) if got != want
    ] == []
    assert sum(map(len, wanted)) > 15 * LINES


def test_every_piece_says_what_the_models_own_says(both):
    _, own, made = both
    assert made["wordPieces"]["pieces"] == [own["wordPieces"].id_to_token(i) for i in range(30522)]
    assert made["bytePairs"]["pieces"] == own["bytePairs"].decode_batch(
        [[i] for i in range(49152)], skip_special_tokens=False
    )


def test_pieces_of_a_text_give_the_text_again(both):
    _, own, made = both
    assert made["bytePairs"]["texts"] == own["bytePairs"].decode_batch(
        made["bytePairs"]["ids"], skip_special_tokens=False
    )
