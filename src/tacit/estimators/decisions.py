"""From scores to labels: what all classifiers and regressions do once they are fitted.

Predicting reads the model and the rows it is given, nothing else: a prediction for somebody's own
row is that person's, and costs the people of the fit nothing.

One score a row is that of the second class, and decides by its sign; with more classes the largest
of their scores does.
"""

from typing import Any, cast

import numpy as np
from jaxtyping import Float, Shaped
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

Scores = Float[np.ndarray, " people"] | Float[np.ndarray, "people classes"]


def labelled(estimator: BaseEstimator, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels to learn from.

    Raises:
      ValueError: if they are not finite rows of at least one number, with a label each.
    """
    rows, labels = cast(Any, validate_data(estimator, X, y, dtype=np.float64))
    check_classification_targets(labels)
    return rows, labels


def measured(estimator: BaseEstimator, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same for a regression's targets."""
    rows, targets = cast(Any, validate_data(estimator, X, y, dtype=np.float64, y_numeric=True))
    return rows, np.asarray(targets, np.float64)


def rows_of(estimator: BaseEstimator, X: Any) -> Float[np.ndarray, "people features"]:
    """Rows to predict from.

    Raises:
      NotFittedError: if nothing was learnt yet.
      ValueError: if they are not like those of the fit.
    """
    check_is_fitted(estimator)
    return cast(np.ndarray, validate_data(estimator, X, dtype=np.float64, reset=False))


def lines(coefficients: np.ndarray, intercepts: np.ndarray | float, rows: np.ndarray) -> Scores:
    """Scores of linear models; of one model, one number a row."""
    scores = rows @ coefficients.T + intercepts
    return scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores


def chosen(classes: Shaped[np.ndarray, " classes"], scores: Scores) -> np.ndarray:
    """Each row's label."""
    places = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    return classes[places]


def chances(scores: Scores) -> Float[np.ndarray, "people classes"]:
    """The chance of each label, of scores that are log-odds."""
    if scores.ndim == 1:
        return np.column_stack([expit(-scores), expit(scores)])
    return cast(np.ndarray, softmax(scores, axis=1))
