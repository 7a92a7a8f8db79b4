"""The lab on the exploding cloud: its checks know right from wrong, its layer is the library's, both notebooks say what
its text says."""

import re

import numpy as np
import pytest

from course_lib.gaussian import Heads, congruence, iterate, reach
from course_lib.gaussian.sphere import sphere_layer
from tests.book.every_lab import EveryLab
from tests.shared.lab_notebook import printed, tables

ANSWERS = {
    "layer": (
        [
            "d = len(S)\nB = C @ S @ M\nA = np.identity(d) + step * B\nreturn A.T @ S @ A",
            "B = step * (C @ S @ M)\nreturn S + B.T @ S + S @ B + B.T @ S @ B",
            (
                "A = step * C.dot(S).dot(M)\n"
                "for i in range(len(A)):\n"
                "    A[i, i] += 1\n"
                "return np.einsum('ki,kl,lj->ij', A, S, A)"
            ),
            (
                "S, C, M = map(torch.tensor, (S, C, M))\n"
                "A = torch.eye(len(S), dtype=S.dtype) + step * C @ S @ M\n"
                "return A.T @ S @ A"
            ),
        ],
        [
            ("B = step * (C @ S @ M)\nreturn S + B.T @ S + S @ B", "first-order rule"),
            ("np.identity(d) + ", "", "add the identity"),
            ("A.T @ S @ A", "A @ S @ A.T", "Tokens are rows"),
            ("step * B", "B", "step ε is missing"),
            ("np.identity(d) + step", "np.identity(d) - step", "not I − εB"),
            ("C @ S @ M", "M @ S @ C", "C and M are exchanged"),
            ("S += 0.5\nreturn S", "another value"),
        ],
    ),
    "passes": (
        [
            (
                "for count in range(limit):\n"
                "    if v >= 1e308:\n"
                "        return count\n"
                "    f = 1 + beta * v\n"
                "    v = v * f * f\n"
                "return limit"
            ),
            "n = 0\nwhile n < limit and v < 1e308:\n    v *= (1 + beta * v) * (1 + beta * v)\n    n += 1\nreturn n",
            (
                "v, n = np.float64(v), 0\n"
                "with np.errstate(over='ignore'):\n"
                "    while n < limit and not v >= 1e308:\n"
                "        v = v * (1 + beta * v) ** 2\n"
                "        n += 1\n"
                "return n"
            ),
            (
                "if v >= 1e308 or limit == 0:\n"
                "    return 0\n"
                "f = 1 + beta * v\n"
                "return 1 + passes(v * f * f, beta, limit - 1)"
            ),
        ],
        [
            ("v * f * f", "v * f", "by its square"),
            ("return count", "return count + 1", "no pass is needed"),
            ("1 + beta * v", "beta * v", "Each token keeps itself"),
            ("v * f * f", "v * f ** 2", "write `f * f`"),
            ("return count", "return count - 1", "One too few"),
            (
                (
                    "count = 0\n"
                    "while v < 1e308 and count < 10_000:\n"
                    "    f = 1 + beta * v\n"
                    "    v, count = v * f * f, count + 1\n"
                    "return count"
                ),
                "At `limit` passes",
            ),
        ],
    ),
    "strength": (
        [
            "root = np.sqrt(w / v)\nreturn (root - 1) / v",
            "return (w ** 0.5 * v ** -0.5 - 1) / v",
            "import math\nreturn (math.sqrt(v * w) - v) / v ** 2",
        ],
        [
            ("np.sqrt(w / v)", "w / v", "Take the root first"),
            ("(root - 1)", "root", "Take 1 away"),
            ("(root - 1) / v", "root - 1", "Divide by v"),
            ("(root - 1) / v", "(root - 1) / w", "*before* it"),
            ("(root - 1)", "(-root - 1)", "negative root"),
        ],
    ),
    "reach": (
        [
            "return np.linalg.norm(C, ord=2) * np.linalg.norm(M, ord=2)",
            "return np.linalg.svd(C, compute_uv=False)[0] * max(np.linalg.svd(M)[1])",
            "return np.prod([np.sqrt(np.linalg.eigvalsh(A @ A.T).max()) for A in (C, M)])",
            "return torch.linalg.matrix_norm(torch.tensor(C), 2) * torch.linalg.matrix_norm(torch.tensor(M), 2)",
        ],
        [
            (", ord=2", "", "Frobenius"),
            ("return np.linalg.norm(C @ M, 2)", "between C and M"),
            ("return abs(np.linalg.eigvals(C)).max() * abs(np.linalg.eigvals(M)).max()", "take singular values"),
            ("return np.linalg.eigvalsh(C.T @ C).max() * np.linalg.eigvalsh(M.T @ M).max()", "take the root"),
            ("=2) *", "=2) +", "They multiply"),
        ],
    ),
    "same_size": (
        [
            "return new * old.trace() / new.trace()",
            (
                "factor = sum(old[i, i] for i in range(len(old))) / sum(new[i, i] for i in range(len(new)))\nreturn "
                "[[factor * x for x in row] for row in new]"
            ),
            "return np.diag(old).sum() * (new / np.diag(new).sum())",
            "new, old = torch.tensor(new), torch.tensor(old)\nreturn new * (torch.trace(old) / torch.trace(new))",
        ],
        [
            (" * old.trace()", "", "Its trace is now 1"),
            ("old.trace() / new.trace()", "np.sqrt(old.trace() / new.trace())", "right for tokens"),
            ("old.trace() / new.trace()", "new.trace() / old.trace()", "upside down"),
            ("return old", "throws the new cloud away"),
            ("return new * np.linalg.eigvalsh(old).max() / np.linalg.eigvalsh(new).max()", "their sum, the trace"),
            ("new *= old.trace() / new.trace()\nreturn new", "changes its argument 1"),
        ],
    ),
    "growth": (
        [
            "return 1 + step * np.linalg.norm(M, ord=2)",
            "return 1 + step * np.linalg.svd(M, compute_uv=False).max()",
            "return 1 + step * np.linalg.eigvalsh(M.T @ M)[-1] ** 0.5",
            "return 1 + step * torch.linalg.svdvals(torch.tensor(M))[0]",
        ],
        [
            (", ord=2", "", "Frobenius"),
            ("return 1 + step * np.abs(np.linalg.eigvals(M)).max()", "largest singular value"),
            ("1 + ", "", "add 1"),
            ("return (1 + step * np.linalg.norm(M, ord=2)) ** 2", "That is for variances"),
            ("step * ", "", "step ε is missing"),
        ],
    ),
    "widening": (
        [
            "r = x + step * (x @ V)\nlength = np.linalg.norm(r)\nreturn np.dot(x, r) / length / length",
            (
                "r = [x[j] + step * sum(x[i] * V[i, j] for i in range(2)) for j in range(2)]\n"
                "return (x[0] * r[0] + x[1] * r[1]) / (r[0] ** 2 + r[1] ** 2)"
            ),
            (
                "x, V = torch.tensor(x), torch.tensor(V)\nr = x + step * (x @ V)\nreturn torch.cosine_similarity(x, r, "
                "dim=0) / r.norm()"
            ),
            (
                "a, b = x @ V @ x, x @ V @ np.array([-x[1], x[0]])\n"
                "return (1 + step * a) / ((1 + step * a) ** 2 + (step * b) ** 2)"
            ),
        ],
        [
            ("np.dot(x, r) / length / length", "1 / length", "cosine is missing"),
            (" / length / length", " / length", "Divide by |r| once more"),
            ("return 1 / (1 + step * (x @ V @ x))", "where xV points along x"),
            ("(x @ V)", "(V @ x)", "not Vx"),
            ("return 1 + step * (x @ V @ x)", "get longer"),
            ("step * (x @ V)", "x @ V", "step ε is missing"),
            ("x + step", "x - step", "The layer adds"),
        ],
    ),
}


