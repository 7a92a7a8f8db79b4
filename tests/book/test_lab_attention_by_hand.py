"""The lab that does attention by hand: what learners write into it."""

from tests.book.every_lab import EveryLab

ANSWERS = {
    "softmax": (
        [
            "e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))\nreturn e / np.sum(e, axis=-1, keepdims=True)",
            (
                "if scores.ndim > 1:\n    return np.array([softmax(row) for row in scores])\ntop = max(scores)\ne = "
                "[np.exp(s - top) for s in scores]\nreturn [x / sum(e) for x in e]"
            ),
            "return torch.softmax(torch.from_numpy(scores), dim=-1)",
            (
                "scores = scores - scores.max(-1)[..., None]\n"
                "return np.exp(scores - np.log(np.exp(scores).sum(-1))[..., None])"
            ),
        ],
        [
            ("e / np.sum(e, axis=-1, keepdims=True)", "e", "do not sum to 1"),
            ("e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))", "e = scores", "exponentiate first"),
            ("np.sum(e, axis=-1, keepdims=True)", "e.sum()", "sum of the whole array"),
            ("return e / np.sum(e, axis=-1, keepdims=True)", "return e / e.sum(-1)", "keepdims"),
            (" - np.max(scores, axis=-1, keepdims=True)", "", "The exponential of 10,000 is infinite"),
            ("np.max(scores, axis=-1, keepdims=True)", "np.max(scores)", "maximum of the whole array"),
            ("return torch.softmax(torch.tensor(scores), dim=0)", "columns sum to 1"),
            (
                "scores -= scores.max(-1, keepdims=True)\ne = np.exp(scores)\nreturn e / e.sum(-1, keepdims=True)",
                "changes its argument 1",
            ),
        ],
    ),
    "scores": (
        [
            "return (Q @ K.T) / np.sqrt(Q.shape[-1])",
            (
                "n, s, m = len(Q), len(K), Q.shape[1]\n"
                "S = np.zeros((n, s))\n"
                "for i in range(n):\n"
                "    for j in range(s):\n"
                "        S[i, j] = np.dot(Q[i], K[j]) / m ** 0.5\n"
                "return S"
            ),
            "return np.einsum('nm,sm->ns', Q, K) * Q.shape[1] ** -0.5",
            "Q, K = torch.tensor(Q), torch.tensor(K)\nreturn Q @ K.mT / Q.shape[-1] ** 0.5",
        ],
        [
            (" / np.sqrt(Q.shape[-1])", "", "division is missing"),
            ("np.sqrt(Q.shape[-1])", "Q.shape[-1]", "square root is missing"),
            ("Q.shape[-1]", "Q.shape[0]", "number of queries"),
            ("Q.shape[-1]", "len(K)", "number of keys"),
            ("K.T", "K", "must be transposed"),
            ("return np.dot(K, Q.T) / np.sqrt(Q.shape[1])", "Your rows are keys"),
        ],
    ),
    "weights": (
        [
            "S = scores(Q, K)\nif mask is not None:\n    S = np.where(mask, S, -np.inf)\nA = softmax(S)\nreturn A",
            "S = scores(Q, K)\nif mask is not None:\n    S[~mask] = -1e9\nreturn softmax(S)",
            (
                "S = Q @ K.T / np.sqrt(Q.shape[1])\ne = np.exp(S - S.max())\nif mask is not None:\n    e = e * "
                "mask\nreturn e / e.sum(axis=1, keepdims=True)"
            ),
            (
                "Q, K = torch.tensor(Q), torch.tensor(K)\n"
                "S = Q @ K.T / Q.shape[1] ** 0.5\n"
                "if mask is not None:\n"
                "    S = S.masked_fill(~torch.tensor(mask), float('-inf'))\n"
                "return S.softmax(-1)"
            ),
            (
                "A = []\n"
                "for i, row in enumerate(scores(Q, K)):\n"
                "    seen = np.ones(len(row), bool) if mask is None else mask[i]\n"
                "    e = np.where(seen, np.exp(row), 0)\n"
                "    A.append(e / e.sum())\n"
                "return A"
            ),
        ],
        [
            ("return softmax(scores(Q, K))", "mask has no effect"),
            ("A = softmax(scores(Q, K))\nreturn A if mask is None else A * mask", "behind the softmax"),
            ("np.where(mask, S, -np.inf)", "np.where(mask, -np.inf, S)", "turned round"),
            ("np.where(mask, S, -np.inf)", "S * mask", "A score of 0"),
            ("if mask is not None", "if mask", "if mask is not None"),
            ("softmax(S)", "S", "The softmax is missing"),
        ],
    ),
    "two_heads": (
        [
            (
                "out = np.zeros_like(X)\nmask = np.tril(np.ones((len(X), len(X)))) == 1\nfor W_Q, W_K, W_V, W_O in "
                "heads:\n    A = weights(X @ W_Q, X @ W_K, mask)\n    out = out + A @ (X @ W_V) @ W_O\nreturn out"
            ),
            (
                "Y, O = [], []\n"
                "for q, k, v, o in heads:\n"
                "    Y.append(weights(X @ q, X @ k, ~np.triu(np.ones((len(X),) * 2, bool), 1)) @ X @ v)\n"
                "    O.append(o)\n"
                "return np.concatenate(Y, axis=1) @ np.concatenate(O, axis=0)"
            ),
            (
                "x = torch.tensor(X)\n"
                "return sum(torch.nn.functional.scaled_dot_product_attention(*(x @ torch.tensor(W) for W in (q, k, "
                "v)), is_causal=True) @ torch.tensor(o) for q, k, v, o in heads)"
            ),
        ],
        [
            (", mask)", ")", "causal mask is missing"),
            ("np.tril", "np.triu", "those behind them"),
            ("out = out + A", "out = A", "Only the last head"),
            ("return out", "return out / len(heads)", "heads' mean"),
            (
                "return np.hstack([weights(X @ q, X @ k, np.tri(len(X)) > 0) @ X @ v @ o for q, k, v, o in heads])",
                "side by side",
            ),
            ("return sum(weights(X @ q, X @ k, np.tri(len(X)) > 0) @ X @ v for q, k, v, o in heads)", "W_O is missing"),
        ],
    ),
}


class TestLab(EveryLab):
    name, answers = "attention_by_hand", ANSWERS
    left_out = r"\bask\(|turned\(90|drawn\(True|interactive\(|plots\.|AttentionByHand\("
    lines, fallbacks = 2, 4
