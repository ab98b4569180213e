"""What a classifier is told of its rows before there are any: all that its plan is made of.

Its tests, codes and tables follow from bounds, classes, thresholds and categories, which are
declared and public. So its plan is the one that a fit would charge for.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tacit.estimators.asking import asked_under
from tacit.estimators.declared import Box, box_before, classes_of
from tacit.estimators.fit_plan import PublicNumbers, columns_told, told
from tacit.trust.people import Trust


class PublicRows(NamedTuple):
    """What is public of rows and labels: declared, or where nothing is promised as they are."""

    trust: Trust
    people: int
    box: Box
    names: Sequence[str] | None
    classes: np.ndarray

    @property
    def numbers(self) -> PublicNumbers:
        return PublicNumbers(self.trust, len(self.box.lower), self.people)


def before_rows(
    asking: Any, features: int | Sequence[str], people: int | None, allowed: tuple[type, ...]
) -> PublicRows:
    """What an estimator was told of its rows.

    Args:
      asking: the estimator.
      features: how many columns, or their names.
      people: how many there are, if the estimator was not told.
      allowed: the trust models that it knows.

    Raises:
      ValueError: if bounds, classes, people or trust were not declared, or are not of their kind.
    """
    trust = asked_under(asking, allowed)
    many, own = told(features, people, asking.people, trust)
    if asking.classes is None:
        raise ValueError("classes must be declared before there are labels, e.g. classes=[0, 1]")
    classes = classes_of(asking.classes, np.empty(0), trust)
    box, names = box_before(asking.bounds, many), columns_told(features)[1]
    return PublicRows(trust, own, box, names, classes)
