"""What an experiment is: plans of the declared people, rates, and scales that are none."""

import math

import optax
import pytest

from experiments.tiny import STUDY, way
from tacit.experiments.study import Scale


def test_models_are_looked_at_five_times_and_after_the_last_round():
    """At even distances."""
    assert STUDY.small.looks == (4, 8, 12, 16, 20)


def test_a_plan_promises_the_server_both_parts_of_a_report_and_the_public_its_own():
    """Of the declared people, whoever plays."""
    plan = STUDY.plan(66, 20, 50.0)
    public = next(p for p in plan.guarantees if p.observer == "public")

    assert plan.sums.people == 10**5 and plan.sums.cohort == 1000
    assert plan.device.facts.epsilon <= 60.0
    assert 0 < public.epsilon <= 2.0 and public.delta <= 1e-6
    assert STUDY.plan(66, 20, math.inf).guarantees == ()


@pytest.mark.parametrize("error", [0.01, 1.0, 100.0])
def test_noise_of_all_rounds_moves_weights_by_no_more_than_wander(error):
    """And no rate is above the one without privacy, which is had without noise."""
    rate = way().rate(error, 25)

    assert rate <= 2.0 and rate * math.sqrt(25 * error) <= 3.0 * (1 + 1e-12)
    assert rate == 2.0 or rate * math.sqrt(25 * error) == pytest.approx(3.0)
    assert way().rate(0.0, 25) == 2.0


SERVERS = {
    "sgd": lambda: optax.sgd(1.0),
    "shorter": lambda: optax.sgd(0.999),
    "momentum": lambda: optax.sgd(1.0, momentum=0.5),
    "looking ahead": lambda: optax.sgd(1.0, momentum=0.5, nesterov=True),
    "later": lambda: optax.sgd(optax.linear_schedule(1.0, 0.5, 10, 90)),
    "adam": lambda: optax.adam(1.0),
    "first": lambda: optax.adam(1.0, b1=0.89),
    "second": lambda: optax.adam(1.0, b2=0.998),
    "least": lambda: optax.adam(1.0, eps=2e-8),
    "decay": lambda: optax.adamw(1.0, weight_decay=1e-4),
    "clipped": lambda: optax.chain(optax.clip(2000.0), optax.sgd(1.0)),
    "of all": lambda: optax.chain(optax.clip_by_global_norm(2000.0), optax.sgd(1.0)),
}


def test_ways_are_told_apart_by_what_their_server_does():
    """Optimisers that differ in one number do, and one that is made again is the same."""
    found = {name: way(optimizer=made()).numbers for name, made in SERVERS.items()}
    again = {name: way(optimizer=made()).numbers for name, made in SERVERS.items()}

    assert found == again and len(set(found.values())) == len(SERVERS)
    assert all(each in STUDY.numbers for each in (way().numbers, "led to"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"played": 0}, "played must be at least 1, got 0"),
        ({"records": 0}, "records must be at least 1, got 0"),
        ({"trials": -1}, "trials must be at least 1, got -1"),
        ({"rounds": 7}, "rounds must be a multiple of 5, got 7"),
        ({"rounds": 0}, "rounds must be a multiple of 5, got 0"),
    ],
)
def test_a_scale_that_plays_nothing_is_refused(changed, said):
    """By the name of the number."""
    with pytest.raises(ValueError, match=said):
        Scale(**{"records": 5, "played": 4, **changed})
