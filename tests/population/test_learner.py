"""What a grant is of, and for whom: refused in a sentence, before anything is charged."""

import numpy as np
import pytest

import tacit

QUESTION = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), rounds=1, people=4)
TRUST = tacit.Central(1.0, 1e-6)
PLAN, LEARNER = TRUST.plan(QUESTION), tacit.statistics.Average()


@pytest.mark.parametrize(
    "plan, learner, why",
    [
        (TRUST, LEARNER, r"a grant is of a plan, .*plan\(question\).* got .*Central"),
        (None, LEARNER, "a grant is of a plan"),
        (tacit.Plan, LEARNER, "a grant is of a plan"),
        (PLAN, None, r"a grant needs a learner, which has init, ask and tell.*Average\(\)"),
        (PLAN, tacit.statistics.Average, "a grant needs a learner"),
        (PLAN, max, "a grant needs a learner"),
    ],
    ids=str,
)
def test_what_is_no_plan_and_no_learner_is_refused(tmp_path, plan, learner, why):
    """A trust model, nothing, or a class that nobody called; no account is opened."""
    people = tacit.Arrays(np.zeros(4, np.float32), "people")
    ledger = tacit.Ledger(tmp_path / "ledger.db")
    ledger.limit_for("people", PLAN)
    with pytest.raises(ValueError, match=why):
        people.grant(plan, learner, ledger)

    assert 0 == ledger.spent("people")[0].epsilon
