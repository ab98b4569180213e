"""What is known of a report adds up to what is known of an answer."""

from tacit.contribution import Ball
from tacit.facts import ReportFacts

OWN = 1.0, Ball(4, 1.0), 8.0, 128, 0.1


def test_more_reports_lower_their_own_error_alone():
    """Noise is stretched with the sum; what all reports share stays."""
    facts = ReportFacts(*OWN, stretch=3.0, shared_error=5.0)

    assert facts.answer_error(4.0, 0.5) == 2.0 + 1.5 + 5.0
    assert ReportFacts(*OWN).answer_error(4.0, 0.5) == 2.5


def test_ways_to_report_are_compared_at_the_typical_norm():
    """At the worst one where none is declared."""
    assert ReportFacts(*OWN).compared_error == 8.0
    assert ReportFacts(*OWN, typical_error=2.0).compared_error == 2.0
