"""A linear classifier by rounds: of everybody, or of a batch; at the rate foreseen to be best."""

import math

import numpy as np
import pytest

import tacit
from estimators.people_like_these import BOUNDS, CURATOR, names, rows
from tacit.estimators import SGDClassifier
from tacit.estimators.settings import GradientRounds
from tacit.question.participation import Everyone, Fixed

X = rows(400)
LABELS = names(X)
TOLD = {"bounds": BOUNDS, "classes": ["no", "yes"], "people": len(X), "seed": 0}


@pytest.mark.parametrize("batch, who", [(None, Everyone()), (40, Fixed(40)), (400, Everyone())])
def test_a_batch_of_all_is_everybody(batch, who):
    """And a smaller one is drawn; a hundred rounds by themselves."""
    asked = SGDClassifier(CURATOR, batch=batch, **TOLD).plan(3).plan.sums

    assert (asked.participation, asked.rounds) == (who, 100)


@pytest.mark.parametrize("classes, longest", [(2, math.sqrt(5)), (3, math.sqrt(10))])
def test_gradients_are_cut_at_half_of_the_longest_unless_a_clip_is_given(classes, longest):
    """What is cut is what noise is scaled to."""
    told = TOLD | {"classes": list(range(classes))}
    own, given = (SGDClassifier(CURATOR, clip=clip, **told).plan(3) for clip in (None, 0.3))

    assert own.plan.question.contribution.radius == pytest.approx(longest / 2)
    assert given.plan.question.contribution.radius == 0.3


def test_a_plan_is_the_fits_and_says_what_is_foreseen():
    """The rate that is foreseen to be best; nothing is foreseen of one that is given."""
    model = SGDClassifier(CURATOR, rounds=3, **TOLD)
    before, fitted = model.plan(3), model.fit(X, LABELS)
    given = SGDClassifier(CURATOR, rounds=3, rate=0.5, **TOLD).plan(3)

    assert before.plan == fitted.plan_ == given.plan
    assert before.foreseen == fitted.settings_.lost and given.foreseen is None
    assert isinstance(fitted.settings_, GradientRounds) and fitted.settings_.rounds == 3
    assert f"at rate {fitted.settings_.rate:.3g}" in before.way and "at rate 0.5" in given.way
    assert "as is foreseen to lose least" in before.way and "foreseen" not in given.way


def test_more_noise_is_gone_through_more_slowly():
    """By public numbers alone."""
    rates = []
    for epsilon in (0.5, 50.0):
        model = SGDClassifier(tacit.Central(epsilon, 1e-6), **TOLD)
        known = model.plan(3).way
        rates.append(float(known.split("at rate ")[1].split(",")[0]))

    assert rates[0] < rates[1] and np.isfinite(rates).all()
