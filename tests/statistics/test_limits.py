"""A confidence is a chance that can be kept, and short of certain."""

from typing import Any

import numpy as np
import pytest

from tacit.statistics.limits import refuse_no_confidence


@pytest.mark.parametrize("good", [0.95, 5e-324, 1 - 2.0**-53, np.float32(0.5), np.float64(0.99)])
def test_a_confidence_lies_between_nothing_and_certainty(good: Any) -> None:
    """However near to either, in any type of number."""
    refuse_no_confidence(good)


@pytest.mark.parametrize("bad", [0, 1, 0.0, 1.0, -0.1, 95, float("nan"), float("inf")])
def test_certainty_and_what_is_no_chance_are_refused(bad: Any) -> None:
    """A percentage too, and NaN; the sentence says what is allowed and what was got."""
    with pytest.raises(ValueError, match=f"^confidence must be above 0 and below 1, got {bad}$"):
        refuse_no_confidence(bad)


@pytest.mark.parametrize("bad", ["0.95", None, True, [0.95], np.array([0.5, 0.9])])
def test_what_is_no_number_is_refused_in_the_same_words(bad: Any) -> None:
    """A word, a truth value and several numbers, none of which is compared."""
    with pytest.raises(ValueError, match=r"^confidence must be above 0 and below 1, got "):
        refuse_no_confidence(bad)
