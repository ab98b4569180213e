"""Reports for a workload are private to the last word, and what the plan says of them is so."""

import math
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import quick_keys
import tacit
from tacit.device.workload import WORDS, OnWorkload, fits, private, response_blanket, whole
from tacit.question.composed_workloads import WithNone
from tacit.question.workloads import Prefix, Ranges
from tacit.solve.local_reports import variances


@cache
def device():
    """Of prefixes of six."""
    return OnWorkload.of(Prefix(6), 1.0)


@cache
def table():
    """Its columns, in whole numbers."""
    return np.asarray(device().table).astype(np.uint64)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 8.0])
def test_tables_are_private_in_whole_numbers(epsilon):
    """Columns of 2^32 words; the largest and the least of each row within e^epsilon, exactly."""
    table = np.asarray(OnWorkload.of(Prefix(3), epsilon).table).astype(np.uint64)
    ratios = [int(row.max()) / int(row.min()) for row in table]

    assert private(table, epsilon) and (table.sum(0) == WORDS).all()
    assert 0.9 * math.exp(epsilon) < max(ratios) <= math.exp(epsilon)
    assert not private(table, 0.9 * epsilon)


def test_a_table_that_is_not_whole_is_not_private():
    """A column with a word too many, a row with none."""
    more, none = table().copy(), table().copy()
    more[0, 0] += np.uint64(1)
    none[0, 0] = 0

    assert private(table(), 1.0) and not private(more, 1.0) and not private(none, 1.0)
    assert private(whole(table() / WORDS, 1.0), 1.0)


def test_reports_have_the_tables_law():
    """A chi-square of each cell's reports; another cell's law is rejected."""
    draws = 20_000
    for cell in (0, 3, 5):
        cells = np.full(draws, cell, np.int32)
        drawn = np.asarray(device().sample(quick_keys.key(cell), jnp.asarray(cells)))
        counted = np.bincount(drawn, minlength=device().outputs)

        def fits_law(column, counted=counted) -> bool:
            expected = draws * table()[:, column] / WORDS
            chance = stats.chi2(len(expected) - 1).sf(((counted - expected) ** 2 / expected).sum())
            return bool(chance > 1e-9)

        assert fits_law(cell) and not fits_law((cell + 2) % 6)


def test_the_ends_of_rows_are_their_own():
    """A report is y exactly where its word is among those of y: a table of three rows, by hand."""
    table = np.array([[2**30] * 2, [2**31] * 2, [2**30] * 2], np.uint32)
    device = OnWorkload(1.0, Prefix(2), table, 1.0, "")
    drawn = device.sample(quick_keys.key(1), jnp.zeros(4_000, jnp.int32))
    words = jax.random.bits(quick_keys.key(1), (4_000,), jnp.uint32)

    expected = np.searchsorted([2**30, 3 * 2**30], np.asarray(words).astype(np.int64), "right")
    np.testing.assert_array_equal(drawn, expected)


@pytest.mark.parametrize("workload", [Prefix(6), Ranges(6), WithNone(Prefix(5))], ids=repr)
def test_the_stated_error_is_that_of_the_law(workload):
    """The worst cell's, written out over all outputs; answers are unbiased."""
    device = OnWorkload.of(workload, 1.0)
    chances = np.asarray(device.table) / WORDS
    exact = workload.answers(workload.basis())
    answers = workload.answers(device.decoder)
    errors = [((answers - exact[:, [x]]) ** 2).sum(0) @ chances[:, x] for x in range(6)]

    np.testing.assert_allclose(answers @ chances, exact, atol=1e-7)
    assert device.facts.worst_error == pytest.approx(max(errors), rel=1e-4)
    assert 0 < device.facts.blanket < 1 and device.facts.epsilon == 1.0


