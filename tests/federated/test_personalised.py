"""Personal models: local steps by hand, judged on other records, spread over people."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.federated import Epochs, GradientSteps, Personalised, ProximalPoint
from tacit.federated.personalised import every_other
from tacit.learning.evaluation import Evaluation

PEOPLE, PLACES = 9, 6
RNG = np.random.default_rng(0)
OWN = RNG.normal(size=(PEOPLE, 1)) + 0.1 * RNG.normal(size=(PEOPLE, PLACES))
RECORDS = OWN.astype(np.float32)
PRESENT = np.arange(PLACES) < np.array([0, 1, 2, 3, 4, 5, 6, 6, 6])[:, None]
MODEL = jnp.float32(0.25)


def squared(model, person):
    """Half the mean squared distance of a model from a person's records."""
    records, present = person
    apart = jnp.where(present, model - records, 0.0)
    return jnp.sum(apart**2) / 2 / jnp.maximum(1, jnp.sum(present))


def by_hand(steps: int, rate: float) -> tuple[list, list]:
    """Each person's half squared distance, before and after, of those with two records or more."""
    before, after = [], []
    for records, present in zip(RECORDS.astype(float), PRESENT, strict=True):
        held = records[present]
        learnt, judged = held[::2], held[1::2]
        if len(judged):
            model = float(MODEL)
            before.append(np.mean((model - judged) ** 2) / 2)
            for _ in range(steps):
                model -= rate * (model - learnt.mean())
            after.append(np.mean((model - judged) ** 2) / 2)
    return before, after


@pytest.mark.parametrize("steps", [1, 4])
def test_each_person_is_judged_on_records_that_their_steps_did_not_see(steps):
    """Descent on every other record by hand; people with fewer than two records do not count."""
    found = Personalised(squared, GradientSteps(steps, 0.3), squared)(MODEL, (RECORDS, PRESENT))
    before, after = by_hand(steps, 0.3)

    assert len(before) == 7 == len(found.after)
    np.testing.assert_allclose(found.before, before, rtol=1e-4)
    np.testing.assert_allclose(found.after, after, rtol=1e-4, atol=1e-6)
    assert np.mean(found.after) < np.mean(found.before)


def test_every_rule_of_devices_has_a_rate_that_brings_its_way_back():
    """Epochs in one batch are steps, and a proximal point lies between start and optimum."""
    people = RECORDS[-3:], PRESENT[-3:]
    steps, epochs, proximal = (
        Personalised(squared, rule, lambda model, person: model)(MODEL, people).after
        for rule in (GradientSteps(2, 0.3), Epochs(2, PLACES, 0.3), ProximalPoint(40, 0.3))
    )
    means = np.array([own[::2].mean() for own in RECORDS[-3:]])

    np.testing.assert_allclose(steps, epochs, rtol=1e-5)
    np.testing.assert_allclose(proximal, (0.25 + 0.3 * means) / 1.3, rtol=1e-4)


def test_every_other_record_held_is_learnt_from():
    """Whatever places they lie in; nobody's record is in both parts."""
    present = jnp.array([False, True, False, True, True, False, True])
    learnt, judged, counts = every_other((jnp.arange(7), present))

    assert counts and not every_other((jnp.arange(2), jnp.array([True, False])))[2]
    np.testing.assert_array_equal(learnt[1], [0, 1, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(judged[1], [0, 0, 0, 1, 0, 0, 1])


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.0])
def test_a_quantile_is_one_of_the_peoples_numbers(share):
    """The smallest that so many people are at or below; it is a measure of an evaluation."""
    personal = Personalised(squared, GradientSteps(1, 0.3), squared)
    people = RECORDS, PRESENT

    class Plain:
        def released(self, state):
            return state

    seen = Evaluation(Plain(), {"spread": personal.quantile(share)}, public=people)
    seen(1, MODEL)
    after = np.sort(personal(MODEL, people).after)

    assert seen.history[0].values["spread"] == after[max(0, math.ceil(share * 7) - 1)]


def test_a_model_that_diverged_for_somebody_is_the_worst_there_is():
    """It is not left out of the tail."""
    personal = Personalised(squared, GradientSteps(1, 0.3), lambda model, person: jnp.log(model))
    measure = personal.quantile(1.0)

    assert measure(MODEL, (RECORDS, PRESENT)) == math.inf
    assert np.isnan(personal(MODEL, (RECORDS, PRESENT)).after).any()


def test_what_has_no_quantile_is_refused():
    """No share of people, or nobody to be judged."""
    personal = Personalised(squared, GradientSteps(1, 0.3), squared)
    with pytest.raises(ValueError, match=r"from 0 to 1, got 1\.5"):
        personal.quantile(1.5)
    with pytest.raises(ValueError, match="at least one person must have records"):
        personal.quantile(0.5)(MODEL, (RECORDS[:2], PRESENT[:2]))
