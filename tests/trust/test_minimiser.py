"""A linear model through the same questions: planned, charged, released."""

import numpy as np
import pytest

import quick_keys
import tacit
from tacit.contribution import Ball, Interval, OneHot, Product
from tacit.ledger import receipt
from tacit.solve.losses import Hinge, Logistic, Multinomial
from tacit.solve.regularisers import L2

PEOPLE = 2000
BINARY = Product(Ball(3, 2.0), Interval(-1.0, 1.0))


def table(seed: int = 0) -> np.ndarray:
    """Two features and a constant, and the label that the first feature decides."""
    rng = np.random.default_rng(seed)
    features = np.hstack([rng.uniform(-1, 1, (PEOPLE, 2)), np.ones((PEOPLE, 1))])
    labels = np.where(features[:, 0] > 0.2, 1.0, -1.0)
    return np.hstack([features, labels[:, None]]).astype(np.float32)


def asked(loss=None, shape=BINARY) -> tacit.OfRows:
    return tacit.OfRows(shape, PEOPLE, tacit.question.Minimiser(loss or Logistic(), L2(0.001)))


def release(plan, folder, seed=3) -> tacit.Release:
    book = tacit.Ledger(folder / "ledger.db")
    for promise in plan.guarantees:
        book.limit("people", promise.observer, promise.relation, 10.0, 0.1)
    people = tacit.Arrays(table(), "people")
    learner = tacit.statistics.Answers(1, shape=(plan.question.size,))
    return people.grant(plan, learner, book, seed=seed).run()


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("relation", list(tacit.Relation))
def test_a_model_is_learnt_and_its_promise_recomputed(delta, relation, tmp_path):
    """The weights separate the classes, and the receipt verifies."""
    plan = tacit.Central(2.0, delta, relation).plan(asked())
    made = release(plan, tmp_path)
    rows, weights = table(1), np.asarray(made.state[0][0])
    promise = plan.guarantees[0]
    path = tmp_path / "receipt.json"
    receipt.write(path, [made.receipt()])

    assert np.mean(np.sign(rows[:, :3] @ weights) == rows[:, 3]) > 0.93
    assert promise.epsilon <= 2.0 and promise.delta_reserved <= promise.delta <= max(delta, 1e-9)
    assert receipt.verify(path).sound


def test_more_classes_have_a_column_of_weights_each():
    """The answer has every class's weights, one feature after the other."""
    shape = Product(Ball(3, 2.0), OneHot(4))
    plan = tacit.Central(1.0, 1e-5).plan(asked(Multinomial(4), shape))

    assert 12 == plan.question.size


@pytest.mark.parametrize(
    "shape, loss, message",
    [
        (Interval(0.0, 1.0), Logistic(), "a Product of a Ball of features and one label"),
        (Product(Interval(0.0, 1.0), Ball(3, 1.0)), Logistic(), "a Ball of features and one"),
        (BINARY, Hinge(), "the Hinge loss has no"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(shape, loss, message):
    """Before anything is planned, in one sentence."""
    with pytest.raises(ValueError, match=message):
        tacit.Central(1.0, 1e-5).plan(asked(loss, shape))


def test_the_mechanism_gets_all_rows_and_the_key_of_the_round(tmp_path):
    """The release is what the mechanism gives for the same rows and key, to the bit."""
    plan = tacit.Central(2.0, 1e-5).plan(asked())
    first, second = (release(plan, tmp_path / name, seed=5) for name in _folders(tmp_path))

    np.testing.assert_array_equal(first.state[0], second.state[0])
    own = plan.server.mechanism.sample(quick_keys.key(0), table())
    assert own.shape == (3,) and not np.array_equal(own, first.state[0][0])


def _folders(path) -> tuple[str, str]:
    for name in ("a", "b"):
        (path / name).mkdir()
    return "a", "b"


def test_the_last_iterate_is_for_a_public_number_of_people():
    """With more than twice as many descent would not contract, and a refusal would tell."""
    descent = tacit.question.LastIterate(Logistic(), L2(0.001), radius=20.0, steps=50)
    with pytest.raises(ValueError, match="replace-one and zero-out, where the number of people"):
        tacit.Central(2.0, 1e-5).plan(tacit.OfRows(BINARY, PEOPLE, descent))


@pytest.mark.parametrize("relation", [tacit.Relation.REPLACE_ONE, tacit.Relation.ZERO_OUT])
def test_the_last_iterate_is_learnt_and_its_promise_recomputed(relation, tmp_path):
    """Fifty hidden steps through the same questions; the receipt verifies."""
    descent = tacit.question.LastIterate(Logistic(), L2(0.001), radius=20.0, steps=50)
    plan = tacit.Central(2.0, 1e-5, relation).plan(tacit.OfRows(BINARY, PEOPLE, descent))
    made = release(plan, tmp_path)
    rows, weights = table(1), np.asarray(made.state[0][0])
    path = tmp_path / "receipt.json"
    receipt.write(path, [made.receipt()])

    assert np.mean(np.sign(rows[:, :3] @ weights) == rows[:, 3]) > 0.9
    assert plan.guarantees[0].epsilon <= 2.0
    assert receipt.verify(path).sound
    with pytest.raises(ValueError, match="needs a delta above 0"):
        tacit.Central(2.0, 0.0, relation).plan(tacit.OfRows(BINARY, PEOPLE, descent))


@pytest.mark.parametrize("epsilon, delta", [(5.0, 1e-6), (8.0, 1e-5), (12.0, 1e-5)])
def test_samplers_never_use_up_a_promise(epsilon, delta):
    """Where they are further from their laws, more of delta is set aside."""
    promise = tacit.Central(epsilon, delta).plan(asked()).guarantees[0]

    assert promise.epsilon <= epsilon and promise.delta_reserved < promise.delta == delta
