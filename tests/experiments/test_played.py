"""Experiments on pictures: what is asked of whom, how far the server moves, and what is seen."""

import math

import numpy as np
import pytest

from experiments.tiny import STUDY, data, way
from tacit.experiments import played as experiment
from tacit.experiments.played import Learned, Prospect
from tacit.experiments.records import Held
from tacit.experiments.study import Recipe, Scale


@pytest.fixture(scope="module")
def held() -> Held:
    return data().held(way().start(None), 5)


def learned(scale: Scale, own: Recipe, direction: float, held: Held, told) -> Learned:
    known = Prospect.of(STUDY, scale, own, direction, held.model)
    return experiment.learned(STUDY, scale, own, known, held, told)


def test_trials_are_independent_looked_at_and_told_of(held):
    """Five looks a trial, and `told` of every round of both."""
    told: list[int] = []
    scale = Scale(records=5, played=4, rounds=20, trials=2)
    found = learned(scale, way(), 50.0, held, told.append)

    assert told == list(range(1, 41))
    assert found.rounds == (4, 8, 12, 16, 20) and found.accuracies.shape == (2, 5)
    assert found.numbers == 66 and found.error > 0
    assert found.rate == way().rate(found.error, 20)
    assert found.public is not None and found.public[0] <= 2.0


def test_without_privacy_the_same_people_teach_what_they_know(held):
    """All of what is left out is noise and promises."""
    found = learned(STUDY.small, way(), math.inf, held, lambda done: None)

    assert found.accuracies[0, -1] == 1.0
    assert (found.error, found.public, found.rate, found.pace) == (0.0, None, 2.0, 1.0)


def test_seeds_begin_trials(held):
    """The second trial of a seed is the first of the next."""
    scale = Scale(records=5, played=4, rounds=5, trials=2)
    both = learned(scale, way(), 10.0, held, lambda done: None)
    next_one = Scale(records=5, played=4, rounds=5, trials=1, seed=1)
    one = learned(next_one, way(), 10.0, held, lambda done: None)

    np.testing.assert_array_equal(both.accuracies[1], one.accuracies[0])


def test_the_last_look_is_at_all_there_is(held, monkeypatch):
    """Those on the way at the first of it."""
    seen: list[int] = []
    monkeypatch.setattr(experiment, "LOOKED_AT", 10)
    monkeypatch.setattr(
        experiment, "accuracy", lambda model, inputs, labels: seen.append(len(labels))
    )
    learned(STUDY.small, way(), math.inf, held, lambda done: None)

    assert seen == [10, 10, 10, 10, 100]


@pytest.mark.parametrize("wander", [0.01, 0.1, 1.0, 10.0])
def test_what_cannot_be_learned_is_known_before_anybody_is_asked(held, wander):
    """Where steps are less than a twentieth of those without privacy."""
    own = way(wander=wander)
    known = Prospect.of(STUDY, STUDY.small, own, 1.0, held.model)

    assert known.pace == known.rate / own.free
    assert known.hopeless == (20 * known.rate < own.free)
    assert known.hopeless == (wander <= 1)
