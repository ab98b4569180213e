"""What comes back of a report: the smaller of two bounds, each right for every device."""

import dataclasses

import pytest

from tacit.contribution import Ball
from tacit.device.choose import Split, devices_for
from tacit.device.few_numbers import Compressing, Returned
from tacit.device.upload import within
from tacit.mechanisms.local.projection import RandomProjection

WAY, RADIUS = RandomProjection(200, 16), 2.0
DEVICES = [
    each
    for budget in (2.0, 40.0, Split(20.0, 4.0))
    for each in devices_for(Ball(16, RADIUS, typical=0.5), budget)
]


@pytest.mark.parametrize("device", DEVICES)
def test_an_error_is_that_of_the_second_moment_on_its_way_back(device):
    """At every norm below the radius it is below the worst; at the typical one it is exact."""
    own, less = device.facts, WAY.kappa
    back = WAY.returned(own.along)
    stated = Returned(WAY, own, less)
    for norm in (0.0, 0.5, 1.0, 1.7, 2.0):
        error = device.mechanism.error(norm)
        assert error + norm**2 <= own.second_moment * (1 + 1e-9)
        assert (error + norm**2) * back - norm**2 * less <= stated.worst(RADIUS) * (1 + 1e-9)

    typical = device.mechanism.error(0.5) + 0.25
    assert stated.at(0.5) == pytest.approx(typical * back - 0.25 * less)
    assert stated.at(None) is None
    assert Returned(WAY, dataclasses.replace(own, typical_error=None), less).at(0.5) is None


def test_rounds_know_which_devices_compress():
    """By their methods: whole reports do not."""
    whole, short = within(Ball(4, 1.0), 16)[0], within(Ball(64, 1.0), 16)[0]
    device = devices_for(Ball(4, 1.0), 3.0)[0]

    assert not isinstance(whole.around(device), Compressing)
    assert isinstance(short.around(device), Compressing)
