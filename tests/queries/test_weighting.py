"""Each weighting has the error of its closed form; pure tables keep what they promise."""

import itertools
import math

import jax
import numpy as np
import pytest

import audit
import quick_keys
import tacit
from tacit.accounting.relation import Relation
from tacit.contribution import Contrasts
from tacit.population.totals import Totals
from tacit.queries import Even, ForGaussian, ForLaplace, Marginals
from tacit.queries.closure import Tables
from tacit.queries.weighting import l1_of, lengths_of

DRAWS = 100_000


def binary(columns: int, ways: int, weighting) -> Tables:
    sets = tuple(itertools.combinations(range(columns), ways))
    return Tables((2,) * columns, sets, (1.0,) * len(sets), weighting)


def pure_error(tables: Tables) -> float:
    """Root mean square over all cells, at epsilon one."""
    deviation = math.sqrt(2) * tables.shape.l1_sensitivity(Relation.ADD_REMOVE)
    return math.sqrt(float(tables.variances(tables.sets[0], deviation).mean()))


@pytest.mark.parametrize(
    ("columns", "ways", "even", "best"),
    [(10, 2, 39.6, 30.4), (16, 2, 96.9, 68.0), (16, 3, 348.5, 212.9)],
)
def test_fourier_coefficients_have_the_known_error(columns, ways, even, best):
    """With f coefficients and K of them in a table: sqrt(2 K) f / (2^k epsilon) if noise is even,
    and (2 (sum of s^(1/3))³ / t)^(1/2) / 2^k for the best, s being of how many of the t tables each
    coefficient is a part; less than a thousandth is lost."""
    tables = binary(columns, ways, Even())
    f = len(tables.closure)
    exactly = math.sqrt(2 * 2**ways) * f / 2**ways
    shares = [math.comb(columns - i, ways - i) for i in range(ways + 1)]
    cubes = sum(math.comb(columns, i) * s ** (1 / 3) for i, s in enumerate(shares))
    least = math.sqrt(2 * cubes**3 / 4**ways / math.comb(columns, ways))

    assert pure_error(tables) == pytest.approx(exactly, rel=1e-3)
    assert pure_error(binary(columns, ways, ForLaplace())) == pytest.approx(least, rel=1e-3)
    assert (exactly, least) == pytest.approx((even, best), abs=0.05)


def test_even_noise_moves_every_coefficient_alike():
    """By one record, within a thousandth; other attributes have theirs alike on unit cosines."""
    shape = binary(6, 3, Even()).shape
    each = zip(shape.sets, shape.weights, strict=True)
    moved = [weight * l1_of((2,) * len(own)) for own, weight in each]
    assert max(moved) / min(moved) < 1.001
    wide = Tables((3, 8), ((0, 1),), (1.0,), Even()).shape
    sizes = [tuple((3, 8)[i] for i in own) for own in wide.sets]
    each = zip(sizes, wide.weights, strict=True)
    unit = [w * lengths_of(n) / math.sqrt(math.prod(n)) for n, w in each]
    assert max(unit) / min(unit) < 1.001


@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (3, 4, 2, 5)], ids=str)
def test_each_is_the_best_for_its_noise(sizes):
    """Neither of the others has a smaller sum of variances, at the sensitivity in its own norm, but
    for the thousandth that whole numbers cost."""
    sets = tuple(itertools.combinations(range(4), 2))
    norms = ((ForGaussian(), Contrasts.sensitivity), (ForLaplace(), Contrasts.l1_sensitivity))
    errors = {}
    for rule, norm in norms:
        for other in (ForGaussian(), ForLaplace(), Even()):
            tables = Tables(sizes, sets, (1.0,) * len(sets), other)
            deviation = norm(tables.shape, Relation.ADD_REMOVE)
            total = sum(tables.variances(own, deviation).sum() for own in sets)
            errors[type(rule), type(other)] = total
    for (rule, _), total in errors.items():
        assert errors[rule, rule] <= total * 1.001


def proved(plan, one, other) -> float:
    """The epsilon that draws of the server's noise prove about two neighbouring tables.

    The event is that every number is beyond its own sum, as seen from the other.
    """
    keys = jax.random.split(quick_keys.key(3), DRAWS)

    def beyond(sums: np.ndarray) -> int:
        totals = Totals.of(plan, [sums], b"").sums
        drawn = jax.vmap(lambda key: plan.server.noisy(key, totals).value())(keys)
        sides = np.sign(one - other) * (np.asarray(drawn, np.float64) - one) >= 0
        return int(sides.all(axis=1).sum())

    return audit.epsilon_lower_bound((beyond(one), DRAWS), (beyond(other), DRAWS))


