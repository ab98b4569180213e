"""Networks by gradient rounds: any model of one row, from first weights that are public."""

import equinox as eqx
import numpy as np
import pytest

import quick_keys
import tacit
from estimators.people_like_these import BOUNDS, CURATOR, names, rows
from tacit.estimators import NeuralClassifier
from tacit.models.layers import Dense
from tacit.question.participation import Everyone, Fixed

X = rows()
LABELS = names(X)
FREE = tacit.NonPrivate()
TOLD = {"bounds": BOUNDS, "classes": ["no", "yes"], "people": len(X), "seed": 0}


def test_any_model_can_be_learnt():
    """Of one row, with a score for each class; a penalty-free linear one here."""
    model = NeuralClassifier(FREE, model=Dense(3, 2, quick_keys.key(1)), rounds=50, batch=2000)
    fitted = model.fit(X, LABELS)

    assert fitted.score(X, LABELS) > 0.9
    assert isinstance(fitted.model_, Dense) and not eqx.tree_equal(model.model, fitted.model_)
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)


def test_a_plan_is_of_the_models_numbers_and_the_rounds():
    """Of three features, five units and two classes 32 numbers; each gradient within the clip."""
    own = NeuralClassifier(CURATOR, hidden=5, rounds=7, batch=100, clip=0.5, **TOLD).plan(3)
    dense = NeuralClassifier(CURATOR, model=Dense.at_zero(3, 2), batch=10**6, **TOLD).plan(3)

    assert own.plan.question.contribution == tacit.Ball(32, 0.5)
    assert (own.plan.sums.rounds, own.plan.sums.participation) == (7, Fixed(100))
    assert dense.plan.question.contribution == tacit.Ball(8, 1.0)
    assert dense.plan.sums.participation == Everyone() and dense.plan.sums.rounds == 200
    assert "of a model of 32 numbers" in own.way and own.foreseen is None


def test_first_weights_are_of_the_public_seed_alone():
    """Of the number of classes and features too, and of nobody's rows."""
    one, same, other = (
        NeuralClassifier(FREE, hidden=2, start=seed, **TOLD)._first(3, 2) for seed in (1, 1, 2)
    )

    assert eqx.tree_equal(one, same) and not eqx.tree_equal(one, other)
    assert one.first.weight.shape == (3, 2) and one.second.weight.shape == (2, 2)


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"hidden": "x"}, "hidden must be a whole number of at least 1, got 'x'"),
        ({"hidden": -1}, "hidden must be a whole number of at least 1, got -1"),
        ({"start": None}, "start must be a whole number from .*, got None"),
        ({"batch": "all"}, "batch must be a whole number of at least 1, got 'all'"),
        ({"rate": None}, "rate must be positive and finite, got None"),
    ],
)
def test_what_is_no_number_is_refused(changed, said):
    """Before anything is asked."""
    with pytest.raises(ValueError, match=said):
        NeuralClassifier(CURATOR, **TOLD, **changed).plan(3)
