"""What a released covariance says of itself."""

import numpy as np

import tacit
from tacit.statistics import Average
from tacit.statistics.answer import released
from tacit.statistics.covariance_answers import Covariances, FoundCovariance, FoundLaw
from tacit.statistics.moment_limits import MomentLimits

SQUARE = np.array([[4.0, 1.0], [1.0, -0.25]])


def test_covariances_print_their_errors_and_keep_what_was_run(tmp_path):
    """Variances as they came out, deviations not below zero, and what was promised; who can check
    is given the receipt."""
    plan = tacit.Central(1.0, 1e-6).plan(tacit.Mean(tacit.Ball(2, 1.0), tacit.Everyone(), 1, 5))
    book = tacit.Ledger(tmp_path / "l.db")
    book.limit_for("people", plan)
    release = released(plan, Average((2,)), np.zeros((5, 2)), "people", book, 1, None, "squares")
    labels, two = ("age", "pay"), np.array([1.0, 2.0])
    known = MomentLimits(plan, 5.0, two, SQUARE, 0.5, True, 0.0)
    errors = two / 10, abs(SQUARE) / 10
    several = Covariances(labels, 5.0, two, SQUARE, *errors, known, 0 * two, two, release)
    found = FoundCovariance("covariance of people", labels, SQUARE, 0.125, release, ())

    *said_first, remark, _, _ = repr(several).splitlines()
    assert remark.startswith("the variance of age, pay came out below zero, or above what the")
    assert max(map(len, repr(several).splitlines())) <= 80
    assert said_first == [
        "5 people",
        "age  mean 1 ± 0.1   variance 4 ± 0.4",
        "pay  mean 2 ± 0.2   variance -0.25 ± 0.025",
        "age and pay  covariance 1 ± 0.1",
        "± is the root mean square error, predicted; seeded, so not private",
    ]
    unknown = Covariances(labels, 5.0, two, SQUARE, None, None, known, 0 * two, two, release)
    assert repr(unknown).splitlines()[1:5] == [
        "age  mean 1   variance 4",
        "pay  mean 2   variance -0.25",
        "age and pay  covariance 1",
        "how far off they are is not known; seeded, so not private",
    ]
    first, *deviations, said, private = repr(found).splitlines()
    assert (first, deviations) == ("covariance of people", ["age  deviation 2", "pay  deviation 0"])
    assert said.startswith("off by about 0.12 in its own units") and private == "private"
    law = FoundLaw("law of people", labels, two, SQUARE, 0.5, 0.125, release, ())
    assert repr(law).splitlines()[:3] == [
        "law of people",
        "age  mean 1   deviation 2",
        "pay  mean 2   deviation 0",
    ]
    assert "mean off by about 0.5 deviations, covariance by 0.12 in" in repr(law)
    for each in (several, found, law):
        assert each.plan is plan and each.receipt() == release.receipt()
