"""The logistic experiment, small: what theory predicts of it, and what must differ."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tacit.experiments import logistic
from tacit.experiments.logistic import METHODS, POINTS, Size, curves, most_likely, plan_of

PUBLISHED, OURS = METHODS
SMALL = Size(people=2_000, dim=20, signal=3.0, repetitions=24, seed=5)


@pytest.fixture(scope="module")
def ours() -> logistic.Curves:
    return curves(SMALL, OURS, 8.0)


def test_our_gap_is_the_predicted_one(ours):
    """The quadratic's, within a fifth: 24 gaps of 20 degrees each spread by 7%."""
    assert ours.predicted is not None
    assert ours.gaps[:, -1].mean() == pytest.approx(ours.predicted, rel=0.2)
    assert ours.gaps.shape == (24, POINTS) and ours.distances.shape == (24,)


def test_repetitions_differ_and_are_never_worse_than_zero(ours):
    """Our last weights begin at zero and are never trusted beyond tau; the mean gap falls with
    every tenth of the people."""
    assert len(np.unique(ours.gaps[:, -1])) == SMALL.repetitions
    assert (np.diff(ours.gaps.mean(axis=0)[4::5]) < 0).all()
    assert ours.gaps[:, -1].max() < SMALL.law.gap_at_zero


def test_the_published_rule_ends_above_ours(ours):
    """With the same people, in half of the repetitions."""
    published = curves(replace(SMALL, repetitions=12), PUBLISHED, 8.0)

    assert published.gaps[:, -1].mean() > 1.5 * ours.gaps[:12, -1].mean()


def test_without_privacy_a_gap_is_near_the_maximum_likelihoods():
    """Whose own is d/2N; one pass that begins near the truth is a little below."""
    best, one_pass = most_likely(SMALL), curves(SMALL, OURS, math.inf)

    assert best.gaps.mean() == pytest.approx(best.predicted, rel=0.35)
    assert one_pass.gaps[:, -1].mean() == pytest.approx(one_pass.predicted, rel=0.2)
    assert 0.7 * best.gaps.mean() < one_pass.gaps[:, -1].mean() < 1.3 * best.gaps.mean()


def test_a_run_is_a_function_of_its_setting_and_is_told_of(ours):
    """The same again; `told` hears of the last person."""
    heard: list[int] = []
    again = curves(SMALL, OURS, 8.0, heard.append)

    np.testing.assert_array_equal(again.gaps, ours.gaps)
    assert heard[-1] == SMALL.people and heard == sorted(heard)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_devices_keep_the_local_budget(method):
    """Of everything one person sends, which is one report."""
    for epsilon in (7.8, 62.5):
        assert 0 < plan_of(SMALL, method, epsilon).device.facts.epsilon <= epsilon


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"people": 1_001}, "people must be a multiple of 50, got 1001"),
        ({"people": 0}, "people must be a multiple of 50, got 0"),
        ({"dim": 4}, "dim 5 or more"),
        ({"repetitions": 0}, "a repetition"),
        ({"signal": math.nan}, "a positive signal"),
        ({"seed": 2**32}, r"seed must be .* from 0 and below 2\^32, got 4294967296"),
        ({"seed": 2**63}, r"below 2\^32, got 9223372036854775808"),
        ({"seed": -1}, r"below 2\^32, got -1"),
    ],
)
def test_what_is_no_experiment_is_refused(asked, said):
    """When the setting is made."""
    with pytest.raises(ValueError, match=said):
        Size(**asked)
    assert Size(seed=2**32 - 1).seed == 2**32 - 1
