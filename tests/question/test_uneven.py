"""Rounds of uneven shares: what is said of them, and what is refused."""

import pytest

import tacit
from tacit.question.uneven import Uneven
from tacit.question.words import in_words

SUMS = tacit.Mean(tacit.Ball(2, 1.0), tacit.Everyone(), 3, 50)


def test_shares_are_parts_of_the_whole():
    """Any positive numbers will do; what is kept adds up to one."""
    assert (0.25, 0.25, 0.5) == Uneven(SUMS, [1, 1, 2]).shares
    assert (0.2, 0.4, 0.4) == Uneven(SUMS, (1, 2, 2)).shares
    assert SUMS is Uneven(SUMS, (1, 1, 2)).sums


def test_the_question_is_said_in_words():
    """With its shares, for the ledger and the page."""
    said = "means of shares 0.25, 0.25, 0.5 of 2 numbers of L2 norm at most 1, of 50 people"

    assert in_words(Uneven(SUMS, (1, 1, 2))).startswith(said)


@pytest.mark.parametrize(
    "shares", [(), (1,), (1, 2, 0), (1, 2, -1), (1, 2, float("nan")), (1, 2, "3"), 3, "abc"]
)
def test_shares_that_are_none_are_refused(shares):
    """One positive number for each round."""
    with pytest.raises(ValueError, match="shares must be 3 positive numbers, one for each round"):
        Uneven(SUMS, shares)


def test_a_share_that_is_next_to_nothing_is_refused():
    """Its noise would be infinite; of large shares and of small ones none is."""
    for shares in [(1e-320, 1e300, 1), (1, 1, 1e12 * 1.01), (5e-324, 1, 1)]:
        with pytest.raises(ValueError, match="no share may be below 1e-12 of the largest, got"):
            Uneven(SUMS, shares)
    for each in (1.7e308, 5e-324, 3, 1 / 3):
        assert Uneven(SUMS, (each,) * 3).shares == pytest.approx((1 / 3,) * 3)


def test_other_cohorts_shapes_and_sums_are_refused():
    """Shares are proved for everybody, in one shape."""
    some = tacit.Mean(tacit.Ball(2, 1.0), tacit.Poisson(0.5), 3, 50)
    both = tacit.Product(tacit.Ball(2, 1.0), tacit.Interval(0.0, 1.0))
    for sums, sentence in [
        (some, r"ask Everyone\(\), got Poisson"),
        (tacit.Mean(both, tacit.Everyone(), 3, 50), "one shape, got a Product"),
        (3, "sums must be a Mean, got 3"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            Uneven(sums, (1, 1, 1))


@pytest.mark.parametrize("trust", [tacit.Local(1.0), tacit.Shuffled(1.0, 1e-6)])
def test_devices_report_alike_in_all_rounds(trust):
    """Where they alone randomise, shares would say nothing."""
    once = tacit.Mean(tacit.Ball(2, 1.0), tacit.Everyone(), 3, 50)
    with pytest.raises(ValueError, match="its shares are even: ask Mean, or Uneven under Central"):
        trust.plan(Uneven(once, (1, 2, 3)))
