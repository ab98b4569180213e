"""People's rows and labels, read as arrays of numbers.

scikit-learn reads them, so a DataFrame, a list or an array will do; what it says of people is said
anew (`reworded`). What is missing, as what is masked is, has to become a number that was chosen
without them. Where the number of people is a secret, nobody is as many as any.

Digits in text are text: it would read them as numbers, and a postcode is none. Objects that are
numbers are read as numbers, which its own checks ask for.
"""

import math
import warnings
from functools import partial
from typing import Any, cast

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.accounting.relation import Relation
from tacit.estimators.reworded import (
    COMPLEX,
    DATES,
    NOT_FINITE,
    TEXT,
    WHERE,
    NotNumbers,
    anew,
)
from tacit.population.columns import refuse_one_name_twice
from tacit.population.owned import refuse_owned
from tacit.trust.people import Trust, relation_of
from tacit.unquoted import unquoted

# Rows of these types are read as they are, without a copy.
FLOATS = [np.float64, np.float32]


def labelled(
    estimator: BaseEstimator, X: Any, y: Any, trust: Trust
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels to learn from; none where `trust` keeps their number a secret.

    Raises:
      ValueError: if they are not finite rows of at least one number, with a label each, or are not
        one person each.
    """
    refuse_owned(X=X, y=y)
    _refuse_missing(y)
    rows, labels = _read(estimator, X, y, ensure_min_samples=_fewest(trust))
    # Of declared classes one sentence is said, whatever a label is.
    if getattr(estimator, "classes", None) is None:
        with warnings.catch_warnings():
            # How many labels there are beside people is about people.
            warnings.simplefilter("ignore", UserWarning)
            check_classification_targets(labels)
    return rows, labels


def measured(
    estimator: BaseEstimator, X: Any, y: Any, trust: Trust
) -> tuple[np.ndarray, np.ndarray]:
    """The same for a regression's targets."""
    refuse_owned(X=X, y=y)
    _refuse_missing(y)
    _refuse_text(y)
    fewest = _fewest(trust)
    rows, targets = _read(estimator, X, y, y_numeric=True, ensure_min_samples=fewest)
    return rows, np.asarray(targets, np.float64)


def unlabelled(
    estimator: BaseEstimator, X: Any, trust: Trust
) -> Float[np.ndarray, "people features"]:
    """Rows to learn from, without any labels; none where `trust` keeps their number a secret.

    Raises:
      ValueError: if they are not finite rows of at least one number, or are not one person each.
    """
    refuse_owned(X=X)
    return _read(estimator, X, ensure_min_samples=_fewest(trust))


def rows_of(estimator: BaseEstimator, X: Any) -> Float[np.ndarray, "people features"]:
    """Rows to predict from.

    Raises:
      NotFittedError: if nothing was learnt yet.
      ValueError: if they are not like those of the fit.
    """
    check_is_fitted(estimator)
    return _read(estimator, X, reset=False)


def _fewest(trust: Trust) -> int:
    """Of how many rows is learnt: where their number is a secret, nobody is refused for it."""
    return 0 if relation_of(trust) is Relation.ADD_REMOVE else 1


def _read(estimator: BaseEstimator, X: Any, *others: Any, **how: Any) -> Any:
    _refuse_what_is_quoted(X, *others)
    refuse_one_name_twice(X, "X")
    _refuse_text(X)
    _refuse_dates(X)
    found = unquoted(partial(_validated, estimator, X, *others, **how), NotNumbers, anew)
    rows = found[0] if others else found
    if not np.isfinite(rows).all():
        raise ValueError(NOT_FINITE)
    return found


def _validated(estimator: BaseEstimator, X: Any, *others: Any, **how: Any) -> Any:
    # Of a number that float64 does not reach nobody is warned: it is refused as infinite.
    with np.errstate(over="ignore"):
        return validate_data(
            estimator, X, *others, dtype=cast(Any, FLOATS), ensure_all_finite=False, **how
        )


def _refuse_what_is_quoted(X: Any, *others: Any) -> None:
    _refuse_no_rows(X)
    if _has_no_column(X):
        raise ValueError(
            "X must have at least one column, got 0 feature(s) (shape=(, 0)) while a minimum of 1 "
            "is required."
        )
    if any(isinstance(each, np.ndarray) and each.dtype.kind == "c" for each in (X, *others)):
        raise ValueError(COMPLEX)
    if np.ma.is_masked(X):
        raise ValueError(NOT_FINITE)


def _refuse_no_rows(X: Any) -> None:
    if _axes(X) == 1:
        raise ValueError(
            "X must hold a row for each person, got one axis (Reshape your data: X.reshape(-1, 1) "
            "if it is one feature)"
        )
    if _axes(X) == 0 or not (_axes(X) or isinstance(X, str | bytes) or _is_table(X)):
        raise ValueError(
            "X must hold a row for each person, in a table, an array or a list, got "
            f"{type(X).__name__}"
        )


def _axes(X: Any) -> int | None:
    """Of an array, a table, a column of any kind, or lists, whose rows may be of different lengths;
    None of what is none of these."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple):
        return len(shape)
    if isinstance(X, list | tuple | range):
        return np.asarray(X, object).ndim
    # Arrow's columns have no shape.
    return 1 if hasattr(X, "to_numpy") and not hasattr(X, "columns") else None


def _is_table(X: Any) -> bool:
    return hasattr(X, "__array__") or hasattr(X, "__dataframe__") or hasattr(type(X), "columns")


def _has_no_column(X: Any) -> bool:
    shape = getattr(X, "shape", None) or np.shape(X[:1] if isinstance(X, list | tuple) else ())
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] == 0


def _refuse_missing(y: Any) -> None:
    labels = np.asarray(y) if hasattr(y, "dtype") else np.asarray(y, object)
    if y is not None and (np.ma.is_masked(y) or _lacks(labels)):
        raise ValueError(
            "y must hold a label or a finite number for each person, and contains NaN, None or "
            "infinity: leave out the rows of people who have none"
        )


def _lacks(labels: np.ndarray) -> bool:
    """Whether one is missing: whole numbers, truth values and text have no sign for that.

    So labels are looked at one by one only where their type leaves it open.
    """
    if labels.dtype.kind == "f":
        return not np.isfinite(labels).all()
    return labels.dtype.kind not in "biuSU" and any(map(_is_missing, labels.flat))


def _is_missing(label: Any) -> bool:
    try:
        infinite = isinstance(label, float) and math.isinf(label)
        return label is None or infinite or bool(label != label)
    except TypeError:
        # pandas.NA is neither true nor false.
        return True


def _refuse_text(table: Any) -> None:
    """Of a DataFrame by the columns that hold it, and never by what it says."""
    framed = hasattr(table, "columns") and hasattr(table, "to_numpy")
    columns = {name: table[name] for name in table.columns} if framed else {}
    names = ", ".join(repr(name) for name, column in columns.items() if _is_text(column))
    if names or (not columns and _is_text(table)):
        raise ValueError(TEXT.format(where=f"column {names}" if names else WHERE)) from None


def _refuse_dates(table: Any) -> None:
    framed = hasattr(table, "columns") and hasattr(table, "dtypes")
    kinds = list(table.dtypes) if framed else [getattr(table, "dtype", None)]
    if any(map(_is_of_dates, kinds)):
        raise ValueError(DATES)


def _is_of_dates(kind: Any) -> bool:
    """NumPy's type, pandas' with a zone, or one of Polars."""
    polars = getattr(kind, "is_temporal", None)
    return getattr(kind, "kind", None) in ("m", "M") or (polars is not None and polars())


def _is_text(values: Any) -> bool:
    if not (hasattr(values, "__array__") or isinstance(values, list | tuple)):
        return False
    plain = np.asarray(values) if hasattr(values, "dtype") else np.asarray(values, object)
    return plain.dtype.kind in "US" or (
        plain.dtype.kind == "O" and any(isinstance(each, str | bytes) for each in plain.flat)
    )
