"""Noise by share: as plans of such rounds have it."""

import pytest

import tacit
from tacit.question.uneven import Uneven
from tacit.statistics.shares import ShareNoise


@pytest.mark.parametrize(
    "trust, power",
    [
        (tacit.Central(1.0, 1e-6), 0.5),
        (tacit.Central(1.0, 0.0), 1.0),
        (tacit.NonPrivate(), 0.0),
    ],
)
def test_noise_grows_with_its_own_power(trust, power):
    """Of Gaussian noise, pure noise and none; of shares that no plan was made of."""

    def plan(shares):
        return trust.plan(
            Uneven(tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), len(shares), 50), shares)
        )

    found = ShareNoise.of(plan, 3)

    assert found.power == pytest.approx(power, abs=1e-3)
    if power > 0:
        shares = (0.1, 0.9)
        assert found.at(shares) == pytest.approx(plan(shares).server.deviations, rel=1e-3)
    else:
        assert found.at((0.1, 0.9)) == (0.0, 0.0)