class TestLab(EveryLab):
    name = "gaussian_attention"
    left_out = (
        r"^ask\((?!def)|interactive\(|runs = |runs\[|found in runs|def "
        r"fate|fuse\(2|largest_step\(|courses|attend_particles\(tokens|told, true"
    )
    answers = ANSWERS
    lines, fallbacks = 32, 9


def test_the_labs_layer_and_reach_are_the_librarys(lab):
    S, C, M = lab["given"](7)
    one = Heads(C[None], np.eye(16)[None], M[None], np.eye(16)[None], scale=1.0)
    for step in (1.0, 0.1):
        np.testing.assert_allclose(
            lab["layer"](S, C, M, step), congruence(S, one, step=step), rtol=1e-10, atol=1e-10 * abs(S).max()
        )
    assert lab["reach"](C, M) == pytest.approx(reach(one), rel=1e-12)


def test_the_end_of_float64_is_where_the_library_finds_it(lab):
    for seed in (0, 7, 9):
        S, C, M = lab["given"](seed)
        one = Heads(C[None], np.eye(16)[None], M[None], np.eye(16)[None], scale=1.0)
        for step in (1.0, 0.1):
            sizes, path = lab["until_it_ends"](S, C, M, step), iterate(S, one, 40, step=step)
            assert len(sizes) == path.overflow
            np.testing.assert_allclose(np.log10(sizes), path.log10_size[: len(sizes)], rtol=1e-6)
            assert lab["passes"](sizes[0], step * float(lab["reach"](C, M))) <= len(sizes)  # the guarantee of step 4


