"""Rows and labels as linear models hold them."""

import numpy as np

from tacit.learning.labelled_rows import labelled, signed, with_constant
from tacit.solve.losses import Logistic, Multinomial

ROWS = np.array([[3.0, 4.0], [0.3, -0.4]], np.float32)


def test_labels_are_as_the_loss_takes_them():
    """-1 and 1 of one score, their own numbers of more."""
    assert signed(np.array([0, 1]), Logistic()).tolist() == [-1.0, 1.0]
    assert signed(np.array([0, 2]), Multinomial(3)).tolist() == [0.0, 2.0]


def test_the_constant_is_last_and_a_label_after_it():
    """As populations hold them: float32."""
    made, whole = with_constant(ROWS), labelled(ROWS, np.array([1.0, -1.0]))

    assert made.dtype == whole.dtype == np.float32
    np.testing.assert_array_equal(made, np.column_stack([ROWS, np.ones(2)]))
    np.testing.assert_array_equal(whole, np.column_stack([ROWS, np.ones(2), [1, -1]]))
