"""A workload in one call: in every trust model, within its limits, and charged."""

import numpy as np
import pytest

import tacit
from tacit.queries import LinearCounts, linear
from tacit.question.objectives import MaxError
from tacit.question.workloads import Prefix, Queries, Ranges
from tacit.trust.nonprivate import NonPrivate

CELLS = np.random.default_rng(0).integers(0, 16, 2_000)
EXACT = np.cumsum(np.bincount(CELLS, minlength=16))
TRUSTS = {
    "central": tacit.Central(1.0, 1e-6),
    "pure": tacit.Central(1.0, 0.0),
    "local": tacit.Local(4.0),
    "shuffled": tacit.Shuffled(1.0, 1e-5),
    "nobody": tacit.NonPrivate(),
}


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return tacit.Ledger(tmp_path_factory.mktemp("ledger") / "people.db")


@pytest.mark.parametrize("name", TRUSTS)
def test_every_trust_model_answers(name, book):
    """Near the truth; a curator's limits hold, and what is exact is exact."""
    trust = TRUSTS[name]
    asked = LinearCounts(Prefix(16), trust, 2_000)
    if asked.plan.guarantees:
        book.limit_for(name, asked.plan)
    found = linear(CELLS, Prefix(16), trust=trust, people=2_000, ledger=book, name=name, seed=3)

    assert found.estimates.shape == (16,) and found.plan.trust == asked.plan.trust
    assert np.abs(found.estimates - EXACT).max() < {"nobody": 0.01, "central": 40, "pure": 60}.get(
        name, 900
    )
    assert found.interval is not None and asked.rmse is not None
    assert (found.interval.lower <= EXACT).all() and (found.interval.upper >= EXACT).all()


def test_answers_of_a_histogram_have_no_limits(book):
    """None are proved; how people report is said in the plan."""
    asked = LinearCounts(Prefix(1025), tacit.Local(4.0), 2_000)
    book.limit_for("many", asked.plan)
    found = asked.of(CELLS, book, "many", seed=3)

    assert found.interval is None and found.confidence is None and asked.rmse is None


def test_limits_are_as_far_as_the_noise_reaches(book):
    """At the chance that confidence leaves, beside the roundings of floats."""
    asked = LinearCounts(Ranges(16), TRUSTS["central"], 2_000, confidence=0.9)
    book.limit_for("reach", asked.plan)
    found = asked.of(CELLS, book, "reach", seed=1)
    far = asked.plan.server.reach(0.1)

    assert found.interval is not None and found.confidence == 0.9
    for apart in (found.interval.upper - found.estimates, found.estimates - found.interval.lower):
        assert np.all(apart >= far) and np.all(apart < 1.001 * far)
    assert asked.rmse == pytest.approx(np.sqrt(asked.plan.error / Ranges(16).queries) * 2_000)


def test_limits_hold_as_often_as_is_said(book):
    """Of 136 ranges about 95% are within; two-thirds of their lengths would not be enough."""
    asked = LinearCounts(Ranges(16), TRUSTS["central"], 2_000, confidence=0.95)
    book.limit_for("ranges", asked.plan, times=30)
    counts = np.bincount(CELLS, minlength=16)
    exact = Ranges(16).answers(np.tri(16) @ counts)
    found = [asked.of(CELLS, book, "ranges", seed=seed) for seed in range(30)]
    off = np.array([(each.estimates - exact) for each in found])
    far = np.array([each.estimates - each.frame()["low"] for each in found])
    held, short = (np.abs(off) <= far).mean(), (np.abs(off) <= far * 2 / 3).mean()

    # Ranges of one release hang together: 30 releases are far more than enough for this.
    assert held > 0.92 and short < 0.87
    assert asked.rmse == pytest.approx(np.sqrt((off**2).mean()), rel=0.2)


@pytest.mark.parametrize("trust", [tacit.NonPrivate(), tacit.Local(8.0)], ids=["nobody", "local"])
def test_what_is_in_no_cell_is_in_no_answer(trust, book):
    """Missing numbers, numbers that are not whole, negative ones and those beyond the last."""
    odd = np.array([0, 1, 1, np.nan, 0.5, -1, 16, np.inf, 2**40] * 500)
    asked = LinearCounts(Prefix(4), trust, 4_500)
    name = type(trust).__name__
    if asked.plan.guarantees:
        book.limit_for(name, asked.plan)
    found = asked.of(odd, book, name, seed=1)

    # A report at epsilon 8 is the cell's own but for one in hundreds.
    np.testing.assert_allclose(found.estimates, [500, *[1_500] * 3], atol=100)