def test_the_head_that_gives_back_never_lets_the_cloud_grow(lab):
    S, C, M = lab["given"](3)
    for _ in range(20):
        new = lab["giving_back"](S, C, M)
        assert lab["size"](new) <= lab["size"](S) * (1 + 1e-12)
        S = new


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda S, C, M: ..., "Your turn"),
        (lambda S, C, M: 1 / 0, "ZeroDivisionError"),
        (lambda S, C, M: None, "returned nothing"),
        (lambda S, C, M: S[:2], "shape [2, 16]"),
        (lambda S, C, M: S, "hardly moves"),
        (lambda S, C, M: 0.9 * S, "another head"),
        (lambda S, C, M: np.eye(16), "another head"),
        (lambda S, C, M: S + 0.1 * C, "not symmetric"),
        (lambda S, C, M: S - 3 * np.trace(S) / 16 * np.outer(C[0], C[0]) / (C[0] @ C[0]), "below 0"),
        (lambda S, C, M: (np.eye(16) + C @ S @ M).T @ S @ (np.eye(16) + C @ S @ M), "times that of the start"),
        (lambda S, C, M: (np.eye(16) + 1e-4 * C @ S @ M).T @ S @ (np.eye(16) + 1e-4 * C @ S @ M), "hardly moves"),
    ],
)
def test_what_is_no_cure_is_refused_with_its_reason(lab, shown, rule, words, capsys):
    course = object()
    assert lab["examined"](course)(rule) is course
    assert words in shown[-1].message and not shown[-1].correct
    assert "Until it passes: the course's my_layer" in capsys.readouterr().out


def test_other_cures_are_accepted(lab, shown):
    gentler = lambda S, C, M: lab["same_size"](lab["layer"](S, C / np.linalg.norm(C @ S @ M, 2), M, 0.5), S)
    for rule in (lab["giving_back"], gentler):
        assert lab["examined"](object())(rule) is rule and shown[-1].correct


