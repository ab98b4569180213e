"""What public records teach a model before anybody is asked."""

from functools import cache

import equinox as eqx
import jax
import numpy as np
import pytest
from jax import random

from tacit.experiments.pretraining import pretrained
from tacit.federated.classifying import accuracy
from tacit.models.losses import cross_entropy
from tacit.models.networks import Perceptron


@cache
def network():
    """As it starts."""
    return Perceptron(4, 8, 3, random.key(0))


def clouds(many: int, seed: int):
    """Rows about one of three points, and which."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 3, many).astype(np.int32)
    rows = np.eye(3, 4)[labels] + draw.normal(0, 0.2, (many, 4))
    return rows.astype(np.float32), labels


def loss(model, records):
    rows, labels = records
    return cross_entropy(model(rows), labels, labels >= 0)


def made(records=None, epochs=10, batch=20, rate=0.03, seed=0, own=loss):
    given = clouds(205, 0) if records is None else records
    return pretrained(network(), own, given, epochs, batch, rate, seed)


def test_what_it_never_saw_is_told_apart():
    """Of three kinds nearly all, where the start knows a third."""
    rows, labels = clouds(300, 1)

    assert accuracy(network(), rows, labels) < 0.5
    assert accuracy(made(), rows, labels) > 0.95


def test_one_seed_makes_one_model():
    """And another has another order."""
    one, again, other = (jax.tree.leaves(made(seed=seed)) for seed in (0, 0, 1))

    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_pass_meets_a_record_at_most_once_and_all_but_a_rest():
    """Whole batches: of seven records by two a step, six of each pass, and in all of them each."""
    seen: list[np.ndarray] = []

    class Seen(np.ndarray):
        def __getitem__(self, rows):
            seen.append(rows)
            return np.asarray(self)[rows]

    def still(model, records):
        return 0.0 * model.first.bias.sum()

    made(np.arange(7).view(Seen), epochs=8, batch=2, own=still)
    passes = [set(each.tolist()) for each in np.reshape(seen, (8, 6))]

    assert [len(each) for each in passes] == [6] * 8
    assert set().union(*passes) == set(range(7))


def test_the_last_step_is_the_shortest():
    """Of equal slopes Adam's steps are its rates, which fall along half a cosine."""

    def sloping(model, records):
        return model.first.bias.sum()

    ends = [made(epochs=n, batch=205, own=sloping).first.bias[0] for n in (1, 2, 4)]
    rates = [0.5 * (1 + np.cos(np.pi * np.arange(n) / n)).sum() for n in (1, 2, 4)]

    moved = np.asarray(network().first.bias[0]) - np.array(ends)
    np.testing.assert_allclose(moved, 0.03 * np.array(rates), rtol=1e-4)


def test_what_is_no_number_of_a_model_stays():
    """Only arrays of real numbers are learned."""

    class Counting(eqx.Module):
        inner: Perceptron
        count: jax.Array

    def own(model, records):
        return loss(model.inner, records)

    start = Counting(network(), jax.numpy.arange(3))
    found = pretrained(start, own, clouds(40, 0), 1, 20, 0.03)

    assert found.count.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"epochs": 0}, "epochs must be a whole number of at least 1, got 0"),
        ({"batch": 2.5}, "batch must be a whole number of at least 1, got 2.5"),
        ({"rate": 0.0}, "rate must be positive and finite, got 0.0"),
        ({"batch": 206}, "batch must be at most the 205 records, got 206"),
        ({"records": (np.zeros(3), np.zeros(4))}, "as many rows as each other, got [3, 4]"),
    ],
)
def test_what_teaches_nothing_is_refused(changed, said):
    """In one sentence."""
    with pytest.raises(ValueError) as error:
        made(**changed)
    assert said in str(error.value)
