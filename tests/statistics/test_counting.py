"""How many say yes: exact noise, limits that hold, whoever is trusted."""

import numpy as np
import pytest

import tacit
from tacit.statistics import Count, count
from tacit.statistics.counting import yes_or_no

REPLACE = tacit.Relation.REPLACE_ONE
YES = np.arange(311) % 3 == 0
TRUSTS = {
    "pure": (tacit.Central(1.0, 0.0), 300),
    "gaussian": (tacit.Central(1.0, 1e-6), 300),
    "local": (tacit.Local(2.0), None),
    "shuffled": (tacit.Shuffled(1.0, 1e-5), None),
    "federated": (tacit.Federated(4.0, tacit.Central(1.0, 1e-6, REPLACE)), None),
    "nobody": (tacit.NonPrivate(), None),
}


@pytest.mark.parametrize("name", TRUSTS)
def test_every_trust_model_counts(name, tmp_path):
    """104 of 311, though about 300 are declared: the true count is within the limits."""
    trust, people = TRUSTS[name]
    book, asked = tacit.Ledger(tmp_path / "people.db"), Count(trust, people or len(YES))
    if asked.plan.guarantees:
        book.limit_for(name, asked.plan)
    found = count(YES.tolist(), trust=trust, people=people, ledger=book, name=name, seed=2)
    low, high = found.interval

    assert low <= YES.sum() <= high and low <= found.estimate <= high
    assert low == round(low) and high == round(high)
    assert asked.plan == found.plan and asked.rmse == found.rmse
    if name == "nobody":
        assert (104, 104, 104, 0) == (found.estimate, low, high, found.rmse)


def test_the_interval_of_a_pure_count_is_that_of_its_noise(tmp_path):
    """At epsilon 1 the geometric noise is at most 3 with chance .964, at most 2 with .90."""
    book = tacit.Ledger(tmp_path / "people.db")
    asked = Count(tacit.Central(1.0, 0.0), 300)
    book.limit_for("p", asked.plan)
    found = asked.of(YES, book, "p", seed=1)

    assert (found.estimate - 3, found.estimate + 3) == found.interval
    assert 1.35 < found.rmse < 1.36


@pytest.mark.parametrize("values", [[1, 0, None], [1.0, 0.0, float("nan")], [True, False, False]])
def test_only_a_yes_is_counted(values, tmp_path):
    """A missing answer is none."""
    found = count(values, trust=tacit.NonPrivate(), ledger=tmp_path / "p.db", name="p")

    assert found.estimate == 1


@pytest.mark.parametrize(
    "values, trust, said",
    [
        (["yes", "no"], tacit.Local(1.0), "the array holds text"),
        ([[True], [False]], tacit.Local(1.0), "True or False for each person, got an array of 2"),
        ([True, False], tacit.Central(1.0, 0.0), "declare about how many"),
        (
            [True],
            tacit.Federated(1.0, tacit.Central(1.0, 1e-6)),
            "the number of people is no public number",
        ),
    ],
)
def test_what_cannot_be_counted_is_refused(values, trust, said, tmp_path):
    """In one sentence."""
    with pytest.raises(ValueError, match=said):
        count(values, trust=trust, ledger=tmp_path / "p.db", name="p")


def test_a_federated_count_is_of_a_public_number():
    """As its mean is."""
    with pytest.raises(ValueError, match="a federated count is of a public number of people"):
        Count(tacit.Federated(1.0, tacit.Central(1.0, 1e-6)), 5)


def test_text_is_not_counted_and_it_is_said_how_it_would_be():
    """By a comparison, or label by label."""
    with pytest.raises(ValueError, match=r"holds text.*count a comparison, e\.g\. values == 'yes'"):
        yes_or_no(["high", "low"])
