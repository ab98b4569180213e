"""Local reports of squares: a matrix comes back, unbiased, with a ball's own error."""

import jax
import numpy as np
import pytest

import quick_keys
import tacit
from measured import answers, bias, deviation
from tacit.device.choose import device_for

ROWS = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [-0.5, 0.5, 0.0], [0.25, 0.25, 0.25]])
TOTAL = ROWS.T @ ROWS
LOUD = tacit.Central(20.0, 1e-5, tacit.Relation.REPLACE_ONE)


def asked(trust, who=tacit.Everyone(), people=4) -> tacit.Plan:
    return trust.plan(tacit.Mean(tacit.Outer(3, 1.0), who, 1, people))


@pytest.mark.parametrize("trust", [tacit.Local(3.0), tacit.Federated(40.0, LOUD)])
def test_reports_are_of_squares_and_unbiased(trust):
    """In the mean over runs it is the people's own matrix, symmetric, no farther than planned; and
    not one whose numbers off the diagonal are longer or shorter by the root of two."""
    plan, runs = asked(trust), 20_000

    assert bias(plan, ROWS, runs, 0, TOTAL) < 5.5
    for times in (2**0.5, 2**-0.5):
        assert bias(plan, ROWS, runs, 0, TOTAL * np.where(np.eye(3), 1, times)) > 5.5
    assert deviation(plan, ROWS, runs, 0, total=TOTAL) < 5
    drawn = answers(plan, ROWS, 10, 1)
    assert np.array_equal(drawn, np.swapaxes(drawn, 1, 2)) and drawn.shape == (10, 3, 3)


def test_squares_come_back_as_they_were_sent():
    """A sum of them is the people's own matrix; each is as long as its vector's square, or cut to
    the radius's; what is none is zero."""
    own = device_for(tacit.Outer(3, 1.0), 1.0)
    odd = np.array([[3.0, 0.0, 4.0], [np.nan, 1.0, 0.0]])
    terms = np.concatenate([ROWS, odd]).astype(np.float32)
    sent, known = jax.jit(own.compressed)(quick_keys.key(0), np.arange(6, dtype=np.uint32), terms)
    back = jax.jit(own.lifted)(quick_keys.key(0), sent[:4].sum(axis=0))

    assert known is None
    np.testing.assert_allclose(back, TOTAL, atol=1e-6)
    squares = [*np.square(ROWS).sum(axis=1), 1.0, 0.0]
    np.testing.assert_allclose(np.linalg.norm(sent, axis=1), squares, atol=1e-6)


def test_the_error_is_that_of_a_ball_of_all_squares():
    """Six numbers for three, of the radius squared; at two lengths four times as long."""
    wide = device_for(tacit.Outer(3, 2.0), 1.0).facts
    ball = device_for(tacit.Ball(6, 4.0), 1.0).facts

    assert wide == ball and wide.report_bits == 6 * 32
    shuffled = asked(tacit.Shuffled(1.0, 1e-6), tacit.Once(), 10_000)
    assert shuffled.error == shuffled.device.facts.worst_error / 10_000


def test_what_devices_cannot_report_is_refused():
    """A product with squares in it, and few bytes of them; the sentence says what to do."""
    both = tacit.Product(tacit.Outer(3, 1.0), tacit.Interval(0.0, 1.0))
    with pytest.raises(ValueError, match="put a constant into its vector"):
        tacit.Local(1.0).plan(tacit.Mean(both, tacit.Everyone(), 1, 4))
    with pytest.raises(ValueError, match="an upload limit is for a Ball or Sphere, got Outer"):
        asked(tacit.Local(1.0, upload=4))
