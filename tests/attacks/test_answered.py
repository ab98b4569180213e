"""Answers about made people."""

import numpy as np

import tacit
from tacit.attacks.answered import mean_of
from tacit.question.participation import Everyone
from tacit.question.sums import Mean


def test_the_answer_is_the_plans():
    """The exact mean without privacy; the same for the same seed, another for another, with it."""
    terms = np.array([[0.5, 0.0], [0.0, -0.25]], np.float32)
    question = Mean(tacit.Ball(2, 1.0), Everyone(), 1, 2)
    plan = tacit.Central(1.0, 1e-6).plan(question)
    one, again, other = (mean_of(plan, terms, seed) for seed in (1, 1, 2))

    assert np.allclose(mean_of(tacit.NonPrivate().plan(question), terms, 1), [0.25, -0.125])
    assert np.array_equal(one, again) and not np.array_equal(one, other)
