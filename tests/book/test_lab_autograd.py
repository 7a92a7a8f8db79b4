"""The lab that builds autograd: what learners write into it."""

from tests.book.every_lab import EveryLab

ANSWERS = {
    "summed": (
        [
            (
                "front = g.ndim - len(shape)\ng = g.sum(axis=tuple(range(front)))\nfor i in range(len(shape)):\n    if "
                "shape[i] == 1:\n        g = g.sum(axis=i, keepdims=True)\nreturn g"
            ),
            (
                "full = (1,) * (g.ndim - len(shape)) + tuple(shape)\n"
                "axes = tuple(i for i, size in enumerate(full) if size == 1)\n"
                "return np.sum(g, axes, keepdims=True).reshape(shape)"
            ),
            (
                "out = np.zeros(shape)\nwhole = np.broadcast_to(np.arange(out.size).reshape(shape), "
                "g.shape)\nnp.add.at(out.reshape(-1), whole, g)\nreturn out"
            ),
        ],
        [
            ("return g", "Nothing is summed yet"),
            ("g = g.sum(axis=tuple(range(front)))", "pass", "those in front are not yet"),
            ("shape[i] == 1", "False", "those of size 1 are not yet"),
            (".sum(", ".mean(", "mean of the copies"),
            ("return np.resize(g, shape)", "first copies only"),
            ("return np.full(shape, g.sum())", "You sum everything"),
        ],
    ),
    "to_weights": (
        [
            "B = np.swapaxes(A, -1, -2) @ g\nreturn B.sum(axis=tuple(range(B.ndim - 2)))",
            "return np.tensordot(A, g, axes=(list(range(A.ndim - 1)),) * 2)",
            (
                "total = 0\n"
                "for row, slope in zip(A.reshape(-1, A.shape[-1]), g.reshape(-1, g.shape[-1])):\n"
                "    total = total + np.outer(row, slope)\n"
                "return total"
            ),
        ],
        [
            ("return A @ g", "A must be transposed"),
            ("np.swapaxes(A, -1, -2) @ g", "np.swapaxes(g, -1, -2) @ A", "That is the transpose"),
            ("return B.sum(axis=tuple(range(B.ndim - 2)))", "return B", "They share B"),
            (
                ".sum(axis=tuple(range(B.ndim - 2)))",
                ".sum(axis=tuple(range(B.ndim - 2))) / A.shape[-2]",
                "divide by the number of tokens",
            ),
            (" @ g", " @ np.ones_like(g)", "gradient g is not used"),
            ("np.swapaxes(A, -1, -2)", "np.swapaxes(np.ones_like(A), -1, -2)", "factors A are missing"),
        ],
    ),
    "through_softmax": (
        [
            "return y * g - y * np.sum(y * g, axis=-1)[..., None]",
            (
                "J = np.einsum('...i,ij->...ij', y, np.eye(y.shape[-1])) - y[..., :, None] * y[..., None, :]\n"
                "return (J @ g[..., None])[..., 0]"
            ),
            "return y * (g - np.average(g, axis=-1, weights=y, keepdims=True))",
        ],
        [
            ("return g * y * (1 - y)", "by its own score"),
            ("return y * g", "subtract the average of g"),
            ("return y * (g - g.mean(-1, keepdims=True))", "not evenly"),
            ("return g - (g * y).sum(-1, keepdims=True)", "factor y in front"),
            ("np.sum(y * g, axis=-1)[..., None]", "np.sum(y * g)", "sum over all rows"),
            ("return y * (g - (g * y).sum(0, keepdims=True))", "last axis"),
            ("return y * ((g * y).sum(-1, keepdims=True) - g)", "sign is the other one"),
        ],
    ),
    "from_loss": (
        [
            "g = np.array(p)\nfor i, a in enumerate(answers):\n    g[i, a] = g[i, a] - 1\nreturn g / len(answers)",
            "return (p - (np.arange(p.shape[1]) == np.asarray(answers)[:, None])) / p.shape[0]",
            "return np.array([[(x - (j == a)) / len(p) for j, x in enumerate(row)] for row, a in zip(p, answers)])",
        ],
        [
            (" / len(answers)", "", "divide by the number of tokens"),
            ("return g", "return -g", "leads uphill"),
            ("- 1", "- 0", "1 at the right answers is missing"),
            ("return (p - 1) / len(p)", "subtract 1 from every entry"),
            ("len(answers)", "g.size", "divide by all entries"),
            ("np.array(p)", "np.zeros_like(p)", "p is missing"),
            ("np.array(p)", "p", "changes its argument 1"),
        ],
    ),
    "walk": (
        [
            (
                "n = len(sources)\n"
                "grads = {n - 1: g}\n"
                "for i in range(n - 1, -1, -1):\n"
                "    for j, pull in sources[i]:\n"
                "        grads[j] = grads.get(j, 0) + pull(grads[i])\n"
                "return [grads[i] for i in range(n)]"
            ),
            (
                "n = len(sources)\n"
                "def by(i):\n"
                "    users = [(k, pull) for k in range(i + 1, n) for j, pull in sources[k] if j == i]\n"
                "    return g if i == n - 1 else sum(pull(by(k)) for k, pull in users)\n"
                "return [by(i) for i in range(n)]"
            ),
            (
                "parts = [[] for _ in sources]\n"
                "parts[-1].append(g)\n"
                "for i, own in list(enumerate(sources))[::-1]:\n"
                "    for j, pull in own:\n"
                "        parts[j].append(pull(sum(parts[i])))\n"
                "return [sum(each) for each in parts]"
            ),
        ],
        [
            ("grads.get(j, 0) + ", "", "a part from each use"),
            ("pull(grads[i])", "pull(g)", "not that of the loss"),
            ("range(n - 1, -1, -1)", "range(n)", "stopped with `KeyError`"),
            ("grads = {n - 1: g}", "grads = {n - 1: 0}", "Put it there first"),
            ("grads = {n - 1: g}", "grads = {n - 1: 1.0}", "not always 1"),
            ("for i in range(n)]", "for i in range(n - 1, -1, -1)]", "begins with array 0"),
            ("return [grads[i] for i in range(n)]", "return grads[0]", "array 0 alone"),
        ],
    ),
}


class TestLab(EveryLab):
    name, answers, left_out = "autograd", ANSWERS, r"\bask\(|history"
    lines, fallbacks = 2, 5
