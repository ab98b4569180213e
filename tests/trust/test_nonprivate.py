"""No privacy: the exact mean, and nothing that looks like a promise."""

import numpy as np

import small
import tacit
from measured import answers
from tacit.trust.nonprivate import NonPrivate


def test_the_answer_is_the_exact_mean():
    """No noise on the device or at the server; terms are still brought into their shape."""
    plan = NonPrivate().plan(tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 1, 3))
    answer = answers(plan, np.array([0.5, -0.25, 7.0], np.float32), 2, 1)

    np.testing.assert_allclose(np.full(2, 1.25 / 3), answer, rtol=1e-6)
    assert (0.0, 0.0) == (plan.error, plan.server.facts.noise)


def test_nothing_is_promised_and_nothing_charged(tmp_path):
    """The plan is not private, no account moves, and the release says so."""
    plan = small.plan(trust=NonPrivate())
    book = tacit.Ledger(tmp_path / "ledger.db")
    release = small.people().grant(plan, tacit.statistics.Average(), book).run()

    assert () == plan.guarantees and not plan.private and not release.private
    assert [] == list(book.spent("thirty"))


def test_every_participation_is_allowed():
    """There is no relation to prove anything for."""
    for who in (tacit.Everyone(), tacit.Poisson(0.2), tacit.Fixed(3), tacit.Once()):
        question = tacit.Mean(tacit.Ball(2, 1.0), who, 2, 10)
        assert question.cohort == NonPrivate().plan(question).server.divisor
