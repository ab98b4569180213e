"""Whom people trust, as an estimator is told: which trust models a method knows."""

from typing import get_args

from tacit.trust.aggregated import Aggregated
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Curated, Trust
from tacit.trust.shuffled import Shuffled

CURATED = get_args(Curated)
# Squares and products are not summed under masks.
OF_SQUARES = (Central, Local, Shuffled, Federated, NonPrivate)
EVERY = (*OF_SQUARES, Aggregated)


def declared_trust(trust: Trust | None, allowed: tuple[type, ...]) -> Trust:
    """The trust that was declared.

    Raises:
      ValueError: if none was, or none of those `allowed`.
    """
    if trust is None:
        raise ValueError("trust must be declared, e.g. tacit.Central(1.0, 1e-6)")
    if not isinstance(trust, allowed):
        names = ", ".join(kind.__name__ for kind in allowed)
        raise ValueError(f"trust must be one of {names}, got {type(trust).__name__}")
    return trust
