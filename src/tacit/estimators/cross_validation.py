"""Cross-validation that is paid for as a whole, or not begun.

k folds are k fits, and k releases. scikit-learn's own `cross_val_score` fits until the ledger
refuses, and has NaN for the folds that were left: some are charged, and there is no answer. Here
every fold's fit is rehearsed first, on its own rows and with a ledger that only notes what is
asked; all of them fit the people's accounts together, or nothing is charged.

The scores are looks at the people held out, without any noise, that no ledger is charged for.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from jaxtyping import Float
from sklearn import model_selection
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable

from tacit.ledger.ledger import Charge, OverBudget, opened
from tacit.ledger.rehearsal import rehearsed

Split = tuple[np.ndarray, np.ndarray]


def cross_val_score(
    estimator: BaseEstimator,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Float[np.ndarray, " folds"]:
    """The score of every fold, as scikit-learn's function of this name has it.

    Args:
      estimator: one of `tacit.estimators`, or a pipeline that ends in one; something that fits
        several times itself, like `GridSearchCV`, is foreseen as its first fit.
      X, y, groups: the people, as of scikit-learn's.
      scoring, cv, n_jobs, verbose: as of scikit-learn's. A fold that fails raises.

    Raises:
      OverBudget: if the ledger has too little left for all fits together; nothing is charged then.
      ValueError: if a fit would be refused; nothing is charged then.
    """
    X, y, groups = indexable(X, y, groups)
    folds = cast(Any, check_cv(cv, y, classifier=is_classifier(estimator)))
    splits = list(folds.split(X, y, groups))
    _refuse_unaffordable(estimator, X, y, splits)
    return model_selection.cross_val_score(
        estimator,
        X,
        y,
        scoring=scoring,
        cv=splits,
        n_jobs=n_jobs,
        verbose=verbose,
        error_score=cast(Any, "raise"),
    )


def _refuse_unaffordable(estimator: BaseEstimator, X: Any, y: Any, splits: Sequence[Split]) -> None:
    held = estimator.get_params()
    place = _ledger_in(held)
    if place is None:
        # Every fit then has accounts of its own.
        return
    asked = [_charges(estimator, place, X, y, train) for train, _ in splits]
    population = held[place.removesuffix("ledger") + "population"]
    try:
        opened(held[place]).refuse_overspending(population, asked)
    except OverBudget as error:
        raise OverBudget(
            f"each of {len(splits)} folds is a fit that is charged: {error}"
        ) from error


def _ledger_in(held: Mapping[str, Any]) -> str | None:
    """The parameter that is a ledger; None if there is none."""
    named = [name for name in held if name == "ledger" or name.endswith("__ledger")]
    places = [name for name in named if held[name] is not None]
    if len(places) > 1:
        raise ValueError(f"one estimator may have a ledger, got {', '.join(places)}")
    return places[0] if places else None


def _charges(
    estimator: BaseEstimator, place: str, X: Any, y: Any, train: np.ndarray
) -> tuple[Charge, ...]:
    """Of a fit of these rows, whose ledger stands in this place."""
    rows, labels = _safe_indexing(X, train), None if y is None else _safe_indexing(y, train)
    fit = cast(Any, clone(estimator))
    return rehearsed(lambda book: fit.set_params(**{place: book}).fit(rows, labels))
