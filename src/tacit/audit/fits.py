"""An estimator's fit as a function of data and a seed, and the data that are worst for it.

All that a fit learns is numbers in attributes that end with an underscore; what it foresaw ends so,
too, and is the same on any data. The estimator itself is not fitted: a copy is
for every run, with no ledger, so that nobody is charged.
"""

import warnings
from typing import Any

import jax
import numpy as np
from jaxtyping import Float
from sklearn.base import clone

from tacit.argument import got
from tacit.audit.many_runs import Audited
from tacit.audit.neighbouring import Neighbours, neighbours
from tacit.estimators.listed_labels import labels_in
from tacit.trust.people import relation_of

# What everybody may know: labels and columns that were declared, the plan and its receipt; and
# remarks, which are sentences about what is learnt.
DECLARED = "classes_", "feature_names_in_", "plan_", "receipt_", "remarks_"
_NUMBERS = float | np.ndarray | np.generic | jax.Array


def fitting(estimator: Any) -> Audited:
    """Fits a copy to data, rows or (rows, labels), and answers every number that it learnt.

    Raises:
      ValueError: when it is called, if a fit learns nothing, or other than numbers.
    """

    def fitted(data: Any, seed: int) -> Float[np.ndarray, " numbers"]:
        own: Any = clone(estimator)
        own.set_params(seed=seed, ledger=None)
        with warnings.catch_warnings():
            # These people are few on purpose.
            warnings.simplefilter("ignore", UserWarning)
            return learnt(own.fit(*(data if isinstance(data, tuple) else (data,))))

    return fitted


def learnt(fitted: Any) -> Float[np.ndarray, " numbers"]:
    """Every number that a fit left, in the order of their names: of lists, tuples, models and what
    else holds arrays each by itself. Whole numbers alone are counts of columns; in arrays they are
    learnt.

    Raises:
      ValueError: if there is none.
    """
    left = {name: each for name, each in vars(fitted).items() if name.endswith("_")}
    kept = [left[name] for name in sorted(left) if name not in DECLARED]
    numbers = [np.ravel(each) for each in jax.tree.leaves(kept) if isinstance(each, _NUMBERS)]
    learnt_numbers = [each.astype(np.float64) for each in numbers if each.dtype.kind in "fiu"]
    if not learnt_numbers:
        raise ValueError(f"a {type(fitted).__name__} must have learnt numbers, got none")
    return np.concatenate(learnt_numbers)


def fit_neighbours(estimator: Any, people: int, columns: int = 1) -> Neighbours:
    """Neighbours of its bounds, classes and trust: a canary with the last class, or a target that
    is as far out of its bounds as its row, among people of the first, or at the lower bound.

    Args:
      estimator: with its `bounds`, and `classes` or `target_bounds` if it has labels.
      people: how many there are besides the canary.
      columns: of a row.

    Raises:
      ValueError: if one of these was left out, or is not of its kind.
    """
    own, relation = estimator.get_params(), relation_of(estimator.trust)
    if relation is None:
        raise ValueError("trust must promise something, got NonPrivate")
    # Where rows are cut to a length, nobody declares bounds.
    bounds = own.get("bounds", (0.0, 1.0))
    rows = neighbours(people, columns, bounds=bounds, relation=relation)
    if "classes" in own:
        _refuse_undeclared(estimator, "classes")
        known = np.unique(labels_in(own["classes"]))
        return _labelled(rows, known[0], known[-1])
    if "target_bounds" in own:
        _refuse_undeclared(estimator, "target_bounds")
        targets = neighbours(people, bounds=own["target_bounds"], relation=relation)
        return Neighbours(*zip(rows, targets, strict=True))
    return rows


def _refuse_undeclared(estimator: Any, name: str) -> None:
    declared = estimator.get_params()[name]
    if not (isinstance(declared, list | tuple | set | np.ndarray) and len(declared) >= 2):
        kind = type(estimator).__name__
        raise ValueError(f"{name} of {kind} must be two or more, got {got(declared)}")


def _labelled(rows: Neighbours, others: Any, canary: Any) -> Neighbours:
    """The last of the longer data set has a label of their own; a replaced canary's is others'."""
    both, places = np.asarray([others, canary]), [np.zeros(len(each), int) for each in rows]
    places[0][-1] = 1
    labels = [both[each] for each in places]
    return Neighbours(*zip(rows, labels, strict=True))
