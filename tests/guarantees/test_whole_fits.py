"""Whole fits in rounds: in every run both neighbours' sums are as near as the promise rests on.

The audit (`make audit`) draws what is released; here it is measured how far apart sums were, in
units of each round's noise, of which the promise is a function (`audits.likelihood`).
"""

from typing import Any

import numpy as np
import pytest

import quick_keys
from audits.whole_rounds import FITS, Fit, none

RUNS = 48
# Of sums whose terms are rounded to float32.
ROUNDED = 1 + 1e-5
each_fit = pytest.mark.parametrize("fit", FITS, ids=[fit.mechanism for fit in FITS])


def apart(fit: Fit, slip) -> np.ndarray:
    """Of so many runs."""
    return fit.heard(slip, True, quick_keys.key(1), RUNS)[1]


def most(fit: Fit) -> float:
    """What the promise allows: 1/z², or epsilon."""
    promise = fit.asked()[0].guarantees[0]
    event: Any = promise.event
    return promise.epsilon if promise.delta < 1e-9 else event.noise_multiplier**-2


@each_fit
def test_no_run_moves_sums_by_more_than_is_promised(fit: Fit):
    """And some come near, so that what is promised is not idle."""
    found = apart(fit, none)

    assert found.max() <= most(fit) * ROUNDED
    assert found.max() > most(fit) / 2


@pytest.mark.parametrize(
    "fit, name",
    [
        pytest.param(fit, name, id=f"{fit.mechanism}, {name}")
        for fit in FITS
        for name in fit.planted
    ],
)
def test_a_slip_moves_them_by_more(fit: Fit, name: str):
    """Some run at least shows it, of every slip that is planted."""
    assert apart(fit, fit.planted[name]).max() > 1.2 * most(fit)
