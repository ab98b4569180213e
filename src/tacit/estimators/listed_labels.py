"""A list of labels as an array: of one kind, as it was written, and none of them missing."""

import math
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any

import numpy as np
from jaxtyping import Shaped

from tacit.argument import got

# What is in an array of NumPy's, by its type; anything else is numbers.
_KINDS = {"U": "text", "S": "text", "T": "text", "O": "objects"}


def labels_in(classes: Any) -> Shaped[np.ndarray, " labels"]:
    """The labels of a list, a set or an array.

    Raises:
      ValueError: if it is none of these, or labels are of text and numbers, or one is missing.
    """
    each = list(classes) if isinstance(classes, AbstractSet) else classes
    try:
        named = np.asarray(each)
    except ValueError:
        # Lists of different lengths.
        named = np.empty((0, 0))
    if not named.ndim == 1:
        raise ValueError(
            f"classes must be a list or a set of labels, e.g. classes=[0, 1], got {got(classes)}"
        )
    _refuse_mixed(list(each))
    return named


def of_another_kind(classes: np.ndarray, labels: np.ndarray) -> str:
    """Said where these are text and those numbers: by the arrays' types, so that no label tells."""
    ours, theirs = (_KINDS.get(each.dtype.kind, "numbers") for each in (classes, labels))
    if ours == theirs or "numbers" not in (ours, theirs):
        return ""
    return f"; classes are {ours} and labels are {theirs}, and the text '1' is not the number 1"


def _refuse_mixed(labels: list[Any]) -> None:
    # Of text and numbers together NumPy makes text; what is missing has no place in an order.
    kinds = {isinstance(label, str) for label in labels}
    if len(kinds) > 1 or any(map(_is_missing, labels)):
        raise ValueError(
            "classes must be all text or all numbers, and none of them missing, got "
            f"{', '.join(map(got, labels))}"
        )


def _is_missing(label: Any) -> bool:
    nan = isinstance(label, Real) and math.isnan(label)
    return label is None or nan or type(label).__name__ in ("NAType", "NaTType")
