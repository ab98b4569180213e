"""A kernel machine of public features: one weight for each, and none of anybody's rows."""

import numpy as np
import pytest

import tacit
from estimators.people_like_these import BOUNDS, rows
from tacit.estimators import SVC, LinearSVC
from tacit.estimators.declared import RADIUS

X = rows()
RING = np.where(np.linalg.norm(X[:, :2] - 3, axis=1) > 2.3, "out", "in")
FREE = tacit.NonPrivate()
TOLD = {"bounds": BOUNDS, "classes": ["in", "out"], "people": len(X), "seed": 0}


def test_a_kernel_machine_releases_no_rows():
    """It learns a ring, which no line tells apart, and holds one weight for each feature."""
    model = SVC(FREE, gamma=20.0, pairs=50, penalty=1e-4).fit(X, RING)
    line = LinearSVC(FREE).fit(X, RING)

    assert model.score(X, RING) > 0.9 > line.score(X, RING) + 0.1
    assert model.weights_.shape == (1, 100) and not hasattr(model, "support_vectors_")
    assert model.plan_.question.features.dim == 101


def test_a_plan_is_the_fits():
    """Of as many features as are made, whatever the table's are."""
    model = SVC(tacit.Central(1.0, 0.0), pairs=2, **TOLD)
    before, fitted = model.plan(3), model.fit(X, RING)

    assert before.plan == fitted.plan_ and before.foreseen == fitted.settings_.lost
    assert before.plan.question.size == 5 == model.plan(["a"]).plan.question.size


def test_features_are_of_the_public_seed_alone():
    """So whoever has the model can make them; another seed makes others."""
    models = [SVC(FREE, pairs=3, penalty=0.01, frequencies=seed) for seed in (1, 1, 2)]
    one, same, other = (model.fit(X, RING).features_.frequencies for model in models)

    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0.1


def test_scores_are_of_weighted_features():
    """Of rows in the ball, clipped to the bounds."""
    model = SVC(FREE, bounds=BOUNDS, pairs=3, penalty=0.01).fit(X, RING)
    inside = model.box_.ball(np.clip(X, *BOUNDS))
    expected = RADIUS * model.features_(inside) @ model.weights_[0] + model.intercept_[0]

    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-6)


@pytest.mark.parametrize("trust", [tacit.Local(4.0), tacit.Shuffled(1.0, 1e-6)])
def test_there_must_be_a_curator(trust):
    """What people randomise is not asked for so many numbers."""
    with pytest.raises(ValueError, match="trust must be one of Central, NonPrivate, got"):
        SVC(trust, **TOLD).plan(3)
