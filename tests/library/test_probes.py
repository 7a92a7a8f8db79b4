"""A logistic probe against NumPy's gradient descent, and the contexts against one sentence at a time."""

import numpy as np
import torch

from course_lib.probes import contexts, guesses, read_back
from course_lib.recurrent import RNNencdec
from course_lib.text.vocabulary import Vocabulary
from tests.shared.refusals import named
from tests.shared.seeded import F64, seeded


def test_guesses_are_softmax_regression():
    """Against plain gradient descent in NumPy, far from 0 and on two scales, so that the constant and the spread
    decide."""
    generator = seeded()
    X, Z = (
        torch.tensor([3.0, 30.0]) + torch.randn(count, 2, generator=generator, **F64) * torch.tensor([1.0, 10.0])
        for count in (60, 200)
    )
    labels = 7 + torch.randint(0, 3, (60,), generator=generator)  # names that are no places
    mean, spread = X.mean(0).numpy(), X.std(0).numpy()
    A, B = (np.hstack([(each.numpy() - mean) / spread, np.ones((len(each), 1))]) for each in (X, Z))
    Y, W = np.eye(3)[labels.numpy() - 7], np.zeros((3, 3))
    for _ in range(3000):
        p = np.exp(A @ W)
        W -= 0.5 * (A.T @ (p / p.sum(1, keepdims=True) - Y) / 60 + 2 * 0.05 * W)
    assert guesses(X, labels, Z, penalty=0.05).tolist() == (7 + (B @ W).argmax(1)).tolist()


def test_what_is_read_stands_beside_the_commonest_word():
    X = torch.eye(4, **F64).repeat(5, 1)
    known = torch.tensor([3, 5, 5, 6]).repeat(5)
    assert read_back(X, known, torch.eye(4, **F64), torch.tensor([3, 5, 5, 5])) == (0.75, 0.75)
    assert read_back(X, known, torch.eye(4, **F64), torch.tensor([3, 5, 6, 6])) == (0.75, 0.25)


def test_contexts_do_not_depend_on_the_batch():
    vocabulary = Vocabulary(["a", "b", "c"])
    model = RNNencdec(len(vocabulary), 5, 3, 4, **F64)
    sentences = [["a", "b", "c"], ["c"], ["b", "a"]]
    together = contexts(model, vocabulary, sentences)
    for row, sentence in zip(together, sentences, strict=True):
        expected = model.encode(torch.tensor([vocabulary.encode(sentence)])).C[0]
        torch.testing.assert_close(row, expected, rtol=0, atol=1e-12)


test_errors_name_the_argument = named(
    (
        lambda: guesses(torch.zeros(3, 2), torch.zeros(2, dtype=torch.int64), torch.zeros(1, 2)),
        "labels must be of size 3",
    ),
    (lambda: guesses(torch.zeros(3, 2), torch.zeros(3, dtype=torch.int64), torch.zeros(1, 4)), "Z must be of size 2"),
    (lambda: contexts(None, None, []), "sentences must be one sentence or more"),
)