@pytest.mark.parametrize("trust", [tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0)])
def test_more_people_than_are_counted_are_refused(trust):
    """In a sentence, of whatever type the number is."""
    for people in (2**48, 1e308, 10**308):
        with pytest.raises(ValueError, match=r"people must be fewer than 2\^48"):
            _ = LinearCounts(Prefix(10), trust, people).plan


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"workload": 16}, "a workload is"),
        ({"confidence": 1.0}, "confidence must be above 0 and below 1"),
        ({"people": 0}, "people must be a positive whole number"),
        ({"trust": None}, "trust must be"),
        ({"trust": tacit.Central(1.0, 0.0), "objective": MaxError()}, "with a delta above 0"),
    ],
    ids=str,
)
def test_bad_input_is_refused(given, message, book):
    """In one sentence, before anything is charged."""
    terms = {"workload": Prefix(16), "trust": TRUSTS["central"], "ledger": book, "name": "bad"}
    terms["people"] = 2_000
    with pytest.raises(ValueError, match=message):
        linear(CELLS, **{**terms, **given})


def test_large_weights_are_within_their_roundings(tmp_path):
    """A float has seven digits, whatever the weights are; so intervals grow with them."""
    cells = np.random.default_rng(0).integers(0, 3, 200_003)
    matrix = np.array([[1e3, 1001.0, 999.0], [3333.3, 7e3, 1e4], [1e6, -1e6, 1.0]])
    exact = matrix @ np.bincount(cells, minlength=3)
    asked = LinearCounts(Queries(matrix), NonPrivate(), 200_003)
    low, high = asked.of(cells, tmp_path / "nobody.db", "p").interval or (np.nan, np.nan)

    assert np.all(low <= exact) and np.all(exact <= high)
    assert np.all(high - low < 1e-5 * 200_003 * np.linalg.norm(matrix, axis=1))


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_the_least_and_the_largest_weights_are_answered(size, book):
    """As others are, in their own units: with noise of the same share, and limits that hold."""
    asked = LinearCounts(Queries(size * np.tri(16)), TRUSTS["central"], 2_000)
    name = f"size {size:g}"
    book.limit_for(name, asked.plan)
    found = asked.of(CELLS, book, name, seed=3)

    assert asked.rmse == pytest.approx(
        size * (LinearCounts(Prefix(16), TRUSTS["central"], 2_000).rmse or np.nan), rel=1e-3
    )
    assert found.interval is not None
    assert (found.interval.lower <= size * EXACT).all()
    assert (found.interval.upper >= size * EXACT).all()


@pytest.mark.parametrize("relation", [tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE])
def test_an_epsilon_that_no_noise_is_left_for_is_refused(relation):
    """By its name, and not by steps of a grid; one that is only large is not."""
    with pytest.raises(ValueError, match="epsilon is too large for a workload's noise"):
        _ = LinearCounts(Prefix(9), tacit.Central(1e9, 1e-6, relation), 100).plan
    assert LinearCounts(Prefix(9), tacit.Central(100.0, 1e-6, relation), 100).plan.private


@pytest.mark.parametrize("trust", [tacit.Central(1.0, 0.0), tacit.Central(1.0, 1e-6)], ids=str)
def test_ninety_times_as_many_people_as_declared_are_counted(trust, tmp_path):
    """All of them in one cell: nothing wraps around."""
    cells = np.ones(90_000, np.int32)
    asked = LinearCounts(Prefix(4), trust, 1_000)
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit_for("many", asked.plan)
    found = asked.of(cells, book, "many", seed=1)

    np.testing.assert_allclose(found.estimates, [0, 90_000, 90_000, 90_000], atol=60)


def test_limits_hold_what_floats_round_of_more_people_than_declared(tmp_path):
    """A billion where a thousand were declared: float32 is off by more than all of the noise."""
    asked = LinearCounts(
        Queries(np.array([[1.0, 1.0], [0.0, 0.0]])), tacit.Central(1.0, 1e-6), 1_000
    )
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit_for("many", asked.plan)
    release = asked.of(np.zeros(10, np.int32), book, "many", seed=1).release
    limits = asked.read(np.array([1e9, 0.0]), release, 2.0**-20).interval

    assert limits.upper[0] - limits.lower[0] >= 2 * 2.0**-20 * 1e9
    assert np.isfinite(limits.upper).all() and limits.upper[1] - limits.lower[1] < 1e-3
