"""Statistics without privacy: the number itself, by plain NumPy."""

from typing import Any

import jax
import numpy as np
import pytest

import quick_keys
import tacit
from tacit.solve.losses import Logistic
from tacit.solve.regularisers import L2

UNIT = tacit.Interval(0.0, 1.0)
VALUES = np.random.default_rng(3).uniform(-0.5, 1.5, 41).astype(np.float32)
INSIDE = np.sort(np.clip(VALUES, 0.0, 1.0).astype(np.float64))


def answer(statistic, rows=VALUES, shape: Any = UNIT, folder: Any = None) -> np.ndarray:
    """What a run without any privacy releases."""
    question = tacit.OfRows(shape, len(rows), statistic)
    plan = tacit.NonPrivate().plan(question)
    assert plan.guarantees == () and plan.error is None
    learner = tacit.statistics.Answers(1, shape=(question.size,))
    return np.asarray(tacit.Arrays(rows, "rows").grant(plan, learner, folder).run().state[0][0])


QUANTILES = [
    tacit.question.Quantile(0.3),
    tacit.question.SmoothQuantile(0.3),
    tacit.question.ProposedQuantile(1e-9, 0.3),
]


@pytest.mark.parametrize("statistic", QUANTILES, ids=lambda each: type(each).__name__)
def test_a_quantile_is_the_number_at_its_rank(statistic, tmp_path):
    """Of numbers brought into the interval; a proposal is never turned down."""
    assert answer(statistic, folder=tmp_path / "l.db") == pytest.approx(INSIDE[12])


def test_a_trimmed_mean_leaves_out_both_ends(tmp_path):
    """Four of forty-one at either end."""
    found = answer(tacit.question.TrimmedMean(0.1), folder=tmp_path / "l.db")
    assert found == pytest.approx(INSIDE[4:-4].mean(), rel=1e-6)


@pytest.mark.parametrize(
    "kind, wanted", [(tacit.question.BlockMeans, 0.25), (tacit.question.BlockMedians, 0.0)]
)
def test_blocks_are_summarised_without_noise(kind, wanted, tmp_path):
    """Half of four blocks answer one half; the others nothing, so the lower end."""
    seen = []

    def function(block):
        seen.append(len(block))
        return 0.5 if len(seen) % 2 else np.nan

    found = answer(kind(function, 4, (UNIT,)), folder=tmp_path / "l.db")
    assert found == wanted and seen == [10] * 4


LABELLED = tacit.Product(tacit.Ball(2, 1.0), tacit.Interval(-1.0, 1.0))


def test_a_linear_models_minimum_and_where_descent_ends_agree(tmp_path):
    """After many steps; and the gradient of the objective vanishes there."""
    key = jax.random.normal(quick_keys.key(1), (50, 3))
    rows = np.array(key.at[:, :2].multiply(0.3).at[:, 2].set(np.sign(key[:, 2])))
    least = answer(tacit.question.Minimiser(Logistic(), L2(0.1)), rows, LABELLED, tmp_path / "a.db")
    descent = tacit.question.LastIterate(Logistic(), L2(0.1), 10.0, 500)
    ended = answer(descent, rows, LABELLED, tmp_path / "b.db")
    near = rows[:, :2] * np.minimum(1, 1 / np.linalg.norm(rows[:, :2], axis=1))[:, None]
    slope = near.T @ Logistic().slope(near @ least, rows[:, 2]) / 50 + 0.1 * least

    np.testing.assert_allclose(slope, 0, atol=1e-5)
    np.testing.assert_allclose(ended, least, atol=1e-4)


def test_the_leading_direction_is_the_first_eigenvector(tmp_path):
    """Of rows brought into the shape; either way round."""
    rows = np.random.default_rng(0).normal(size=(200, 3)) * [0.2, 0.5, 0.1]
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
    asked = tacit.question.LeadingDirection()
    found = answer(asked, rows.astype(np.float32), tacit.contribution.Outer(3, 1.0), tmp_path / "l")
    exact = np.linalg.eigh(rows.T @ rows)[1][:, -1]

    assert abs(found @ exact) == pytest.approx(1, abs=1e-6)