def test_the_local_model_reports_so():
    """The plan's promise is the report's; its error is less than a third of a histogram's."""
    sums = tacit.Mean(tacit.OneHot(8), tacit.Everyone(), 1, 1_000)
    plan = tacit.Local(1.0).plan(tacit.question.Linear(sums, Prefix(8)))
    histogram = tacit.Local(1.0).plan(sums)
    (cov,) = {histogram.error / 8}

    assert isinstance(plan.device, OnWorkload)
    assert all(p.epsilon == 1.0 and p.delta == 0 for p in plan.guarantees)
    assert plan.error == pytest.approx(plan.device.worst_error / 1_000)
    assert plan.error < cov * 8 * 9 / 2 / 3


def test_many_cells_have_caps(monkeypatch):
    """Without a descent: a private table whose stated error is that of its law."""
    monkeypatch.setattr("tacit.device.workload._MOST_DESCENT", 20)
    device = OnWorkload.of(Prefix(24), 1.5)
    own = np.asarray(device.table).astype(np.uint64)
    squares = Prefix(24).gram().dense()

    assert own.shape == (96, 24) and private(own, 1.5)
    assert device.worst_error == pytest.approx(variances(own / WORDS, squares).max())


def test_many_cells_have_no_table():
    """The plan is made of the histogram instead, and says so."""
    sums = tacit.Mean(tacit.OneHot(1026), tacit.Everyone(), 1, 1_000)
    page = " ".join(str(tacit.Local(1.0).plan(tacit.question.Linear(sums, Prefix(1026)))).split())

    assert not fits(Prefix(1026)) and "answers are sums of its counts" in page
    for made in (OnWorkload.of, OnWorkload.by_response):
        with pytest.raises(ValueError, match="for up to 1,025 cells"):
            made(Prefix(1026), 1.0)


@pytest.mark.parametrize("epsilon", [9.0, 12.0, 50.0])
def test_large_budgets_have_a_table_of_at_most_twelve(epsilon):
    """And promise no more than is used; the error falls, and is next to nothing at last."""
    device = OnWorkload.of(Prefix(8), epsilon)
    own = np.asarray(device.table).astype(np.uint64)

    assert device.epsilon == min(epsilon, 12.0) and private(own, device.epsilon)
    assert device.worst_error < OnWorkload.of(Prefix(8), 8.0).worst_error / 2


@pytest.mark.parametrize(("cells", "epsilon"), [(2, 0.1), (16, 4.0), (60, 8.0), (16, 12.0)])
def test_the_blanket_of_randomised_response_is_known_beforehand(cells, epsilon):
    """No more than that of the table in whole numbers, and nearly that."""
    blanket = OnWorkload.by_response(Prefix(cells), epsilon).facts.blanket

    assert 0.9 * blanket < response_blanket(cells, epsilon) <= blanket


def check_shuffled(cells: int, people: int, epsilon: float):
    """The blanket of their table is what hides them; the error is below that of a histogram."""
    sums = tacit.Mean(tacit.OneHot(cells), tacit.Once(), 1, people)
    plan = tacit.Shuffled(epsilon, 1e-6).plan(tacit.question.Linear(sums, Prefix(cells)))
    histogram = tacit.Shuffled(epsilon, 1e-6).plan(sums)
    public, _, shuffler = plan.guarantees

    assert isinstance(plan.device, OnWorkload)
    assert 0.75 * epsilon < public.epsilon <= epsilon and public.delta <= 1e-6
    assert shuffler.epsilon == plan.device.epsilon > 1 and shuffler.delta == 0
    least = 2 / (1 + math.exp(plan.device.epsilon))
    assert public.event.event.blanket <= max(plan.device.facts.blanket, least)
    assert plan.error < histogram.error / cells * (cells * (cells + 1) / 2)


def test_shuffled_people_report_for_the_queries():
    """Two thousand of them."""
    check_shuffled(8, 2_000, 1.0)


def test_many_shuffled_people_report_for_the_queries():
    """A hundred thousand, with a fifth of the budget."""
    check_shuffled(24, 100_000, 0.2)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-6, 1e-4])
def test_an_epsilon_too_small_for_words_is_refused(epsilon):
    """In a sentence: its table would tell no cells apart."""
    with pytest.raises(ValueError, match=r"must be larger, 0\.001 of up to 32 cells"):
        OnWorkload.of(Prefix(4), epsilon)
