"""What is known of a report adds up to what is known of an answer."""

from dataclasses import replace

import pytest

from tacit.contribution import Ball
from tacit.facts import NO_NOISE, NoiseFacts, ReportFacts, stated

OWN = 1.0, Ball(4, 1.0), 8.0, 128, 0.1


def test_more_reports_lower_their_own_error_alone():
    """Noise comes back as it is stretched, cuts as far as may be; what all reports share stays."""
    facts = ReportFacts(*OWN, stretch=3.0, most_stretch=4.0, shared_error=5.0)
    noise = NoiseFacts(1.0, 2.5, cut_error=0.5)

    assert facts.answer_error(4.0, noise, 2.0) == 2.0 + (3.0 * 2.0 + 4.0 * 0.5) / 4 + 5.0
    assert ReportFacts(*OWN).answer_error(4.0, noise, 2.0) == 2.0 + 2.5 / 4


def test_an_answer_without_noise_to_state_has_the_error_of_its_reports():
    """Where it is drawn itself; an error that is not known of a sum is never zero."""
    facts = ReportFacts(*OWN)

    assert facts.answer_error(4.0, NoiseFacts(None, None, drawn_by="Exponential"), 2.0) == 2.0
    with pytest.raises(ValueError, match="no noise on a sum"):
        facts.answer_error(4.0, NoiseFacts(1.0, None), 2.0)


def test_what_is_not_known_is_never_none_of_it():
    """A number that is there is handed over; one that is not is refused, and why."""
    assert stated(0.0) == NO_NOISE.stated_noise == NO_NOISE.stated_error == 0.0
    with pytest.raises(ValueError, match="the error depends on the data"):
        stated(None)
    drawn = NoiseFacts(None, None, drawn_by="Exponential")
    for number in ("stated_noise", "stated_error"):
        with pytest.raises(ValueError, match="no noise on a sum: Exponential draws the answer"):
            getattr(drawn, number)


def test_ways_to_report_are_compared_at_the_typical_norm():
    """At the worst one where none is declared."""
    assert ReportFacts(*OWN).compared_error == 8.0
    assert ReportFacts(*OWN, typical_error=2.0).compared_error == 2.0


def test_ways_to_report_are_compared_with_what_their_reports_share():
    """In a cohort, at the typical norm where one is declared."""
    facts = ReportFacts(*OWN, shared_error=3.0, typical_shared_error=1.0)

    assert facts.compared_at(4.0) == 2.0 + 3.0
    assert replace(facts, typical_error=2.0).compared_at(4.0) == 0.5 + 1.0
