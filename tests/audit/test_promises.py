"""What promises allow to be told apart, and what chances show."""

import math

import numpy as np
import pytest
from scipy.stats import laplace, norm

import tacit
from tacit.audit.promises import EpsilonDelta, PlanPromise, likelier, most_found, shown

RATES = np.linspace(0.001, 0.999, 99)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_laplace_noise_reaches_what_its_epsilon_allows(epsilon):
    """At rates of false alarms in either tail; nowhere more."""
    found = laplace.sf(laplace.isf(RATES) - epsilon)
    allowed = np.array([EpsilonDelta(epsilon).most_found(each) for each in RATES])

    assert np.all(found <= allowed + 1e-12)
    assert found[0] == pytest.approx(allowed[0]) and found[-1] == pytest.approx(allowed[-1])


def test_a_delta_is_allowed_to_be_told_apart_without_a_false_alarm():
    """And to miss nobody at all, with so many fewer false ones."""
    promise = EpsilonDelta(1.0, 0.1)

    assert promise.most_found(0.0) == pytest.approx(0.1)
    assert promise.most_found(0.9) == pytest.approx(1.0)


def test_a_plan_allows_its_noise_s_curve_and_not_its_epsilon_s():
    """Gaussian noise, to a thousandth and never below; an epsilon of one with its delta allows
    three times as much at one false alarm in a hundred."""
    plan = tacit.Central(1.0, 1e-6).plan(
        tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 9)
    )
    mu = 1 / (plan.server.facts.noise or math.nan)
    curve, allowed = norm.sf(norm.isf(0.01) - mu), PlanPromise(plan).most_found(0.01)

    assert 0 <= allowed - curve < 1e-3 and allowed == most_found(plan, 0.01)
    assert EpsilonDelta(1.0, 1e-6).most_found(0.01) > 1.4 * allowed


def test_nothing_that_is_promised_cannot_be_audited():
    """There is no plan to break."""
    question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 9)
    with pytest.raises(ValueError, match="nothing to be audited"):
        PlanPromise(tacit.NonPrivate().plan(question))
    assert most_found(tacit.NonPrivate().plan(question), 0.0) == 1.0


def test_chances_show_their_ratio_less_the_delta():
    """Of alarms, and of silence, whichever is more; nothing where a promise of zero allows them."""
    half, tenth = np.array(0.5), np.array(0.1)

    assert float(shown(half, tenth, 0.0)) == pytest.approx(math.log(5))
    assert float(shown(1 - tenth, half, 0.0)) == pytest.approx(math.log(5))
    assert float(shown(half, tenth, 0.2)) == pytest.approx(math.log(3))
    assert float(shown(tenth, half, 0.0)) == 0.0
    assert float(likelier(tenth, half, 0.2)) == -math.inf


@pytest.mark.parametrize("wrong", [(-1.0,), (math.inf,), (math.nan,), (1.0, 1.0), (1.0, -0.1)])
def test_other_promises_are_refused(wrong):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match="must be"):
        EpsilonDelta(*wrong)
