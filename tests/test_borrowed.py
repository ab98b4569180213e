"""dp_accounting's names, as they are there."""

import dp_accounting
from dp_accounting import dp_event, rdp

from tacit import borrowed


def test_each_name_is_theirs():
    """Events are told by their classes, so there must be one class of each."""
    theirs = (dp_event, dp_accounting, rdp, rdp.rdp_privacy_accountant)
    for name in borrowed.__all__:
        own = next(vars(each)[name] for each in theirs if name in vars(each))
        assert own is getattr(borrowed, name)


def test_what_calls_parts_that_came_late_gets_them():
    """Their own accountants of losses need SciPy's statistics and signals."""
    accountant = dp_accounting.pld.PLDAccountant()
    accountant.compose(dp_event.GaussianDpEvent(10.0), 2)
    assert 0.29 < accountant.get_epsilon(1e-3) < 0.31
    assert 4.61 < dp_accounting.get_sigma_gaussian(0.5, 1e-3) < 4.62
