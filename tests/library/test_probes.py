"""A linear probe against numpy's least squares, and the contexts against one sentence at a time."""

import numpy as np
import pytest
import torch

from course_lib.probes import contexts, guesses
from course_lib.recurrent import RNNencdec
from course_lib.text.vocabulary import Vocabulary
from tests.shared.seeded import F64, seeded


def test_guesses_are_ridge_regression():
    generator = seeded()
    X, Z = (3 + torch.randn(count, 5, generator=generator, **F64) for count in (40, 200))  # far from 0: the constant decides
    labels = torch.randint(0, 3, (40,), generator=generator)
    # the penalty as five more rows (and one for the constant) of a plain least-squares fit
    A = np.vstack([np.hstack([X.numpy(), np.ones((40, 1))]), np.sqrt(0.3) * np.eye(6)])
    Y = np.vstack([np.eye(3)[labels.numpy()], np.zeros((6, 3))])
    W = np.linalg.lstsq(A, Y, rcond=None)[0]
    expected = (np.hstack([Z.numpy(), np.ones((200, 1))]) @ W).argmax(1)
    assert guesses(X, labels, Z, penalty=0.3).tolist() == expected.tolist()


def test_contexts_do_not_depend_on_the_batch():
    vocabulary = Vocabulary(["a", "b", "c"])
    model = RNNencdec(len(vocabulary), 5, 3, 4, **F64)
    sentences = [["a", "b", "c"], ["c"], ["b", "a"]]
    together = contexts(model, vocabulary, sentences)
    for row, sentence in zip(together, sentences, strict=True):
        expected = model.encode(torch.tensor([vocabulary.encode(sentence)])).C[0]
        torch.testing.assert_close(row, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: guesses(torch.zeros(3, 2), torch.zeros(2, dtype=torch.int64), torch.zeros(1, 2)), "labels must be of size 3"),
        (lambda: guesses(torch.zeros(3, 2), torch.zeros(3, dtype=torch.int64), torch.zeros(1, 4)), "Z must be of size 2"),
        (lambda: contexts(None, None, []), "sentences must be one sentence or more"),
    ],
)
def test_errors_name_the_argument(call, words):
    with pytest.raises(ValueError, match=words):
        call()
