"""Tokens on the first page of chapter 3: what words, characters and byte-pair merges make of one sentence."""

from functools import cache

from course_lib.text.corpora import english_prose
from course_lib.text.tokenisers import BytePairs, Merge, characters, words
from course_lib.text.vocabulary import UNKNOWN, Vocabulary

from . import claim

SENTENCE = "Mikhail Tal was a bad smoker but a good"


@cache
def learned() -> BytePairs:
    return BytePairs.learn(english_prose(), 200)


@claim("P1.characters")
def characters_of_the_sentence() -> int:
    return len(characters(SENTENCE))


@claim("P1.vocabulary")
def different_words_of_the_prose() -> int:
    return len(set(words(english_prose())))


@claim("P1.unknown")
def words_of_the_sentence_that_the_prose_lacks() -> int:
    return Vocabulary.from_counts([words(english_prose())]).encode(words(SENTENCE)).count(UNKNOWN)


def first_merge() -> Merge:
    return next(BytePairs.learning(english_prose()))


@claim("P1.first")
def occurrences_of_the_first_merge() -> int:
    return first_merge().count


@claim("P1.the")
def rounds_until_the_is_one_token() -> int:
    return [merge.piece for merge in learned().merges].index("the·") + 1


@claim("P1.pieces")
def pieces_of_the_sentence_after_200_rounds() -> int:
    return len(learned().encode_text(SENTENCE))


@claim("P1.price")
def tokens_a_word_after_200_rounds() -> float:
    return len(learned().encode_text(english_prose())) / len(words(english_prose()))
