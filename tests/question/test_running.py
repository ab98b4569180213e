"""Running sums: over how many rounds noise may be correlated."""

import numpy as np
import pytest

from tacit.contribution import Interval, OneHot, Product
from tacit.question.participation import Cyclic, Everyone, Once
from tacit.question.running import Running
from tacit.question.sums import Mean

UNIT = Interval(0.0, 1.0)
SUMS = Mean(UNIT, Once(), 4, 10)


@pytest.mark.parametrize("count", [0, 5, 1.5, "1", None, True])
def test_bands_are_a_count_of_rounds(count):
    """A whole number, at most as many as there are rounds."""
    with pytest.raises(ValueError, match=f"bands must be from 1 to 4, .* got {count!r}"):
        Running(SUMS, count)


def test_a_numpy_count_is_kept_as_pythons():
    """The same to a ledger that writes it down."""
    assert int is type(Running(SUMS, np.int8(2)).bands)


@pytest.mark.parametrize(("who", "rounds"), [(Once(), 4), (Cyclic(2), 2), (Everyone(), 1)])
def test_a_person_returns_after_a_pass(who, rounds):
    """Over so many rounds noise may be correlated, and over no more."""
    sums = Mean(UNIT, who, 4, 10)

    assert rounds == Running(sums, rounds).separation
    with pytest.raises(ValueError, match=f"bands must be from 1 to {rounds}, "):
        Running(sums, rounds + 1)


def test_several_shapes_are_refused():
    """A sum over rounds is of one."""
    with pytest.raises(ValueError, match="running sums are of one shape, got a Product"):
        Running(Mean(Product(UNIT, OneHot(2)), Once(), 4, 10), 1)
