"""Chapter 3's page on the ablation study: the published tables computed with, and our stored runs beside them."""

from collections import Counter
from functools import cache

from course_lib.ablation import side_by_side, smallest_p, stored
from course_lib.published.vaswani import results, variations
from course_lib.text.corpora import english_prose
from course_lib.text.tokenisers import BytePairs, words

from . import claim

GPUS, SUSTAINED, TDP = 8, 9.5e12, 300  # P100: FLOP/s as the paper's footnote has it; watts, NVIDIA's limit for the SXM2 module
HOURS = {"Transformer (base model)": 12.0, "Transformer (big)": 3.5 * 24}

# --- results and cost as published ------------------------------------------------------------------------------------


def flops(model: str) -> float:
    """Time × devices × sustained rate: how the paper estimates its column."""
    return HOURS[model] * 3600 * GPUS * SUSTAINED


@claim("L3.7.base-flops")
def base_flops_in_units_of_1e18() -> float:
    return flops("Transformer (base model)") / 1e18


@claim("L3.7.big-flops")
def big_flops_in_units_of_1e19() -> float:
    return flops("Transformer (big)") / 1e19


@claim("L3.7.energy-base")
def kilowatt_hours_of_the_base_model() -> float:
    return HOURS["Transformer (base model)"] * GPUS * TDP / 1000


@claim("L3.7.energy-big")
def kilowatt_hours_of_the_big_model() -> float:
    return HOURS["Transformer (big)"] * GPUS * TDP / 1000


@claim("L3.7.lead")
def lead_of_the_big_model_over_the_best_published_before() -> float:
    """BLEU points, English to German, ensembles included: the text says "more than 2"."""
    before = [row.bleu_en_de for row in results().values() if row.bleu_en_de and not row.model.startswith("Transformer")]
    return results()["Transformer (big)"].bleu_en_de - max(before)


def matrices(layers: int, d: int, r: int, h: int, k: int, v: int) -> tuple[int, int]:
    """Entries of an encoder's and a decoder's weight matrices, without biases, norms and embeddings."""
    attention, thinking = d * h * (2 * k + 2 * v), 2 * d * r
    return layers * (attention + thinking), layers * (2 * attention + thinking)


def counted(name: str, vocabulary: int = 37_000) -> float:
    """Millions of parameters of a row of Table 3, by formula; one embedding is shared by both languages and the read-out."""
    sizes = variations()["base"].changes | variations()[name].changes
    n, d, r, h, k, v = (int(sizes[key]) for key in ("N", "d_model", "d_ff", "h", "d_k", "d_v"))
    return (sum(matrices(n, d, r, h, k, v)) + vocabulary * d) / 1e6


@claim("L3.7.params")
def largest_gap_of_the_printed_parameters_in_millions() -> float:
    return max(abs(counted(row.row) - row.params) for row in variations().values() if row.params)


@claim("L3.7.useful")
def multiplications_and_additions_of_the_base_run_over_its_published_flops() -> float:
    """6 operations a parameter and token, 25,000 tokens a side, 100,000 steps; the products q·k, and softmax, left out."""
    base = variations()["base"]
    return 6 * counted("base") * 1e6 * 25_000 * base.changes["steps"] * 1000 / results()["Transformer (base model)"].flops_en_de


# --- errata -----------------------------------------------------------------------------------------------------------


@cache
def unknown(size: int = 300) -> tuple[float, float]:
    """Share of unknown tokens in the last tenth of the prose, for a vocabulary of `size` words, and of `size` pieces."""
    text = words(english_prose())
    seen, new = text[: len(text) * 9 // 10], text[len(text) * 9 // 10 :]
    known = {word for word, _ in Counter(seen).most_common(size)}
    characters = len({character for word in seen for character in word}) + 1
    pieces = BytePairs.learn(seen, size - characters)
    parts = [piece for word in new for piece in pieces.encode(word)]
    return sum(word not in known for word in new) / len(new), sum(piece == "⟨unk⟩" for piece in parts) / len(parts)


@claim("L-E18.words")
def share_unknown_to_300_words() -> float:
    return unknown()[0]


@claim("L-E18.pieces")
def share_unknown_to_300_pieces() -> float:
    return unknown()[1]


@claim("L-E20.ppl")
def perplexity_of_row_e() -> float:
    return variations()["learned positions"].ppl


@claim("L-E20.bleu")
def bleu_of_row_e() -> float:
    return variations()["learned positions"].bleu


# --- our runs ---------------------------------------------------------------------------------------------------------


def verdicts(measure: str, word: str) -> int:
    return sum(row["verdict"] is not None and row["verdict"][measure] == word for row in side_by_side())


@claim("S4.runs")
def runs_stored() -> int:
    return len(stored()["rows"])


@claim("S4.same-ppl")
def rows_with_the_published_direction_in_perplexity() -> int:
    return verdicts("ppl", "same direction")


@claim("S4.opposite-ppl")
def rows_with_the_opposite_direction_in_perplexity() -> int:
    return verdicts("ppl", "opposite")


@claim("S4.same-bleu")
def rows_with_the_published_direction_in_bleu() -> int:
    return verdicts("bleu", "same direction")


@claim("S4.opposite-bleu")
def rows_with_the_opposite_direction_in_bleu() -> int:
    return verdicts("bleu", "opposite")


@claim("S4.smallest-p")
def smallest_p_of_a_sign_flip_test_of_five_pairs() -> float:
    return smallest_p(5)
