"""Reports of few bits a number: unbiased levels, their error, and how far a report moves."""

import math

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
from tacit.contribution import Ball
from tacit.device.choose import device_for
from tacit.device.coded import Coded

DIM, TRIALS = 64, 4_000
DEVICE = device_for(Ball(DIM, 2.0), 6.0)
BITS = [3, 4, 8]


def reports() -> np.ndarray:
    """Of the longest norm there is: one number, two, and all alike."""
    bound = DEVICE.facts.report_set.bound
    return bound * np.stack([np.eye(DIM)[3], -np.eye(DIM)[:2].sum(0) / 2**0.5, np.full(DIM, 1 / 8)])


def rounded(coded: Coded, each: np.ndarray) -> np.ndarray:
    """One report again and again."""
    many = np.tile(each, (TRIALS, 1)).astype(np.float32)
    return np.asarray(again(coded, quick_keys.key(3), many), np.float64)


@eqx.filter_jit
def again(coded: Coded, key, sent):
    return coded.level(coded.numbers(key, sent))


@pytest.mark.parametrize("bits", BITS)
def test_a_number_is_one_of_so_many_levels(bits):
    """Symmetric about zero; the last is the longest report."""
    coded = Coded.best(DEVICE, bits)
    spread = jnp.linspace(-1, 1, 2_000)[:, None] * DEVICE.facts.report_set.bound
    numbers = np.asarray(coded.numbers(quick_keys.key(0), spread))
    most = 2 ** (bits - 1) - 1

    assert set(np.unique(numbers)) <= set(range(-most, most + 1))
    assert numbers.min() == -most and numbers.max() == most
    assert coded.level(jnp.float32(most)) == pytest.approx(DEVICE.facts.report_set.bound, 1e-5)
    assert coded.facts.report_bits == bits * DIM


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("which", range(3))
def test_the_mean_is_the_report_and_the_error_within_its_bound(bits, which):
    """In every number; nearest levels instead would be biased by many standard errors."""
    coded, report = Coded.best(DEVICE, bits), reports()[which]
    found = rounded(coded, report)
    apart = np.abs(found.mean(0) - report) - 2e-6 * np.abs(report).max()
    errors = np.sum((found - report) ** 2, axis=1)

    assert np.all(apart <= 5 * found.std(0) / math.sqrt(TRIALS))
    assert errors.mean() <= coded.rounding * (1 + 1e-4)
    assert np.linalg.norm(found, axis=1).max() <= coded.facts.report_set.bound


def test_the_bound_of_the_error_is_near_it():
    """Within the two thirds that a number somewhere between two levels has of the middle's."""
    coded = Coded.best(DEVICE, 8)
    drawn = np.asarray(DEVICE.sample(quick_keys.key(1), jnp.ones((TRIALS, DIM)) / 4))
    error = np.mean(np.sum((np.asarray(again(coded, quick_keys.key(2), drawn)) - drawn) ** 2, 1))

    assert 0.55 * coded.rounding < error < coded.rounding


def test_eight_bits_cost_a_thousandth_and_four_a_quarter():
    """Of the squared norm of a report of a thousand numbers."""
    device = device_for(Ball(1_024, 1.0), 8.0)
    square = device.facts.second_moment
    costs = [Coded.best(device, bits).rounding / square for bits in (8, 4)]

    assert costs[0] < 1e-3 and 0.05 < costs[1] < 0.25


def test_a_limit_of_bits_costs_error_and_no_privacy():
    """Everything stated moves by the rounding; the budget and the blanket do not."""
    coded = Coded.best(DEVICE, 8)
    own, facts = DEVICE.facts, coded.facts

    assert (facts.epsilon, facts.blanket, facts.along) == (own.epsilon, own.blanket, own.along)
    assert facts.worst_error == own.worst_error + coded.rounding
    assert facts.second_moment == own.second_moment + coded.rounding
    assert own.report_set.bound < facts.report_set.bound < 1.1 * own.report_set.bound
