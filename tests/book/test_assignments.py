"""Labs as assignments: learners get neither reference nor solution, hidden tests hold new cases, and these tell right from wrong."""

import ast

import numpy as np
import pytest
import torch

from course_lib.exercises import Case, Function
from tools.book import assignment_cases as cases
from tools.book import assignments


@pytest.fixture(scope="module")
def lab():
    return assignments.assignment("03_attention_by_hand", seed=5)


def parts(notebook, begin, end):
    """The code cells between raw cells that begin so."""
    found, inside = [], False
    for cell in notebook.cells:
        if cell.cell_type == "raw":
            inside = cell.source.startswith(begin) or (inside and not cell.source.startswith(end))
        elif inside:
            found.append(cell.source)
    return found


def test_learners_get_gaps_and_no_reference(lab):
    notebook, reports = lab
    solutions, tests = parts(notebook, "# BEGIN SOLUTION", "# END SOLUTION"), parts(notebook, "# BEGIN TESTS", "# END TESTS")
    assert len(solutions) == len(reports) == 4 and all(
        "# BEGIN SOLUTION NO PROMPT" in each and '""" # BEGIN PROMPT\n    return ...' in each for each in solutions
    )
    rest = [cell.source for cell in notebook.cells if cell.source not in (*solutions, *tests)]
    assert not any(
        word in each
        for each in rest
        for word in (
            "course_softmax",
            "course_weights",
            "@checked",
            "solution=",
            "ask(step",
            "predict(Ch",
            "What we found",
            "labs/solutions",
        )
    )
    assert any("words = [" in each for each in rest) and any("def turned" in each for each in rest)  # what the later cells use
    for each in [*solutions, *tests]:
        ast.parse(each)


def test_hidden_tests_pass_the_solution_and_stop_a_program_that_passes_the_public_ones(lab):
    notebook, _ = lab
    tests = [each for each in parts(notebook, "# BEGIN TESTS", "# END TESTS") if "numbers(scores(" in each]
    public, hidden = ([each for each in tests if f"hidden: {flag}" in each] for flag in ("false", "true"))
    assert len(public) == 2 and len(hidden) == 5

    def passes(function, which):
        for each in which:
            try:
                exec(each, {"scores": function})
            except AssertionError:
                return False
        return True

    assert passes(lambda Q, K: Q @ K.T / np.sqrt(Q.shape[-1]), tests)
    learned_by_heart = lambda Q, K: Q @ K.T / (2 if Q.shape[-1] == 4 else 2**0.5)  # noqa: E731
    assert passes(learned_by_heart, public) and not passes(learned_by_heart, hidden)


def exercise(reference, *args, mistakes=()):
    return Function(
        id="test",
        question="?",
        hints=["1", "2", "3"],
        solution="-",
        starter="def f(a, b):\n    return ...",
        cases=[Case(args)],
        reference=reference,
        prepare=np.array,
        mistakes=mistakes,
    )


def test_new_cases_keep_what_the_function_asks_of_its_arguments():
    product = exercise(np.dot, [[1.0, 2.0, 3.0]], [[1.0, 0.5], [2.0, 1.0], [0.0, 1.0]])
    new = cases.fresh(product, np.dot, seed=1)
    assert all(case.args[0].shape[1] == case.args[1].shape[0] for case in new) and len({case.args[1].shape for case in new}) > 1
    shares = exercise(lambda p, x: float(p @ x), [0.5, 0.25, 0.25], [1.0, 2.0, 3.0])
    assert all(case.args[0].sum() == pytest.approx(1) for case in cases.fresh(shares, lambda p, x: p @ x, seed=1))
    rng = np.random.default_rng(0)
    assert (np.linalg.eigvalsh(cases.drawn(np.eye(3), (4, 4), rng)) > 0).all() and cases.drawn(np.array([3, 5, 9]), (50,), rng).max() <= 9
    assert cases.drawn(np.array([False, True]), (30, 2), rng).any(-1).all()


def test_what_no_test_can_hold_is_refused_and_what_cannot_be_agreed_on_is_told():
    with pytest.raises(TypeError, match="cannot be written into a test"):
        cases.fresh(exercise(lambda f, x: x, len, 1.0), lambda f, x: x, seed=1)
    with pytest.raises(ValueError, match="reference and the lab's solution agree"):
        cases.fresh(exercise(lambda a, b: a + b, 1.0, 2.0), lambda a, b: a - b, seed=1)
    with pytest.raises(TypeError, match="cannot be written into a test"):
        cases.code_of([len])
    value = {"W": torch.ones(1, 2, dtype=torch.float64), "heads": [(np.eye(1), 2)], "on": True}
    back = eval(cases.code_of(value))
    assert torch.equal(back["W"], value["W"]) and back["heads"][0][1] == 2 and back["on"] is True
