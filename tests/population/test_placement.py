"""Where people's rows lie: copies, with empty places that make one program do for many numbers."""

import jax
import numpy as np
import pytest

import small
import tacit
from tacit.population.placement import on_host, roomy, seated, whole


def test_places_are_at_most_a_quarter_more_than_people():
    """Exactly as many for up to eight, and few numbers of them in all."""
    numbers = [roomy(people) for people in range(1, 100_001)]

    assert numbers[:8] == list(range(1, 9))
    assert all(p <= n <= 1.25 * p for p, n in enumerate(numbers, 1))
    assert len(set(numbers)) == 63


def test_seats_hold_everybody_and_then_nobody():
    """Copies in the types that JAX has; the owner may change theirs."""
    own = {"wide": np.ones((9, 2)), "count": np.arange(9)}
    held = seated(own)
    own["wide"][:] = 7

    assert {name: rows.shape[0] for name, rows in held.items()} == {"wide": 10, "count": 10}
    assert held["wide"].dtype == np.float32 and held["count"].dtype == np.int32
    np.testing.assert_array_equal(held["wide"], [[1, 1]] * 9 + [[0, 0]])


@pytest.mark.parametrize("hold", [seated, on_host])
def test_rows_are_copies_that_nobody_else_can_change(hold):
    """Also of an array that is not to be written to: a view made before may write to it."""
    fixed = np.ones(3, np.float32)
    view = fixed[:]
    fixed.setflags(write=False)
    held = hold(fixed)
    view[:] = 7

    np.testing.assert_array_equal(np.asarray(held)[:3], 1)


def test_a_copy_is_made_once():
    """A CPU device takes the host's own, of however many rows: there is no second."""
    for people in (1, 3, 1000, 10_001):
        held = on_host(np.ones((people, 3)))

        assert jax.device_put(held, whole()).unsafe_buffer_pointer() == held.ctypes.data


def test_a_number_too_large_for_float32_is_copied_without_a_word(recwarn):
    """A warning would tell that somebody has one."""
    assert np.isinf(on_host(np.array([1e300]))).all() and not recwarn.list


ROWS = tacit.question.Quantile(0.5)


@pytest.mark.parametrize(
    "question", [small.plan().question, tacit.OfRows(tacit.Interval(-1.0, 1.0), 30, ROWS)], ids=type
)
def test_other_people_and_budgets_are_the_same_program(question, tmp_path):
    """Twenty-nine or thirty-one, at another epsilon: the same text, so nothing is compiled."""

    def digest(people: int, epsilon: float) -> str:
        plan = tacit.Central(epsilon, 1e-6).plan(question)
        learner = tacit.statistics.Average((1,) if isinstance(question, tacit.OfRows) else ())
        rows = np.linspace(-1, 1, people, dtype=np.float32)
        book = small.ledger(tmp_path)
        return tacit.Arrays(rows, "thirty").grant(plan, learner, book).staged.rounds.digest

    assert digest(29, 1.0) == digest(31, 2.0)


def test_the_empty_places_are_nobodys(tmp_path):
    """Nine people's exact mean is theirs, though zeros lie behind them; their number is bound."""
    plan = tacit.NonPrivate().plan(
        tacit.Mean(tacit.Interval(0.0, 9.0), tacit.Everyone(), rounds=1, people=9)
    )
    book = tacit.Ledger(tmp_path / "ledger.db")
    learner = tacit.statistics.Average()
    nine, ten = np.full(9, 3.0, np.float32), np.append(np.full(9, 3.0, np.float32), np.float32(0))
    grant = tacit.Arrays(nine, "nine").grant(plan, learner, book, grant_id="g")

    with pytest.raises(tacit.ledger.LedgerError, match="data"):
        tacit.Arrays(ten, "nine").grant(plan, learner, book, grant_id="g")
    assert float(jax.device_get(grant.run().answer)) == pytest.approx(3.0)
