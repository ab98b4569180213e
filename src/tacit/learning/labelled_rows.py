"""Rows and labels as linear models hold them: with a constant, and as the loss takes them."""

import numpy as np
from jaxtyping import Float, Int

from tacit.solve.losses import Loss

Rows = Float[np.ndarray, "people features"]
Labels = Int[np.ndarray, " people"]


def signed(labels: Labels, loss: Loss) -> Float[np.ndarray, " people"]:
    """Numbers of classes as a loss takes them: -1 and 1 for one score, else themselves."""
    return (labels if loss.outputs else 2 * labels - 1).astype(np.float32)


def with_constant(rows: Rows) -> Float[np.ndarray, "people with_constant"]:
    """Rows as populations hold them, and the constant 1 after them, for the intercept."""
    made = np.ones((len(rows), rows.shape[1] + 1), np.float32)
    made[:, :-1] = rows
    return made


def labelled(
    rows: Rows, labels: Float[np.ndarray, " people"]
) -> Float[np.ndarray, "people with_label"]:
    """Each person's row, the constant, and their label, as `classifiers.minimum_of` is asked."""
    made = np.ones((len(rows), rows.shape[1] + 2), np.float32)
    made[:, :-2], made[:, -1] = rows, labels
    return made
