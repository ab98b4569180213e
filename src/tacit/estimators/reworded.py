"""What scikit-learn says of people, in words that say nothing of them.

Its refusals of text, of other objects, of numbers in one row and of complex ones quote people's
cells, whatever they are held in; those of labels that are not one for each row tell how many people
there are; and that of a missing value has remedies that look at the data. What is kept of its
sentences is listed: whatever a cell, or a later version, says is said anew.
"""

import numpy as np

WHERE = "X, and a regression's y,"
TEXT = (
    "{where} must hold numbers, got text: make it columns of declared values first, as "
    "`pandas.get_dummies` does of a `pandas.Categorical` with `categories=`"
)
COMPLEX = "X and y must hold real numbers (Complex data not supported)"
DATES = "X must hold numbers, got dates or durations: make numbers of them first"
NOT_FINITE = (
    "X must hold finite numbers, got NaN or infinity: put a number in its place that was "
    "chosen without looking at the data, e.g. the middle of the bounds"
)
# Who checks an estimator wants to hear of an argument, a string and a number.
_OBJECTS = (
    f"{WHERE} must hold numbers, got objects that are none (an argument must be no string, but a "
    "number)"
)
_NOT_EACH = (
    "y must hold one label or number for each row of X (y should be a 1d array with as many as X "
    "has rows)"
)
# By what its sentence, or NumPy's, begins with.
_SAID = {
    "could not convert": TEXT.format(where=WHERE),
    "Complex data not supported": COMPLEX,
    "Found input variables with inconsistent": _NOT_EACH,
    "y should be a 1d array": _NOT_EACH,
}
# What is about types, columns and the estimator alone.
_KEPT = (
    *("Sparse data", "np.matrix", "Expected 2D", "Found array with", "X has ", "This "),
    *("The feature names", "Feature names"),
)


class NotNumbers(ValueError, TypeError):
    """What people's cells hold, or how many there are, is refused.

    It is both: scikit-learn's own checks ask for one where a cell is an object, else for the other.
    """


def anew(error: Exception) -> str | None:
    """What is said instead; none where it may be said as it is."""
    if isinstance(error, np.exceptions.DTypePromotionError):
        return DATES
    if isinstance(error, OverflowError):
        # A whole number that no float reaches.
        return NOT_FINITE
    said = str(error)
    for its, ours in _SAID.items():
        if said.startswith(its):
            return ours
    return None if said.startswith(_KEPT) else _OBJECTS
