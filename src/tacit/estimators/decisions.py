"""From scores to labels: what all classifiers and regressions do once they are fitted.

Predicting reads the model and the rows it is given, nothing else: a prediction for somebody's own
row is that person's, and costs the people of the fit nothing.

One score a row is that of the second class, and decides by its sign; with more classes the largest
of their scores does.
"""

from typing import cast

import numpy as np
from jaxtyping import Float, Shaped
from scipy.special import expit, log_softmax, softmax

from tacit.estimators.declared import Box
from tacit.solve.passes import blocks

Scores = Float[np.ndarray, " people"] | Float[np.ndarray, "people classes"]


def lines(coefficients: np.ndarray, intercepts: np.ndarray | float, rows: np.ndarray) -> Scores:
    """Scores of linear models; of one model, one number a row."""
    scores = rows @ coefficients.T + intercepts
    return scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores


def lines_within(
    box: Box, coefficients: np.ndarray, intercepts: np.ndarray | float, rows: np.ndarray
) -> Scores:
    """The same of rows as a fit reads them: block by block, since clipped they are a copy."""
    parts = blocks(slice(0, len(rows)), rows.shape[1])
    return np.concatenate(
        [lines(coefficients, intercepts, box.clipped(rows[each])) for each in parts]
    )


def chosen(classes: Shaped[np.ndarray, " classes"], scores: Scores) -> np.ndarray:
    """Each row's label."""
    places = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    return classes[places]


def chances(scores: Scores) -> Float[np.ndarray, "people classes"]:
    """The chance of each label, of scores that are log-odds."""
    if scores.ndim == 1:
        return np.column_stack([expit(-scores), expit(scores)])
    return cast(np.ndarray, softmax(scores, axis=1))


def log_chances(scores: Float[np.ndarray, "people classes"]) -> Float[np.ndarray, "people classes"]:
    """Their logarithms, of a score for each label."""
    return cast(np.ndarray, log_softmax(scores, axis=1))
