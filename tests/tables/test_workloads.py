"""Workloads of a table: the engine counts, one row a person, and noise cancels in the answers."""

import re

import ibis
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tacit
from tacit import tables
from tacit.ledger import receipt
from tacit.queries import LinearCounts
from tacit.question import MaxError, Prefix, Queries, Ranges

TRUST = tacit.Central(1.0, 1e-6)
RNG = np.random.default_rng(0)
DAYS = RNG.gamma(2.0, 3.0, 4_000).round().clip(0, 40)
FRAME = pd.DataFrame({"patient": np.arange(4_000), "days": DAYS})
BINS = [*range(32)]


@pytest.fixture
def visits(tmp_path):
    found = tacit.Table(FRAME, "patient", "patients", tmp_path / "p.db", people=4_000)
    found.budget(epsilon=100.0, delta=1e-3)
    return found


def exact(bins: int = 31) -> np.ndarray:
    """How many stay less than so many days, of those in bins; the last bin has its end too."""
    counted = np.bincount(DAYS[DAYS <= bins].astype(int), minlength=bins + 1)
    counted[bins - 1] += counted[bins]
    return np.cumsum(counted[:bins])


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_answers_are_within_their_limits(delta, visits):
    """All prefixes at 99.9% each; limits are no wider than those of people's own array."""
    trust = tacit.Central(1.0, delta)
    asked = tables.linear(visits, "days", Prefix(31), bins=BINS, confidence=0.999)
    answer = asked.run(trust, seed=3)
    low, high = answer.interval

    assert (low <= exact()).all() and (exact() <= high).all()
    assert 0 < np.abs(answer.estimates - exact()).max()
    same = LinearCounts(Prefix(31), trust, 4_000, 0.999).plan
    assert same.guarantees == answer.plan.guarantees
    np.testing.assert_allclose((high - low) / 2, same.server.reach(0.001), rtol=1e-3)


def test_the_noise_is_what_is_promised(visits):
    """Of 160 numbers that are decoded, by a chi-square; two thirds of the noise are rejected."""
    asked = tables.linear(visits, "days", Prefix(160), bins=[*range(161)])
    server = asked.plan(TRUST).plan.server
    whole = np.linalg.inv(np.asarray(server.decoder, np.float64))
    off = asked.run(TRUST, seed=0).estimates - exact(160)
    noise = whole @ off / np.sqrt(server.mechanism.variance)

    def fits(factor: float) -> bool:
        return abs(stats.chi2(noise.size).cdf((noise**2).sum() / factor**2) - 0.5) < 0.5 - 1e-6

    assert fits(1.0) and not fits(2 / 3) and not fits(1.5)


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_a_plan_is_in_people_whoever_is_there(tmp_path, delta):
    """The same page whether or not it is stated how many there are: no error is a share of people
    that nobody stated; the width is that of intervals, and the error that of answers."""
    trust = tacit.Central(1.0, delta)
    pages = []
    for i, more in enumerate(({}, {"people": 4_000})):
        own = tacit.Table(FRAME, "patient", "patients", tmp_path / f"{i}.db", **more)
        own.budget(epsilon=100.0, delta=1e-3)
        asked = tables.linear(own, "days", Prefix(31), bins=BINS)
        pages.append(" ".join(str(asked.plan(trust)).split()))
    assert pages[0] == pages[1].replace("; of 4,000 people", "")
    assert "10,000,000" not in pages[0] and "counted at most 1 row of one patient" in pages[0]
    width, error = (
        float(x) for x in re.findall(r"± ([0-9.]+) or less; off by ([0-9.]+)", pages[0])[0]
    )
    low, high = asked.run(trust, seed=1).interval
    server = asked.plan(trust).plan.server
    off = np.square(np.asarray(server.decoder, np.float64)) * server.mechanism.variance
    assert width == pytest.approx(((high - low) / 2).max(), rel=0.01)
    assert error == pytest.approx(np.sqrt(off.sum(axis=1).mean()), rel=0.01)


