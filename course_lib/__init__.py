"""The shared package of the course: every model, law and check that the pages use, written once.

`SYMBOLS` is the one symbol table. Every formula, shape and argument in the project keeps these letters; the notation
page prints this table. Tokens are rows: a sequence of n tokens is a matrix X of shape [n, d], and maps act from the
right.
"""

from typing import NamedTuple

__version__ = "1.0.0"


class Symbol(NamedTuple):
    """One row of the symbol table: what the letter means, its shape (empty: a number), and each source's letter for
    it."""

    meaning: str
    shape: str
    sources: dict[str, str]


SYMBOLS: dict[str, Symbol] = {
    "n": Symbol(
        "number of tokens in a sequence; on the page of spectra, the size of a matrix",
        "",
        {"L": "T", "P": "N", "S": "n", "R": "n", "G": "n"},
    ),
    "s": Symbol(
        "number of keys, where it differs from n; with strided attention, the size of a block",
        "",
        {"L": "T", "S": "n_k"},
    ),
    "v": Symbol("vocabulary size (`vocab` in code that also has values)", "", {"P": "K", "R": "v"}),
    "d": Symbol("embedding width", "", {"L": "d", "P": "D", "S": "d_model", "R": "d", "G": "d_in"}),
    "m": Symbol(
        "width of queries, keys and values, per head", "", {"L": "d/h", "P": "D_K", "S": "d_k", "R": "m", "G": "d_k"}
    ),
    "r": Symbol(
        "hidden width: of a feed-forward layer, of a recurrent network's state",
        "",
        {"L": "n, d_1, d_2", "R": "r", "G": "d_hid"},
    ),
    "h": Symbol(
        "number of heads; on the page of Markov sources, the entropy rate", "", {"L": "h", "P": "h", "S": "h", "G": "H"}
    ),
    "b": Symbol("number of sequences in a batch", "", {"S": "B"}),
    "ℓ": Symbol("number of layers", "", {}),
    "E": Symbol("embedding: row t is the vector of token t", "[v, d]", {"P": "Eᵀ", "R": "E"}),
    "P": Symbol(
        "positions: row p is added to the token at place p", "[n, d]", {"L": "p_i", "P": "r_n", "S": "PE", "R": "P"}
    ),
    "X": Symbol(
        "the tokens' vectors, one row a token", "[n, d]", {"L": "X", "P": "X", "S": "x_q", "R": "X", "G": "Xᵀ"}
    ),
    "sₜ": Symbol(
        "state of a recurrent network after t tokens; with two networks, the decoder's", "[r]", {"L": "h_(t), s_t"}
    ),
    "H": Symbol("states of an encoder, row j the one at token j", "[n, r]", {"L": "h_i"}),
    "C": Symbol(
        (
            "context vector: what a decoder is told of the source (Cₜ: at step t); in chapters 5 and 6 a head's "
            "scoring matrix W_Q W_Kᵀ/√m"
        ),
        "[r]; [d, d]",
        {"L": "C, C_t"},
    ),
    "W_x, W_s, b": Symbol(
        "maps and bias of a recurrent cell, for g gates side by side", "[d, g r], [r, g r], [g r]", {"L": "θ, γ"}
    ),
    "Q": Symbol(
        "queries X W_Q: what each token looks for", "[h, n, m]", {"L": "XQ", "P": "Q", "S": "Q", "R": "Q", "G": "(QX)ᵀ"}
    ),
    "K": Symbol(
        "keys X W_K: what each token offers to be found by",
        "[h, n, m]",
        {"L": "XK", "P": "K", "S": "K", "R": "K", "G": "(KX)ᵀ"},
    ),
    "V": Symbol(
        "values X W_V: what each token hands over", "[h, n, m]", {"L": "XV", "P": "V", "S": "V", "R": "V", "G": "(VX)ᵀ"}
    ),
    "S": Symbol(
        (
            "scores Q Kᵀ/√m: row i holds what token i gives to each key; in chapter 2 scores: row t holds what the "
            "decoder's step t gives to each source word"
        ),
        "[h, n, n]; a row a step",
        {"L": "e", "S": "scores", "R": "score"},
    ),
    "A": Symbol(
        (
            "attention weights, the softmax of each row of S; in chapter 2 attention weights: row t holds those of the "
            "decoder's step t"
        ),
        "[h, n, n]; a row a step",
        {"L": "α", "P": "A", "S": "weights"},
    ),
    "Z": Symbol(
        "a row's normaliser, the sum of its exponentials; in chapter 4 the block's output, one row a token",
        "[h, n]; [n, d]",
        {"R": "Z"},
    ),
    "O": Symbol("output of one head, A V", "[h, n, m]", {"P": "H_h", "S": "head_i", "R": "A"}),
    "Y": Symbol(
        "output of the layer, one row a token",
        "[n, d]",
        {"L": "output", "P": "Y", "S": "MultiHead", "R": "A_O", "G": "Yᵀ"},
    ),
    "W_Q, W_K, W_V": Symbol(
        "the maps from tokens to queries, keys and values",
        "[h, d, m]",
        {"L": "Q, K, V", "P": "W^(Q), W^(K), W^(V)", "S": "W^Q, W^K, W^V", "R": "W_Q, W_K, W_V", "G": "Qᵀ, Kᵀ, Vᵀ"},
    ),
    "W_O": Symbol(
        "the map from the heads back to the tokens", "[h, m, d]", {"P": "W^(O)", "S": "W^O", "R": "W_O", "G": "W_hᵀ"}
    ),
    "w_q, w_k, w_v, w_o": Symbol(
        "biases of the four maps, in chapter 4", "[m], [m], [m], [d]", {"R": "w_q, w_k, w_v, w_o"}
    ),
    "W_1, W_2": Symbol("the two maps of the feed-forward layer", "[d, r], [r, d]", {"R": "W_1, W_2", "G": "W_1, W_2"}),
    "w_1, w_2": Symbol("biases of the feed-forward layer, in chapter 4", "[r], [d]", {"R": "w_1, w_2"}),
    "γ, β": Symbol(
        "gain and bias of a layer norm; γ₁, β₁ of a block's first, γ₂, β₂ of its second", "[d]", {"R": "γ, β"}
    ),
    "N": Symbol("the output of a block's first norm, in chapter 4", "[n, d]", {}),
    "W_3, w_3": Symbol("the read-out: from a token's vector to the logits", "[d, v], [v]", {"R": "W_3, w_3"}),
    "z": Symbol("logits: a number for each token of the vocabulary", "[n, v]", {"L": "logits", "R": "logit"}),
    "p": Symbol(
        (
            "probabilities of the next token: the softmax of the logits; where the true ones are known, in chapter 4, "
            "these"
        ),
        "[n, v]; [v]",
        {"L": "softmax", "R": "p"},
    ),
    "q": Symbol("the model's probabilities of the next token, where p is the true ones", "[v]", {"R": "q"}),
    "H(p), H(p, q)": Symbol(
        "entropy of p, and cross-entropy: the mean of −log q where p is true", "", {"R": "H(p, p), H(p, q)"}
    ),
    "D(p‖q)": Symbol("divergence, H(p, q) − H(p)", "", {}),
    "T, π": Symbol(
        "a Markov source: T_ij is the probability of j after i, π how often each token comes", "[v, v], [v]", {}
    ),
    "M": Symbol(
        "mask: true where a query may look at a key; in chapters 5 and 6 what a head writes, W_V W_O",
        "[n, n]; [d, d]",
        {"S": "mask"},
    ),
    "A_θ(X, x)": Symbol(
        "where a layer with the context X moves the query x; A_θ(X, x, i) with a causal mask", "[d]", {"G": "A_θ(X, x)"}
    ),
    "Γ_θ(μ, x)": Symbol("attention to a measure μ; Γ_θ(μ, x, t) with a mask in time", "[d]", {"G": "Γ_θ(μ, x)"}),
    "⋄": Symbol("composition of in-context maps: the context moves with the query", "a map", {"G": "⋄"}),
    "T♯μ": Symbol("push-forward: μ carried along by the map T", "a measure", {"G": "T_♯μ"}),
    "⇀": Symbol("weak convergence: averages of continuous functions converge", "a relation", {"G": "⇀"}),
    "w": Symbol("radius of a window: a token looks at those at distance w or less", "", {"S": "r, about 2w"}),
    "φ": Symbol("positive feature map of linear attention, elu + 1 entry by entry", "a map", {}),
    "μ, Σ": Symbol(
        "a cloud of tokens: its mean and its covariance; in chapter 5, μ is any probability measure",
        "[d], [d, d]; a measure",
        {"G": "μ, Σ"},
    ),
    "B": Symbol(
        "what a layer does to a Gaussian cloud: the sum over heads of C Σ M, so that x becomes x(I + εB) + a shift",
        "[d, d]",
        {"G": "Bᵀ"},
    ),
    "ε": Symbol("step of a layer: x becomes x + ε times what attention gives", "", {"G": "ε"}),
    "τ": Symbol("temperature: scores are divided by it before the softmax", "", {"G": "T"}),
}
