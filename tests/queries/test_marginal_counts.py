"""Marginal tables in one release: within their limits, consistent, charged once."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tacit
from tacit.ledger import receipt
from tacit.queries import Binned, Domain, Marginals, marginals
from tacit.queries.asked_tables import alike, sets_of

TRUST = tacit.Central(1.0, 1e-6)
RNG = np.random.default_rng(0)
DOMAIN = {"sex": ["F", "M"], "age": Binned((0, 18, 40, 65, 120)), "ward": ["A", "B", "C"]}
FRAME = pd.DataFrame(
    {
        "sex": RNG.choice(["F", "M"], 3_000),
        "age": RNG.gamma(9.0, 4.3, 3_000).clip(0, 119),
        "ward": RNG.choice(["A", "B", "C"], 3_000, p=[0.6, 0.3, 0.1]),
    }
)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return tacit.Ledger(tmp_path_factory.mktemp("ledger") / "people.db")


@pytest.fixture(scope="module")
def answer(book):
    book.limit("people", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-6)
    terms = {"domain": DOMAIN, "ledger": book, "name": "people", "people": 3_000}
    return marginals(FRAME, ways=2, trust=TRUST, confidence=0.999, seed=5, **terms)


def counted(*columns) -> np.ndarray:
    cut = FRAME.assign(age=pd.cut(FRAME.age, [0, 18, 40, 65, 120], right=False, labels=False))
    order = {"sex": ["F", "M"], "age": range(4), "ward": ["A", "B", "C"]}
    shape = [len(order[each]) for each in columns]
    index = pd.MultiIndex.from_product([order[each] for each in columns])
    return cut.groupby(list(columns)).size().reindex(index, fill_value=0).to_numpy().reshape(shape)


@pytest.mark.parametrize("columns", [("sex", "age"), ("sex", "ward"), ("age", "ward")], ids=str)
def test_the_true_tables_are_within_the_limits(columns, answer):
    """All cells of all tables, at 99.9% each; noise is there, and is what is predicted."""
    found, exact = answer.array(*columns), counted(*columns)

    assert (found.low <= exact).all() and (exact <= found.high).all()
    assert 0 < np.abs(found.estimates - exact).max()


def test_tables_agree_in_what_they_share(answer):
    """Each column's own table is the sum of any table that it is a part of."""
    age = answer.array("age").estimates
    np.testing.assert_allclose(answer.array("sex", "age").estimates.sum(0), age, atol=1e-6)
    np.testing.assert_allclose(answer.array("age", "ward").estimates.sum(1), age, atol=1e-6)


def test_a_domain_does_where_a_mapping_does(answer, tmp_path):
    """Made of the same mapping it is the same question, with the same answer."""
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit("people", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-6)
    terms = {"ledger": book, "name": "people", "people": 3_000, "ways": 2}
    other = marginals(FRAME, domain=Domain(DOMAIN), trust=TRUST, confidence=0.999, seed=5, **terms)

    assert repr(other) == repr(answer)


def test_it_is_charged_once_and_can_be_checked(book, tmp_path):
    """One release for all tables; its receipt holds, and a second one is over the limit."""
    book.limit("once", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-6)
    asked = Marginals(*planned())
    found = asked.of(FRAME, book, "once", note="for the report")
    receipt.write(tmp_path / "receipt.json", [found.receipt()])

    (entry,) = book.history("once")
    assert receipt.verify(tmp_path / "receipt.json").ok and entry.note == "for the report"
    assert entry.asked.startswith(f"{len(asked.tables.sets)} marginal tables, of ")
    with pytest.raises(tacit.ledger.OverBudget):
        asked.of(FRAME, book, "once")


def test_the_noise_is_what_is_promised(book):
    """Of 12 seeded releases: a chi-square over the stated deviation; two-thirds are rejected."""
    asked = Marginals(*planned())
    book.limit_for("seeded", asked.plan, times=12)
    exact = asked.tables.shape.sums(asked.domain.cells(FRAME))
    releases = [asked.of(FRAME, book, "seeded", seed=seed).release for seed in range(12)]
    noise = np.array([each.state.answer[0] - exact for each in releases]) / asked.deviation
    (promise,) = asked.plan.guarantees
    sensitivity = asked.tables.shape.sensitivity(tacit.Relation.ADD_REMOVE)

    def fits(factor: float) -> bool:
        return abs(stats.chi2(noise.size).cdf((noise**2).sum() / factor**2) - 0.5) < 0.5 - 1e-9

    assert fits(1.0) and not fits(2 / 3) and not fits(1.5)
    multiplier = promise.event.event.noise_multiplier
    assert multiplier * sensitivity == pytest.approx(asked.deviation, rel=1e-5)


def test_cells_are_off_by_what_is_predicted(book, answer):
    """Each table's error is that of its own variances, and smaller for smaller tables."""
    asked = Marginals.asked(DOMAIN, ways=2, trust=TRUST, people=3_000)
    assert asked.plan == Marginals(*planned()).plan
    variances = asked.tables.variances((0, 1), asked.deviation)

    assert asked.rmse("sex", "age") == pytest.approx(np.sqrt(variances.mean()))
    width = answer.array("sex", "age").high - answer.array("sex", "age").estimates
    np.testing.assert_allclose(width, 3.2905 * np.sqrt(variances), rtol=1e-4)


def planned():
    domain = Domain.of(DOMAIN)
    return domain, alike(domain, sets_of(domain, 2, None)), TRUST, 3_000


def test_records_outside_the_domain_are_in_no_table(book):
    """Missing, undeclared or out of bounds in one column: not counted in any."""
    odd = {"sex": ["F", "X", "F", None], "age": [3.0, 3.0, 500.0, 3.0], "ward": ["A"] * 4}
    terms = {"trust": tacit.NonPrivate(), "ledger": book, "name": "odd", "people": 4}
    found = marginals(odd, domain=DOMAIN, sets=[["sex"], ["ward", "sex"]], **terms)

    assert found.array("sex").estimates.tolist() == pytest.approx([1, 0], abs=1e-6)
    assert found.array("sex", "ward").high == pytest.approx(
        np.array([[1, 0, 0], [0, 0, 0]]), abs=1e-6
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ways": 4}, "ways must be 1, 2 or 3, and no more than columns"),
        ({"ways": None}, "say which tables"),
        ({"ways": 1, "sets": [["sex"]]}, "say which tables"),
        ({"ways": None, "sets": []}, "sets must be lists of columns, at least one"),
        ({"ways": None, "sets": [["sex", "sex"]]}, "tables are of different columns"),
        ({"trust": tacit.Local(1.0)}, "a marginal table is asked of a curator"),
        ({"weighting": "even"}, "a weighting is ForGaussian"),
        ({"domain": {"height": [1, 2]}}, "the table has no column 'height'"),
        ({"confidence": 0}, "confidence must be above 0"),
    ],
    ids=str,
)
def test_bad_input_is_refused(given, message, book):
    """In one sentence, before anything is charged."""
    terms = {"domain": DOMAIN, "ways": 1, "trust": TRUST, "ledger": book, "name": "bad"}
    with pytest.raises(ValueError, match=message):
        marginals(FRAME, **{**terms, "people": 3_000, **given})


def test_tables_that_were_not_asked_for_are_refused(answer):
    """Their columns were in no table together."""
    with pytest.raises(ValueError, match="has the columns sex, age, ward together"):
        answer.array("sex", "age", "ward")
