"""Tokenisers against an implementation that only counts and replaces, vocabularies and batches against round trips."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.attention import padding_mask
from course_lib.text.batches import Pairs, Rows, pad
from course_lib.text.tokenisers import END_OF_WORD, BytePairs, Merge, characters, words
from course_lib.text.vocabulary import END, PAD, START, UNKNOWN, Vocabulary
from tests.shared.refusals import named
from tests.shared.seeded import seeded

LOW = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
letters = st.text("abc", min_size=1, max_size=8)
texts = st.lists(letters, min_size=1, max_size=12)
sequences = st.lists(st.lists(st.integers(4, 30), min_size=1, max_size=9), min_size=1, max_size=40)


# ---- vocabulary


def test_special_tokens_come_first():
    vocabulary = Vocabulary(["a", "b"])
    assert vocabulary.tokens == ("⟨pad⟩", "⟨start⟩", "⟨end⟩", "⟨unk⟩", "a", "b")
    assert (PAD, START, END, UNKNOWN) == (0, 1, 2, 3)
    assert len(vocabulary) == 6 and "a" in vocabulary and "c" not in vocabulary
    assert vocabulary.encode(["b", "c", "a"], start=True, end=True) == [1, 5, 3, 4, 2]
    assert vocabulary.decode([0, 1, 4, 3, 2]) == ["a", "⟨unk⟩"]  # a lost word is not hidden


def test_counts_order_the_vocabulary():
    texts = [["x", "y", "y"], ["z", "y", "z", "w"]]
    assert Vocabulary.from_counts(texts).tokens[4:] == ("y", "z", "x", "w")  # of equals the first seen
    assert Vocabulary.from_counts(texts, least=2).tokens[4:] == ("y", "z")
    assert Vocabulary.from_counts(texts, most=3).tokens[4:] == ("y", "z", "x")


@given(texts, st.booleans(), st.booleans())
def test_encoding_known_words_is_undone(text, start, end):
    vocabulary = Vocabulary.from_counts([text])
    ids = vocabulary.encode(text, start=start, end=end)
    assert len(ids) == len(text) + start + end
    assert vocabulary.decode(ids) == text
    assert vocabulary.decode(torch.tensor(ids), specials=True) == ["⟨start⟩"] * start + text + ["⟨end⟩"] * end


test_vocabulary_says_what_is_wrong = named(
    (lambda: Vocabulary(["a", "a"]), r"words must be distinct, got 'a' 2 times"),
    (lambda: Vocabulary(["⟨pad⟩"]), "words must be without the special tokens"),
    (lambda: Vocabulary("abc"), "words must be a list of strings"),
    (lambda: Vocabulary(["a"]).encode("a b"), "words must be a list of tokens, got a string, 'a b': cut it"),
    (
        lambda: Vocabulary(["a"]).decode([5]),
        "ids must be from 0 to 4, got 5: use the vocabulary that the ids were made with",
    ),
    (lambda: Vocabulary.from_counts(["a b"]), "texts must be lists of tokens"),
)


# ---- tokenisers


def test_words_and_characters():
    assert words("Tal didn't smoke: l'homme, well-known!") == [
        "Tal",
        "didn't",
        "smoke",
        ":",
        "l'homme",
        ",",
        "well-known",
        "!",
    ]
    assert words("  ") == []
    assert characters("a b") == ["a", " ", "b"]


def brute_merges(text: list[str], count: int) -> list[tuple[tuple[str, str], int]]:
    """On the running text, word by word: list every pair of neighbours in order, take the most frequent, replace by
    hand."""
    running = [[*word, END_OF_WORD] for word in text]
    found = []
    for _ in range(count):
        pairs = [(a, b) for pieces in sorted_by_first(running, text) for a, b in pairwise(pieces)]
        if not pairs:
            break
        best, best_count = None, 0
        for pair in pairs:
            if pairs.count(pair) > best_count:
                best, best_count = pair, pairs.count(pair)
        found.append((best, best_count))
        for pieces in running:
            i = 0
            while i + 1 < len(pieces):
                if (pieces[i], pieces[i + 1]) == best:
                    pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
                i += 1
    return found


def sorted_by_first(running, text):
    """The running words with equal ones together, in order of first appearance: where ties are decided."""
    return [pieces for _, pieces in sorted(zip(text, running, strict=True), key=lambda pair: text.index(pair[0]))]


@given(texts, st.integers(0, 12))
def test_merges_are_those_of_counting_by_hand(text, count):
    learned = BytePairs.learn(text, count)
    assert [tuple(merge) for merge in learned.merges] == brute_merges(text, count)


def test_the_merges_of_a_word_step_by_step():
    learned = BytePairs.learn(LOW, 4)
    assert [step.pieces for step in learned.steps("est")] == [
        ("e", "s", "t", END_OF_WORD),
        ("es", "t", END_OF_WORD),
        ("est", END_OF_WORD),
        ("est" + END_OF_WORD,),
    ]


def test_text_words_and_counts_teach_the_same():
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    for source in (LOW.split(), counts):
        assert BytePairs.learn(source, 10).merges == BytePairs.learn(LOW, 10).merges


@given(texts, st.integers(0, 15), texts)
def test_encoding_is_that_of_the_library(text, count, others):
    tokenizers = pytest.importorskip("tokenizers")
    ours = BytePairs.learn(text, count)
    numbers = {piece: i for i, piece in enumerate(ours.pieces)}
    theirs = tokenizers.models.BPE(vocab=numbers, merges=list(dict.fromkeys(merge.pair for merge in ours.merges)))
    for word in others:
        if set(word) <= set(ours.alphabet):
            assert ours.encode(word) == [token.value for token in theirs.tokenize(word + END_OF_WORD)]


@given(texts, st.integers(0, 15), texts)
def test_pieces_are_known_and_spell_the_words(text, count, others):
    learned = BytePairs.learn(text, count)
    fitting = [word for word in others if set(word) <= set(learned.alphabet)]
    pieces = learned.encode_text(" ".join(fitting))
    assert set(pieces) <= set(learned.pieces)
    assert learned.decode(pieces) == fitting


def test_what_was_never_seen():
    learned = BytePairs.learn(LOW, 20)
    assert learned.encode("low") == ["low" + END_OF_WORD]
    assert learned.encode("wolf") == ["w", "o", "l", "⟨unk⟩", END_OF_WORD]  # no f in the text
    assert learned.decode(learned.encode("wolf")) == ["wol⟨unk⟩"]
    assert learned.encode("tides") == ["t", "i", "d", "es", END_OF_WORD]
    vocabulary = Vocabulary(learned.pieces)
    assert UNKNOWN in vocabulary.encode(learned.encode("wolf"))
    assert BytePairs.learn("aa", 9).merges[-1].piece == "aa" + END_OF_WORD  # no merge is left after the whole word


test_byte_pairs_say_what_is_wrong = named(
    (lambda: BytePairs.learn("  ", 2), "text must be one word or more"),
    (lambda: BytePairs.learn(["a b"], 2), "text must be words without spaces"),
    (lambda: BytePairs.learn("low", 2).encode("a b"), "word must be one word, without spaces, got 'a b'"),
    (lambda: BytePairs("ab", [Merge(("a", "c"), 1)]), "merges must be of pieces that are in the alphabet.*got 'c'"),
)


# ---- batches


@given(sequences)
def test_padding_is_undone_by_the_lengths_and_by_the_mask(rows):
    tokens, lengths = pad(rows)
    assert tokens.shape == (len(rows), max(map(len, rows))) and tokens.dtype == lengths.dtype == torch.int64
    assert [row[:n].tolist() for row, n in zip(tokens, lengths, strict=True)] == rows
    assert bool((tokens[torch.arange(tokens.shape[1]) >= lengths[:, None]] == PAD).all())
    mask = padding_mask(lengths, tokens.shape[1])
    assert [row[each.flatten()].tolist() for row, each in zip(tokens, mask, strict=True)] == rows


@given(sequences, st.integers(1, 7), st.integers(0, 3))
def test_every_pass_serves_every_pair_once(rows, size, seed):
    target = [list(reversed(row)) for row in rows]
    pairs = Pairs(rows, target, size, seed)
    for turn in range(2):
        steps = range(turn * pairs.steps_per_pass, (turn + 1) * pairs.steps_per_pass)
        served = [row for step in steps for row in pairs.batch_at(step).rows]
        assert sorted(served) == list(range(len(rows)))
    again, last = Pairs(rows, target, size, seed), pairs.steps_per_pass  # resumed in the middle, in the second pass
    assert all(
        torch.equal(torch.as_tensor(a), torch.as_tensor(b))
        for a, b in zip(again.batch_at(last), pairs.batch_at(last), strict=True)
    )


@given(sequences)
def test_a_pair_is_read_after_start_and_answered_up_to_end(rows):
    batch = Pairs(rows, rows[::-1], 3).batch_at(0)
    for b, i in enumerate(batch.rows):
        k = len(rows[::-1][i])
        assert batch.source[b, : batch.source_lengths[b]].tolist() == rows[i]
        assert batch.target[b].tolist()[: k + 1] == [START, *rows[::-1][i]]
        assert batch.answers[b].tolist()[: k + 1] == [*rows[::-1][i], END]
        assert batch.target_lengths[b] == k + 1 and not batch.answers[b, k + 1 :].any()


def test_rows_for_a_language_model():
    batch = Rows([[4, 5, 6], [7]], 2).batch_of([1, 0])
    assert batch.tokens.tolist() == [[START, 7, PAD, PAD], [START, 4, 5, 6]]
    assert batch.answers.tolist() == [[7, END, PAD, PAD], [4, 5, 6, END]]
    assert batch.lengths.tolist() == [2, 4]


def test_buckets_pad_little_and_seeds_differ():
    generator = seeded()
    rows = [[4] * int(n) for n in torch.randint(1, 60, (2000,), generator=generator)]
    served = Rows(rows, 32)
    batches = [served.batch_at(step) for step in range(served.steps_per_pass)]
    padding = sum((batch.tokens == PAD).sum().item() for batch in batches) / sum(
        batch.tokens.numel() for batch in batches
    )
    assert padding < 0.05  # batches of any length would hold about half
    assert served.batch_at(0).rows != Rows(rows, 32, seed=1).batch_at(0).rows
    assert [b.rows for b in batches] != [served.batch_at(served.steps_per_pass + i).rows for i in range(len(batches))]
    lengths = [batch.tokens.shape[1] for batch in batches]
    assert lengths != sorted(lengths)


def test_no_two_of_neighbouring_runs_share_a_pass():
    rows = [[4]] * 40
    runs = [Rows(rows, 8, seed) for seed in range(4)]
    passes = [tuple(run.batch_at(5 * turn + step).rows for step in range(5)) for run in runs for turn in range(4)]
    assert len(set(passes)) == len(passes) == 16


test_batches_say_what_is_wrong = named(
    (lambda: pad([]), "sequences must be one sequence or more"),
    (lambda: pad([[4], []]), "got none in sequence 1"),
    (lambda: pad([[4, 0, 5]]), "sequences must be without the number 0, which means padding, got it in sequence 0"),
    (lambda: Pairs([[4]], [], 2), "target must be as long as source, 1, got 0"),
)