def test_the_lab_says_what_it_computes():
    text = printed(f"labs/solutions/{TestLab.name}")
    assert "float64 ends in pass 8" in text
    after_one = re.search(
        r"after 1 passes: right in +(\d+) of 20, wrong by one in +(\d+), by ten or more in +(\d+)", text
    )
    assert int(after_one[1]) + int(after_one[2]) == 20 and after_one[3] == "0"  # ε = 1: give or take one
    late = re.search(
        r"ε = 0.1: float64 ends.*\n +after 1 passes: right in +(\d+) of 20.*by ten or more in +(\d+)", text
    )
    assert int(late[1]) <= 1 and int(late[2]) >= 10  # ε = 0.1: nearly worthless
    dimensions = {
        name: [float(a), float(b), float(c)]
        for name, a, b, c in re.findall(
            (
                r"(your cure|pre-norm|giving back): dimensions ([\d.]+) at the start, ([\d.]+) after 5 passes, "
                r"([\d.]+) after 30"
            ),
            text,
        )
    }
    assert dimensions["your cure"][1] < 1.2 and dimensions["pre-norm"][2] < 3 and dimensions["giving back"][2] > 5.5
    last = re.findall(r"^ +7 +([\d.]+) +([\d.]+) +([\d.]+) +(\d+)$", tables(f"labs/solutions/{TestLab.name}"), re.M)[0]
    assert float(last[0]) > 290 and float(last[1]) < 4.5 < float(last[2]) and last[3] == "1"
    assert re.findall(r"^β = \d+: (\d+) layers", text, re.M) == ["18", "18", "17"]  # tight: the softmax hardly matters


# ---- When a group comes apart
@pytest.mark.parametrize("seed", [105, 111, 123])
def test_the_width_of_a_tight_group_goes_as_the_formula_says(
    lab, seed
):  # 40 tokens by their true softmax, layer by layer
    angle, V = lab["unseen"](seed)
    X = lab["group"](angle, 1e-5)
    for _ in range(6):
        x, before = X.mean(0) / np.linalg.norm(X.mean(0)), lab["wide"](X)
        X = sphere_layer(X, 1.0, 0.2, V[None])
        assert lab["wide"](X) / before == pytest.approx(abs(lab["widening"](x, V, 0.2)), rel=1e-4)


def two_tokens(x, V, step, width):
    """Another right way: two tokens that look at both alike."""
    angle = np.arctan2(x[1], x[0])
    pair = np.array([[np.cos(a), np.sin(a)] for a in (angle, angle + 1e-3 * width)])
    for layers in range(100):
        if 1e3 * np.linalg.norm(pair[0] - pair[1]) >= 0.5:
            return layers
        pair = pair + step * pair.mean(0) @ V
        pair = pair / np.linalg.norm(pair, axis=1, keepdims=True)
    return 100


def all_tokens(lab, x, V, step, width):
    return lab["apart_in"](np.arctan2(x[1], x[0]), V, step, width, beta=0.3)


def test_other_forecasts_are_accepted(lab, shown):
    for rule in (two_tokens, lambda x, V, step, width: np.float64(all_tokens(lab, x, V, step, width)) + 0.4):
        assert lab["foretold"](object())(rule) is rule and shown[-1].correct


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda x, V, step, width: ..., "Your turn"),
        (lambda x, V, step, width: None, "returned nothing"),
        (lambda x, V, step, width: 1 / 0, "ZeroDivisionError"),
        (lambda x, V, step, width: V, "stopped with"),
        (lambda x, V, step, width: np.nan, "you say nan"),
        (lambda x, V, step, width: 100, "Group 1 is wider than 0.5 after 18 layers"),
        (lambda x, V, step, width: 18, "Group 2 is not wider"),
        (
            lambda x, V, step, width: (
                min(100, np.log(0.5 / width) / np.log(f)) if (f := (x @ (r := x + step * x @ V)) / (r @ r)) > 1 else 100
            ),
            "narrower: where does it go",
        ),  # it stays where it is
    ],
)
def test_forecasts_that_miss_are_refused_with_the_group(lab, shown, rule, words, capsys):
    course = object()
    assert lab["foretold"](course)(rule) is course
    assert words in shown[-1].message and not shown[-1].correct
    assert "Until it passes: the course's comes_apart" in capsys.readouterr().out