def test_a_person_is_in_one_cell(tmp_path):
    """Of 3,000 people's three rows, two of them the same, one counts; rows without a number, beyond
    the bins or of nobody count nowhere."""
    who = [*np.repeat(np.arange(3_000), 3), *range(3_000, 4_000), None, None]
    x = [*np.tile([0.5, 0.5, 1.5], 3_000), *np.tile([np.nan, 9.0], 500), 0.5, 1.5]
    frame = pd.DataFrame({"who": pd.array(who, "Int64"), "x": x})
    table = tacit.Table(frame, "who", "few", tmp_path / "p.db", people=4_000)
    table.budget(epsilon=1e5, delta=0.5)
    found = tables.linear(table, "x", Ranges(2), bins=[0, 1, 2]).run(TRUST, seed=0)
    first, both, second = found.estimates

    assert both == pytest.approx(3_000, abs=60)
    assert first == pytest.approx(1_500, abs=200) and second == pytest.approx(1_500, abs=200)


def test_it_is_charged_once_and_can_be_checked(visits, tmp_path):
    """To the people's account, in the table's unit; its receipt holds, and the ledger's words say
    what was asked."""
    asked = tables.linear(visits, "days", Prefix(31), bins=BINS, objective=MaxError())
    receipt.write(tmp_path / "r.json", [asked.run(TRUST).receipt()])
    (account,) = tacit.Ledger(tmp_path / "p.db").spent("patients")

    assert receipt.verify(tmp_path / "r.json").ok
    assert account.epsilon == pytest.approx(1.0, rel=1e-3)
    assert "31 linear queries of" in asked.words and "31 linear queries" in repr(asked)


def test_values_are_cells_in_their_order(tmp_path):
    """Of declared categories; missing ones where they are declared."""
    frame = pd.DataFrame({"who": range(5), "kind": ["a", "b", "b", None, "x"]})
    table = tacit.Table(frame, "who", "kinds", tmp_path / "k.db", people=5)
    table.budget(epsilon=1e5, delta=0.5)
    asked = tables.linear(
        table, "kind", Queries([[1, 1, 0], [0, 0, 5]]), categories=["a", "b", None]
    )
    found = asked.run(tacit.Central(50.0, 1e-6), seed=0)

    np.testing.assert_allclose(found.estimates, [3, 5], atol=2.5)


def test_a_grant_is_of_its_rows(visits):
    """An idempotency key names one release, of the rows that were read."""
    asked = tables.linear(visits, "days", Prefix(31), bins=BINS)
    first = asked.grant(TRUST, grant_id="g", seed=1)
    fewer = tables.linear(visits.where(ibis._.days > 3), "days", Prefix(31), bins=BINS)
    with pytest.raises(tacit.ledger.LedgerError):
        fewer.grant(TRUST, grant_id="g", seed=1)
    again = asked.grant(TRUST, grant_id="g", seed=1)

    one, other = (asked.read(TRUST, each.run()) for each in (again, first))
    np.testing.assert_array_equal(one.estimates, other.estimates)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"workload": "prefix"}, "a workload is Prefix"),
        (
            {"workload": Prefix(30)},
            "a workload of 30 cells is about as many values or",
        ),
        ({"bins": None}, "say either categories"),
        ({"column": "hours"}, "hours"),
        ({"confidence": 0}, "confidence must be above 0"),
    ],
    ids=str,
)
def test_what_asks_nothing_is_refused(given, message, visits):
    """In one sentence, before anything is read."""
    terms = {"column": "days", "workload": Prefix(31), "bins": BINS, **given}
    with pytest.raises(ValueError, match=message):
        tables.linear(visits, terms.pop("column"), terms.pop("workload"), **terms)


@pytest.mark.parametrize("trust", [tacit.Local(1.0), tacit.NonPrivate(), "me"], ids=repr)
def test_a_curator_is_asked(trust, visits):
    """Nobody else has the rows of a table."""
    with pytest.raises(ValueError, match=r"trust must be Central\(epsilon, delta\)"):
        tables.linear(visits, "days", Prefix(31), bins=BINS).plan(trust)
