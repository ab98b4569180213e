"""People who are too few for a promise: what is predicted is no nearer than what is known already.

It is of public numbers, so that whoever asks is told before anything is charged.
"""

from typing import Any

from tacit.trust.nonprivate import NonPrivate


def refuse_nothing_learnt(trust: Any, people: int, rmse: float, unasked: float, what: str) -> None:
    """Where something is spent.

    Args:
      rmse: the predicted one (root mean square); infinite where nothing is predicted to be found.
      unasked: how far off, at most, is what may be said without asking anybody.
      what: is off by so much, in words.

    Raises:
      ValueError: unless the former is less.
    """
    if isinstance(trust, NonPrivate) or rmse < unasked:
        return
    raise ValueError(
        f"nothing would be learnt: {what} is predicted to be off by {rmse:.3g} for {people:,} "
        f"people, and without asking anybody it is off by {unasked:.3g} at most; ask more people, "
        "or at a larger epsilon"
    )
