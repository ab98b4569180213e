"""Noise stays within its reach as often as stated, by the exact law, and no shorter reach would do.

Plans have very fine grids, where no law can be enumerated; here the same mechanisms have coarse
ones.
"""

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import binom, norm

import tacit
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.additive.staircase import Staircase
from tacit.server.means import NoisyMean
from tacit.server.reach import noise_reach, reach, sums_reach

REPLACE = tacit.Relation.REPLACE_ONE
PAIR = tacit.Mean(tacit.L1Ball(2, 1.0), tacit.Everyone(), 1, 1000)
NUMBER = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 1, 1000)
WEIGHTS = [(1.0, 0.0), (0.8, -0.2), (0.5, -0.5), (0.500001, 0.499999), (0.3, 0.7), (2.0,)]


def noisy(mechanism, question=PAIR):
    """A plan with this noise."""
    plan = tacit.Central(1.0, 0.0).plan(question)
    return dataclasses.replace(plan, server=NoisyMean(mechanism, 1000.0, 2, 0.0))


def laplace_tail(noise, weights, t):
    """P(|<w, k>| > t) by enumeration, of two independent numbers."""
    most = math.ceil(25 / noise.noise.parameter)
    k = np.arange(-most, most + 1)
    mass = np.exp(-noise.noise.parameter * np.abs(k))
    mass /= mass.sum()
    a, b = (*weights, 0.0)[:2]
    far = np.abs(a * k[:, None] + b * k) * noise.step > t
    return float(mass @ far @ mass)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("chance", [0.3, 0.05, 1e-3])
def test_laplace_noise_is_within_its_reach(weights, chance):
    """Exactly, for one number and for two; a tenth less, and what a grid takes, is too short."""
    noise = Laplace.calibrate(1.0, 1.0, 2.0**-4)
    far = reach(noisy(noise), chance, weights)

    assert laplace_tail(noise, weights, far) <= chance
    assert laplace_tail(noise, weights, 0.9 * far - 4 * noise.step) > chance


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 6.0])
@pytest.mark.parametrize("chance", [0.3, 0.05, 1e-4])
def test_staircase_noise_is_within_its_reach(epsilon, chance):
    """Exactly; one step less is too short."""
    noise = Staircase.least_squares(epsilon, 1.0, 2.0**-5)
    b, most = math.exp(-epsilon), 40 * math.ceil(32 / epsilon)
    k = np.abs(np.arange(-most, most + 1))
    stair = np.where(k < noise.floor, 0, 1 + (k - noise.floor) // noise.width)
    mass = b**stair
    mass /= mass.sum()
    far = reach(noisy(noise), chance)

    assert mass[k * noise.step > far].sum() <= chance + 1e-12
    assert mass[k * noise.step > far - 1.001 * noise.step].sum() > chance


@pytest.mark.parametrize("weights", WEIGHTS)
def test_gaussian_noise_is_within_its_reach(weights):
    """That of a normal number and half a step: the step is at most 1/1024 of the deviation."""
    noise = Gaussian(4.0, 1.0, 2.0**-10)
    normal = 4.0 * math.hypot(*weights) * norm.isf(0.025)

    assert normal <= reach(noisy(noise), 0.05, weights) <= normal * 1.001


SUMS = np.array([[1.0, 0.0, 0.0], [0.5, -0.5, 0.25], [-0.2, 0.9, 0.1]])
LARGEST = np.array([0.25, 0.5, 1.0])


def several(server):
    """How far a server moves several sums, and how far each by itself."""
    norms = np.linalg.norm(SUMS, axis=1), np.abs(SUMS).sum(axis=1)
    alone = [noise_reach(server, 0.05, tuple(row[row != 0])) for row in SUMS]
    return sums_reach(server, 0.05, *norms, LARGEST), np.array(alone)


def test_of_several_sums_each_has_its_own_reach_where_noise_is_gaussian():
    """Exactly that of its weights by themselves."""
    found, alone = several(NoisyMean(Gaussian(4.0, 1.0, 2.0**-10), 1000.0, 3, 0.0))

    np.testing.assert_allclose(found, alone, rtol=1e-6)


def test_of_several_sums_none_is_moved_farther_than_the_largest_weights_let_it():
    """Laplace noise: all have one reach, that of the largest weights and of no others."""
    server = NoisyMean(Laplace.calibrate(1.0, 1.0, 2.0**-8), 1000.0, 3, 0.0)
    found, alone = several(server)

    assert found.tolist() == [noise_reach(server, 0.05, tuple(LARGEST))] * 3
    assert np.all(alone < found)


def test_sums_without_weights_are_not_moved():
    """Nor is any sum where nothing is added; noise that is not known is refused."""
    server = NoisyMean(Laplace.calibrate(1.0, 1.0, 2.0**-8), 1000.0, 3, 0.0)
    plain, stairs = tacit.NonPrivate().plan(PAIR).server, Staircase.least_squares(1.0, 1.0, 2.0**-5)

    for noise, most in ((server, np.zeros(3)), (plain, np.ones(3))):
        assert sums_reach(noise, 0.05, most, most, most).tolist() == [0.0] * 3
    with pytest.raises(ValueError, match="no interval is proved"):
        several(NoisyMean(stairs, 1000.0, 3, 0.0))


def test_reports_are_within_their_reach():
    """One-bit reports of people in the middle, exactly; not farther than Bennett's 1.4 normals."""
    plan = tacit.Local(0.5).plan(NUMBER)
    far = reach(plan, 0.05)
    size = plan.device.facts.report_set.upper
    chance = binom.sf((far / size + 1000) / 2, 1000, 0.5)
    normal = math.sqrt(1000 * plan.device.facts.worst_error) * norm.isf(0.025)

    assert 2 * chance <= 0.05 and normal < far < 1.42 * normal


def test_noise_on_reports_reaches_farther_than_either():
    """The two halves of the chance are both paid."""
    public = tacit.Central(1.0, 1e-6, REPLACE)
    both = reach(tacit.Federated(4.0, public).plan(NUMBER), 0.05)

    assert both > reach(tacit.Local(4.0).plan(NUMBER), 0.05)
    assert both > reach(public.plan(NUMBER), 0.05)


def test_no_noise_reaches_nowhere():
    """And what no sampler can be trusted with reaches everywhere."""
    assert reach(tacit.NonPrivate().plan(NUMBER), 0.05) == 0
    assert reach(tacit.Central(1.0, 1e-6).plan(PAIR), 1e-60) == math.inf


def test_a_plan_of_unknown_noise_is_refused():
    """Rather than given an interval that nobody proved."""
    ball = tacit.Mean(tacit.Ball(5, 1.0), tacit.Everyone(), 1, 1000)
    cube = tacit.Mean(tacit.Cube(2, -1.0, 1.0), tacit.Everyone(), 1, 1000)
    for plan in (tacit.Local(1.0).plan(ball), tacit.Central(1.0, 0.0).plan(cube)):
        with pytest.raises(ValueError, match="no interval is proved"):
            reach(plan, 0.05)
