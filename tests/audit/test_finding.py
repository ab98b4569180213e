"""A verdict in one line."""

import pytest

from tacit.audit.finding import AuditFinding, rounded_down


@pytest.mark.parametrize(
    ("epsilon", "broken", "said"),
    [
        (
            1.329,
            True,
            "breaks the promise of epsilon = 1, delta = 1e-06: at least epsilon = 1.32, with 95% "
            "confidence (so many runs)",
        ),
        (
            0.5,
            True,
            "breaks the promise of epsilon = 1, delta = 1e-06: it allows less to be told apart, "
            "with 95% confidence (so many runs)",
        ),
        (
            0.999,
            False,
            "consistent with the promise of epsilon = 1, delta = 1e-06: at least epsilon = 0.99 is "
            "shown, with 95% confidence (so many runs)",
        ),
        (
            0.009,
            False,
            "consistent with the promise of epsilon = 1, delta = 1e-06: nothing is shown, with 95% "
            "confidence (so many runs); more runs, or other neighbours, may show some",
        ),
    ],
)
def test_a_verdict_says_what_is_proved(epsilon, broken, said):
    """No more than is shown, and with which confidence."""
    found = AuditFinding(epsilon, 1.0, 1e-6, 0.95, "so many runs", broken)

    assert str(found) == said == found.to_json()["verdict"]


def test_an_epsilon_is_rounded_down():
    """Never up."""
    assert rounded_down(0.0199) == "0.01" and rounded_down(2.0) == "2.00"
