"""Charges: what a report spends, and what there is for it."""

from tacit.live.cap import Cap
from tacit.live.charge import Cost, Ready, beyond


def test_a_report_of_no_run_has_no_delta():
    """Its promise is pure, and of itself alone."""
    assert (0.5, 0.0, 0.0, None, 1) == Cost(0.5, 0.0)


def test_what_a_report_is_drawn_from_is_not_shown():
    """Nor is the report: neither is in a log by chance."""
    assert "Ready()" == repr(Ready(b"key", b"report"))


def test_what_has_no_room_is_told_both_numbers_of_the_cap():
    """Epsilon and delta: it may be either that lacks."""
    said = str(beyond(Cap.read("epsilon 50 a week")))
    assert said == "it would exceed this device's cap, epsilon 50 and delta 1e-09 in any 7 days"