def audited(epsilon: float) -> float:
    """Of the plan for one table of two binary columns: a record, and nobody."""
    domain = {"a": [0, 1], "b": [0, 1]}
    asked = Marginals.asked(
        domain, sets=[["a", "b"]], trust=tacit.Central(epsilon, 0.0), people=9, weighting=Even()
    )
    record, nobody = np.zeros((1, 2), np.int32), np.zeros((0, 2), np.int32)
    return proved(asked.plan, *map(asked.tables.shape.sums, (record, nobody)))


def test_an_audit_finds_what_is_promised_and_no_more(monkeypatch):
    """From the exact sums to the noisy ones; half the sensitivity is found out, and so is one of
    four coefficients that nobody counted."""
    assert 0.8 < audited(1.0) <= 1.0
    right = Contrasts.l1_sensitivity

    def all_but_one(shape, relation):
        less = Contrasts(shape.sizes, shape.sets[:-1], shape.weights[:-1])
        return right(less, relation)

    with monkeypatch.context() as planted:
        planted.setattr(Contrasts, "l1_sensitivity", lambda self, r: right(self, r) / 2)
        assert audited(1.0) > 1.5
    with monkeypatch.context() as planted:
        planted.setattr(Contrasts, "l1_sensitivity", all_but_one)
        assert audited(1.0) > 1.1


TABLE = {
    name: np.random.default_rng(size).integers(0, size, 2_000)
    for name, size in (("a", 5), ("b", 3), ("c", 2))
}


def pure_tables() -> Marginals:
    """Of all pairs, with limits at 99.9%."""
    domain = {"a": list(range(5)), "b": [0, 1, 2], "c": [0, 1]}
    terms = {"trust": tacit.Central(1.0, 0.0), "people": 2_000, "confidence": 0.999}
    return Marginals.asked(domain, ways=2, **terms)


def test_pure_tables_are_within_their_limits(tmp_path):
    """All cells of two releases, at 99.9% each, with the best weighting for such noise."""
    asked, book = pure_tables(), tacit.Ledger(tmp_path / "people.db")
    book.limit_for("people", asked.plan, times=2)
    true = np.zeros((5, 3))
    np.add.at(true, (TABLE["a"], TABLE["b"]), 1)
    for seed in range(2):
        found = asked.of(TABLE, book, "people", seed=seed).array("a", "b")
        assert (found.low <= true).all() and (true <= found.high).all()

    assert asked.tables.weighting == ForLaplace()
    assert asked.plan.guarantees[0].epsilon <= 1.0


def test_pure_noise_is_the_predicted_one(tmp_path):
    """Over 16 releases; two-thirds of it would not be: by the mean size of a Laplace number, within
    five deviations."""
    asked, book = pure_tables(), tacit.Ledger(tmp_path / "people.db")
    book.limit_for("people", asked.plan, times=16)
    exact = asked.tables.shape.sums(asked.domain.cells(TABLE))
    answers = [asked.of(TABLE, book, "people", seed=seed) for seed in range(16)]
    off = np.array([each.release.state.answer[0] - exact for each in answers])
    sizes = np.abs(off) / asked.deviation * math.sqrt(2)
    mean, spread = np.mean(sizes), 5 / math.sqrt(np.size(sizes))

    assert abs(mean - 1) < spread and not abs(1.5 * mean - 1) < spread


def test_the_largest_weights_are_no_smaller_than_any_cells():
    """One by one, in order of size: of the decoder that makes a table."""
    tables = Tables((3, 4), ((0, 1),), (1.0,), ForLaplace())
    numbers = tables.shape.answer_shape[0]
    units = np.stack([tables.table((0, 1), tables.split(unit)) for unit in np.eye(numbers)], -1)
    ordered = np.sort(np.abs(units.reshape(12, numbers)), axis=1)
    largest = np.sort(tables.largest_weights((0, 1)))

    assert (ordered <= largest * (1 + 1e-12)).all()
    assert np.linalg.norm(largest) < 1.3 * np.linalg.norm(ordered, axis=1).max()


def test_what_is_no_weighting_is_refused():
    """With those there are."""
    with pytest.raises(ValueError, match=r"a weighting is ForGaussian\(\), ForLaplace\(\) or Even"):
        Marginals.asked(
            {"a": [0, 1]}, ways=1, trust=tacit.Central(1.0, 0.0), people=9, weighting=Even
        )
