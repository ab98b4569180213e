"""Without bounds: the refusal has the two lines that do it, and they do."""

import re

import numpy as np
import pytest

import tacit
from tacit import statistics
from tacit.statistics.undeclared import refuse_no_bounds

REPLACE = tacit.Relation.REPLACE_ONE
VALUES = np.random.default_rng(3).lognormal(4, 1, 20_000)


@pytest.mark.parametrize(
    "call, people",
    [
        (lambda **terms: statistics.quantiles(VALUES, (0.5, 0.9), **terms), 20_000),
        (lambda **terms: statistics.median(VALUES, **terms), 20_000),
        (lambda **terms: statistics.median(VALUES, **terms), None),
        (lambda **terms: statistics.mean(VALUES, **terms), 20_000),
    ],
)
def test_the_lines_of_the_refusal_answer_for_the_whole_promise(call, people, tmp_path):
    """Of which nothing was charged by the refusal."""
    relation = tacit.Relation.ADD_REMOVE if people else REPLACE
    trust, ledger = tacit.Central(1.0, 0.0, relation), tacit.Ledger(tmp_path / "l.db")
    ledger.limit("p", "public", relation, 1.0, 1e-9)
    terms = {"trust": trust, "ledger": ledger, "name": "p", "people": people}
    with pytest.raises(ValueError, match="ask with the rest:") as refused:
        call(**{key: each for key, each in terms.items() if each is not None})
    first, second = re.findall(r"^  (.*)$", str(refused.value), re.MULTILINE)
    session = {"tacit": tacit, "statistics": statistics, "values": VALUES, "ledger": ledger}
    assert ledger.spent("p")[0].epsilon == 0
    exec(f"{first}\nanswer = {second}", session)

    assert ledger.spent("p")[0].epsilon == pytest.approx(1.0)
    found, exact = session["answer"], VALUES.mean()
    if found.asked.startswith("mean"):
        assert abs(found.estimate - exact) < 4
    else:
        middle = np.atleast_1d(found.estimate)[0]
        assert abs(np.mean(middle > VALUES) - 0.5) < 0.02


def test_a_covariance_without_bounds_has_the_lines_that_find_those_of_each_column(tmp_path):
    """Together they cost the whole promise, and the refusal nothing."""
    relation, ledger = tacit.Relation.ADD_REMOVE, tacit.Ledger(tmp_path / "l.db")
    ledger.limit("p", "public", relation, 1.0, 1e-6)
    rows = np.random.default_rng(3).normal([10, 20, 500], [1, 2, 50], (20_000, 3))
    terms = {"trust": tacit.Central(1.0, 0.0), "ledger": ledger, "name": "p", "people": 20_000}
    with pytest.raises(ValueError, match="two finite numbers for each column") as refused:
        statistics.covariance(rows, **terms)
    first, second = re.findall(r"^  (.*)$", str(refused.value), re.MULTILINE)
    session = {"tacit": tacit, "statistics": statistics, "rows": rows, "ledger": ledger, "np": np}
    exec(f"{first}\nanswer = {second}", session)

    assert ledger.spent("p")[0].epsilon == pytest.approx(1.0)
    assert np.abs(session["answer"].mean - [10, 20, 500]).max() < 50
    with pytest.raises(ValueError, match="only a curator may search"):
        statistics.covariance(rows, **{**terms, "trust": tacit.Local(1.0), "people": None})


@pytest.mark.parametrize("trust", [tacit.Local(1.0), None])
def test_only_a_curator_searches(trust, tmp_path):
    """The others are told so, and nothing is charged."""
    with pytest.raises(ValueError, match=r"bounds must be two finite.*only a curator may search"):
        statistics.median(VALUES, trust=trust, ledger=tmp_path / "l.db", name="p")
    with pytest.raises(ValueError, match=r"bounds must be two finite.*only a curator may search"):
        statistics.mean(VALUES, trust=trust, ledger=tmp_path / "l.db", name="p")

    assert not (tmp_path / "l.db").exists()
    with pytest.raises(
        ValueError, match=r"trust=tacit.NonPrivate\(\), ledger=ledger, name='p'\)\n"
    ):
        statistics.median(VALUES, trust=tacit.NonPrivate(), ledger=tmp_path / "l.db", name="p")


def test_the_search_leaves_delta_to_the_rest():
    """And is under the same relation."""
    trust = tacit.Central(2.0, 1e-6, REPLACE)
    with pytest.raises(ValueError) as refused:
        refuse_no_bounds(None, "median(values", trust, "p")

    written = re.findall(r"tacit.Central\(.*?\)", str(refused.value))
    relation = "tacit.Relation.REPLACE_ONE)"
    assert written == [
        f"tacit.Central(0.5, 0.0, {relation}",
        f"tacit.Central(1.5, 1e-06, {relation}",
    ]
