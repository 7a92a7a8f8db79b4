"""The lab that reads attention maps: what learners write into it."""

from tests.book.every_lab import EveryLab

ANSWERS = {
    "share": (
        [
            "return np.mean([A[r, k] for r, k in keys.items()])",
            "total = 0\nfor row in keys:\n    total += A[row][keys[row]]\nreturn total / len(keys)",
            "return A[list(keys.keys()), list(keys.values())].mean()",
            "return torch.tensor(A)[list(keys), list(keys.values())].mean()",
        ],
        [
            ("np.mean", "np.sum", "That is the sum"),
            ("return sum(A[r, k] for r, k in keys.items()) / A.shape[0]", "divide by all rows"),
            ("A[r, k]", "A[k, r]", "exchanged"),
            ("return A[list(keys)][:, list(keys.values())].mean()", "one bracket"),
            ("return np.mean([A[r].max() for r in keys])", "largest weight of each row"),
        ],
    ),
    "places": (
        [
            "H = -(A * np.log(np.where(A == 0, 1, A))).sum(axis=1)\nreturn np.exp(H)",
            (
                "found = []\nfor row in A:\n    H = 0.0\n    for a in row:\n        if a > 0:\n            H -= a * "
                "np.log(a)\n    found.append(np.exp(H))\nreturn found"
            ),
            "with np.errstate(all='ignore'):\n    return np.exp(-np.nansum(A * np.log(A), axis=-1))",
            "return torch.exp(torch.special.entr(torch.from_numpy(A)).sum(dim=-1))",
            "return 2 ** -np.sum(A * np.log2(A, where=A > 0, out=np.zeros_like(A)), axis=1)",
            "return np.exp(-(A * np.log(A + 1e-12)).sum(-1))",
        ],
        [
            ("np.where(A == 0, 1, A)", "A", "0 · ln 0"),
            ("np.exp(H)", "H", "That is the entropy"),
            ("-(A", "(A", "minus"),
            ("np.log(", "np.log2(", "natural logarithm"),
            ("axis=1", "axis=0", "columns"),
            ("return np.count_nonzero(A, axis=-1)", "would count like one with 0.99"),
        ],
    ),
    "without": (
        [
            "W = W_O.copy()\nW[head] = 0\nreturn W",
            "return np.stack([W if i != head else np.zeros_like(W) for i, W in enumerate(W_O)])",
            "keep = np.arange(len(W_O)) != head\nreturn W_O * keep[:, None, None]",
            "W = torch.tensor(W_O)\nW[head] = 0\nreturn W",
        ],
        [
            ("W_O.copy()", "W_O", "changes its argument 1"),
            ("return np.delete(W_O, head, axis=0)", "moved up"),
            ("W = np.zeros_like(W_O)\nW[head] = W_O[head]\nreturn W", "take away the others"),
            ("W[head]", "W[head - 1]", "counted from 0"),
            ("W[head]", "W[:, head]", "row of every head"),
            ("return W_O * (np.arange(W_O.shape[2]) != head)", "column of every head"),
        ],
    ),
}


class TestLab(EveryLab):
    name, answers = "attention_maps", ANSWERS
    left_out = r"history|left\(run|\bask\(|test_batch\(|models = |Explorer\("
    lines, fallbacks = 6, 3
