"""What a simulation is asked for is an experiment, with a whole number as its seed."""

import math

import numpy as np
import pytest

import tacit
from tacit.noise import keys
from tacit.simulation import Experiment
from tacit.simulation.experiment import refuse_no_experiments, whole_seed
from tacit.statistics.answers import Answers

PLAN = tacit.NonPrivate().plan(tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 9))


@pytest.mark.parametrize("seed", [0, 0.0, np.int64(0), np.uint8(0), np.float32(0)])
def test_equal_seeds_are_one_number(seed):
    """Python's own, which has one text."""
    assert whole_seed(seed) == 0 and type(whole_seed(seed)) is int
    assert Experiment(PLAN, Answers(1), seed).root() == keys.from_seed(0)


@pytest.mark.parametrize("seed", ["a", 1.5, True, -1, 2**64, math.nan])
def test_what_is_no_whole_number_is_no_seed(seed):
    """By its name."""
    for use in (whole_seed, lambda given: Experiment(PLAN, Answers(1), given).root()):
        with pytest.raises(ValueError, match="seed must be a whole number from 0 and below"):
            use(seed)


def test_without_a_seed_no_two_keys_are_alike():
    """They are of the operating system's entropy."""
    asked = Experiment(PLAN, Answers(1), whole_seed(None))

    assert asked.root() != asked.root()


@pytest.mark.parametrize(
    "other, got",
    [((PLAN, Answers(1)), "tuple"), (PLAN, "Plan"), (None, "None"), (Experiment, "Experiment")],
)
def test_what_is_no_experiment_is_refused(other, got):
    """Wherever it stands among them; the sentence says what one is."""
    refuse_no_experiments([Experiment(PLAN, Answers(1), None)])
    with pytest.raises(ValueError, match=rf"an Experiment\(plan, learner, seed\).*got {got}"):
        refuse_no_experiments([Experiment(PLAN, Answers(1), 1), other])
