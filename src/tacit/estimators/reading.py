"""People's rows and labels, read as arrays of numbers.

scikit-learn reads them, so a DataFrame, a list or an array will do. Four of its refusals are said
anew: those of text, of numbers in one row and of complex ones, which quote people's cells, and that
of a missing value, whose remedies look at the data. What is missing has to become a number that was
chosen without them.
"""

from typing import Any, cast

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

# Rows of these types are read as they are, without a copy.
FLOATS = [np.float64, np.float32]


def labelled(estimator: BaseEstimator, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels to learn from.

    Raises:
      ValueError: if they are not finite rows of at least one number, with a label each.
    """
    rows, labels = _read(estimator, X, y)
    check_classification_targets(labels)
    return rows, labels


def measured(estimator: BaseEstimator, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same for a regression's targets."""
    rows, targets = _read(estimator, X, y, y_numeric=True)
    return rows, np.asarray(targets, np.float64)


def rows_of(estimator: BaseEstimator, X: Any) -> Float[np.ndarray, "people features"]:
    """Rows to predict from.

    Raises:
      NotFittedError: if nothing was learnt yet.
      ValueError: if they are not like those of the fit.
    """
    check_is_fitted(estimator)
    return _read(estimator, X, reset=False)


def _read(estimator: BaseEstimator, X: Any, *others: Any, **how: Any) -> Any:
    _refuse_what_is_quoted(X, *others)
    try:
        found = validate_data(
            estimator, X, *others, dtype=cast(Any, FLOATS), ensure_all_finite=False, **how
        )
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise ValueError(f"{_where(X)} must hold numbers, got text: encode it first") from None
    rows = found[0] if others else found
    if not np.isfinite(rows).all():
        raise ValueError(
            "X must hold finite numbers, got NaN or infinity: put a number in its place that was "
            "chosen without looking at the data, e.g. the middle of the bounds"
        )
    return found


def _refuse_what_is_quoted(X: Any, *others: Any) -> None:
    if isinstance(X, np.ndarray | list | tuple) and np.asarray(X, object).ndim == 1:
        raise ValueError(
            "X must hold a row for each person, got one axis (Reshape your data: X.reshape(-1, 1) "
            "if it is one feature)"
        )
    if any(isinstance(each, np.ndarray) and each.dtype.kind == "c" for each in (X, *others)):
        raise ValueError("X and y must hold real numbers (Complex data not supported)")


def _where(X: Any) -> str:
    """What holds text; of a DataFrame the columns whose type is that of no number."""
    kinds = {name: np.asarray(X[name]).dtype.kind for name in getattr(X, "columns", ())}
    names = ", ".join(repr(name) for name, kind in kinds.items() if kind not in "biuf")
    return f"column {names}" if names else "X, and a regression's y,"
