"""gamma_2 is between its bounds, which are near one another."""

import numpy as np
import pytest

from tacit.queries import dyadic, gamma2
from tacit.question.composed_workloads import Kronecker
from tacit.question.workloads import Prefix, Queries


def test_it_is_between_near_bounds():
    """Of 1,024 thresholds, 2.9615; below that of a tree, and of the answers themselves."""
    found = gamma2(Prefix(1024))

    assert found.lower == pytest.approx(2.9615, abs=1e-4)
    assert found.lower <= found.upper <= 1.001 * found.lower
    assert found.upper < dyadic(1024).norm / 3 < np.sqrt(1024)


def test_products_multiply_and_repeats_do_not():
    """A million pairs of thresholds in no time; a query asked nine times."""
    one, both = gamma2(Prefix(64)), gamma2(Kronecker(Prefix(64), Prefix(64)))
    repeated = gamma2(Queries(np.tile(np.tri(4)[1], (9, 1))))

    assert both == pytest.approx((one.lower**2, one.upper**2))
    assert repeated.lower <= 1 <= repeated.upper < 1.001


@pytest.mark.parametrize("given", [8, None, Prefix])
def test_what_is_no_workload_is_refused(given):
    """In one sentence."""
    with pytest.raises(ValueError, match=r"a workload is Prefix\(cells\), say, got"):
        gamma2(given)
