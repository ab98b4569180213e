"""Events as flat multisets, and the pairs of event and relation that are proved."""

import math
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, SelfComposedDpEvent

from tacit.accounting.composition import Parts, parts, total_multiplier
from tacit.accounting.events import (
    composed,
    gaussian,
    group,
    k_norm,
    local,
    permute_and_flip,
    poisson,
    repeated,
    shuffled,
    sparse_vector,
    without_replacement,
    zcdp,
)
from tacit.accounting.relation import Relation


def test_nests_are_flattened() -> None:
    """Any grouping of the same releases is the same multiset."""
    inner = poisson(0.1, gaussian(2))
    nested = repeated(composed([repeated(inner, 3), local(1), inner]), 5)
    assert parts(nested, Relation.ADD_REMOVE) == {inner: 20, local(1): 5}


def test_integer_multipliers_are_one_kind() -> None:
    """An event made elsewhere with an int multiplier is the float event."""
    foreign = SelfComposedDpEvent(GaussianDpEvent(1), 7)
    assert parts(foreign, Relation.ADD_REMOVE) == {gaussian(1): 7}


def test_releases_on_one_cohort_add_up_before_sampling() -> None:
    """Four Gaussian releases of multiplier 2 on one cohort are one of multiplier 1."""
    event = poisson(0.1, repeated(gaussian(2), 4))
    assert parts(event, Relation.ADD_REMOVE) == {poisson(0.1, gaussian(1)): 1}


def test_multipliers_combine_by_inverse_squares() -> None:
    """The classic 3-4-5 triangle: multipliers 1/3 and 1/4 make 1/5."""
    total = total_multiplier(parts(composed([gaussian(1 / 3), gaussian(1 / 4)]), Relation.ZERO_OUT))
    assert math.isclose(1 / 5, total, rel_tol=1e-15)


def test_one_for_several_is_no_wider_than_they_are() -> None:
    """The largest float whose inverse square is at least the sum of theirs, exactly."""
    random = np.random.default_rng(3)
    for noises in random.uniform(0.3, 30, (50, 3)):
        several = Parts({GaussianDpEvent(float(each)): 7 for each in noises})
        found = Fraction(total_multiplier(several))
        asked = sum(7 / Fraction(float(each)) ** 2 for each in noises)
        more = Fraction(math.nextafter(float(found), math.inf))
        assert found**2 * asked <= 1 < more**2 * asked
    assert 1.0 == total_multiplier(Parts({GaussianDpEvent(2.0): 4}))
    assert 0.3 == total_multiplier(Parts({GaussianDpEvent(0.3): 1}))


def test_repeated_gaussians_are_as_many() -> None:
    """Sixteen of multiplier 4 are one of multiplier 1."""
    total = total_multiplier(parts(repeated(gaussian(4), 16), Relation.ADD_REMOVE))
    assert math.isclose(1, total, rel_tol=1e-15)


def test_a_group_is_flattened_to_what_it_costs() -> None:
    """Three people move a sum three times as far, and spend three pure epsilons."""
    event = composed([group(3, gaussian(6)), group(3, local(1)), group(1, gaussian(6))])
    assert parts(event, Relation.ADD_REMOVE) == {gaussian(2): 1, local(3): 1, gaussian(6): 1}


def test_a_group_may_be_released_again_and_again() -> None:
    """In rounds and beside others, each time for the group; never inside a sample."""
    event = repeated(composed([group(2, gaussian(6)), repeated(group(2, local(1)), 4)]), 3)
    assert parts(event, Relation.ADD_REMOVE) == {gaussian(3): 3, local(2): 12}
    sampled = poisson(0.1, group(2, gaussian(6)))
    with pytest.raises(ValueError, match="around a sample, not inside one"):
        parts(repeated(sampled, 3), Relation.ADD_REMOVE)


def test_sampling_everyone_is_not_sampling() -> None:
    """Poisson sampling at rate 1 is the plain release."""
    assert parts(poisson(1, gaussian(3)), Relation.ADD_REMOVE) == {gaussian(3): 1}


@pytest.mark.parametrize(
    ("event", "relation", "allowed"),
    [
        (poisson(0.1, gaussian(1)), Relation.REPLACE_ONE, "add/remove or zero-out"),
        (without_replacement(9, 3, gaussian(1)), Relation.ADD_REMOVE, "replace-one"),
        (without_replacement(9, 3, gaussian(1)), Relation.ZERO_OUT, "replace-one"),
        (shuffled(1, 9), Relation.ADD_REMOVE, "replace-one or zero-out"),
    ],
)
def test_unproved_pairs_are_refused_by_name(event, relation, allowed) -> None:
    """The refusal names the relations that are allowed."""
    with pytest.raises(ValueError, match=f"under {allowed} only"):
        parts(repeated(event, 2), relation)


@pytest.mark.parametrize("event", [zcdp(0.1), composed([local(1), gaussian(1)]), shuffled(1, 9)])
def test_samples_hold_what_a_theorem_covers(event) -> None:
    """A zCDP bound, a mixture or a shuffled pass inside a sample is refused."""
    with pytest.raises(ValueError, match="a sample holds"):
        parts(poisson(0.1, event), Relation.ADD_REMOVE)


def test_pure_mechanisms_are_one_kind() -> None:
    """K-norm, sparse vector and permute-and-flip are accounted as any pure event."""
    event = composed([k_norm(1.0), sparse_vector(1.0), permute_and_flip(1.0), local(1.0)])
    assert parts(event, Relation.ADD_REMOVE) == {local(1.0): 4}
