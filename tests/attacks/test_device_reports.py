"""What devices send to an attack, and what their promise leaves to be found."""

import math

import jax
import numpy as np
import pytest

import quick_keys
import tacit
from tacit.accounting.theorems.reconstruction import after
from tacit.attacks.device_reports import allowed, device_of, seen
from tacit.device.few_numbers import Compressing

UPDATES = jax.random.normal(quick_keys.key(0), (3, 8))


def test_without_a_promise_updates_are_sent_as_they_are():
    """And everything is allowed."""
    device = device_of(tacit.NonPrivate(), 8)

    np.testing.assert_array_equal(device.sample(quick_keys.key(1), UPDATES), UPDATES)
    assert allowed(device, -1e6) == 1.0


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_under_a_promise_all_of_it_is_spent_on_one_direction(epsilon):
    """Reports are of one length; a guess becomes likelier by the promised epsilon, and no more."""
    device = device_of(tacit.Local(epsilon), 8)
    lengths = np.linalg.norm(device.sample(quick_keys.key(1), UPDATES), axis=1)

    assert lengths == pytest.approx(np.full(3, lengths[0]), rel=1e-5)
    assert after(-9.0, 0.99 * epsilon) < allowed(device, -9.0) <= after(-9.0, epsilon)
    assert math.isclose(device.facts.epsilon, epsilon, rel_tol=1e-3)


@pytest.mark.parametrize("upload", [2, 32])
def test_under_a_limit_of_bytes_reports_are_seen_as_the_server_opens_them(upload):
    """As an index or in fewer numbers: on average along their update, at length one."""
    update = np.ones(64) / 8
    device = device_of(tacit.Local(12.0, upload), 64)
    sent = np.asarray(seen(device, quick_keys.key(3), np.tile(7 * update, (300, 1))))
    along, across = sent @ update, sent @ (update * np.tile([1, -1], 32))

    assert isinstance(device, Compressing) and sent.shape == (300, 64)
    assert along.mean() == pytest.approx(1.0, abs=5 * along.std() / 300**0.5)
    assert abs(across.mean()) < 5 * across.std() / 300**0.5 < along.mean() / 2
