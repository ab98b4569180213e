"""One round of everybody, by every trust model that has one."""

import pytest

import tacit
from tacit.contribution import Interval
from tacit.question.participation import Everyone, Once
from tacit.statistics.one_round import one_round, refuse_no_curator, refuse_secret_devices

REPLACED = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)


@pytest.mark.parametrize(
    "trust, who",
    [
        (tacit.Central(1.0, 0.0), Everyone()),
        (tacit.Local(1.0), Everyone()),
        (tacit.Shuffled(1.0, 1e-5), Once()),
        (tacit.Federated(1.0, REPLACED), Everyone()),
        (tacit.NonPrivate(), Everyone()),
    ],
    ids=lambda each: type(each).__name__,
)
def test_everybody_is_asked_for_one_term(trust, who):
    """Who is shuffled reports once in a secret round, of which there is one."""
    sums = one_round(trust, Interval(-1.0, 1.0), 1000).sums

    assert (sums.participation, sums.rounds, sums.people) == (who, 1, 1000)


def test_devices_of_a_secret_number_are_refused_and_nothing_else():
    """Add/remove alone keeps the number; a curator may count, devices may not."""
    with pytest.raises(ValueError, match="a federated sum is of a public number of people"):
        refuse_secret_devices(tacit.Federated(1.0, tacit.Central(1.0, 1e-6)), "sum")
    for trust in (tacit.Federated(1.0, REPLACED), tacit.Central(1.0, 0.0), tacit.Local(1.0)):
        refuse_secret_devices(trust, "sum")


def test_one_who_holds_all_rows_is_asked_and_nobody_else():
    """Where nothing is promised there is one, too; what is no trust model is refused as such."""
    for trust in (tacit.Central(1.0, 0.0), REPLACED, tacit.NonPrivate()):
        refuse_no_curator(trust, "this")
    for trust in (tacit.Local(1.0), tacit.Shuffled(1.0, 1e-5), tacit.Federated(1.0, REPLACED)):
        with pytest.raises(ValueError, match="this is asked of a curator: trust must be Central"):
            refuse_no_curator(trust, "this")
    with pytest.raises(ValueError, match=r"trust must be Central\(epsilon, delta\), Local"):
        refuse_no_curator(1.0, "this")
