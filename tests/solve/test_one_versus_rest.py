"""One versus the rest: the sum of binary losses, with the constants that privacy rests on."""

import itertools
import math

import numpy as np
import pytest

from tacit.contribution import Ball, OneHot, Product
from tacit.solve.losses import HuberisedHinge, Logistic
from tacit.solve.minimise import minimise
from tacit.solve.objective import Examples, Objective
from tacit.solve.one_versus_rest import OneVersusRest, of_classes
from tacit.solve.regularisers import L2

CLASSES = 4
LOSSES = [OneVersusRest(Logistic(), CLASSES), OneVersusRest(HuberisedHinge(0.5), CLASSES)]


def drawn(people: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores from small to large, and labels."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1, (people, CLASSES)) * 10 ** rng.uniform(-2, 2, (people, 1))
    return scores, rng.integers(0, CLASSES, people).astype(float)


@pytest.mark.parametrize("loss", LOSSES)
def test_it_is_the_sum_of_the_classes_own(loss):
    """Each against the rest; slope and curvature are its derivatives, by difference quotients."""
    scores, labels = drawn()
    signs = np.where(labels[:, None] == np.arange(CLASSES), 1.0, -1.0)
    own = [loss.loss.value(scores[:, c], signs[:, c]) for c in range(CLASSES)]

    np.testing.assert_allclose(loss.value(scores, labels), np.sum(own, axis=0), rtol=1e-12)
    for c, step in enumerate(1e-6 * np.eye(CLASSES)):
        ahead, behind = scores + step, scores - step
        slopes = (loss.value(ahead, labels) - loss.value(behind, labels)) / 2e-6
        bends = (loss.slope(ahead, labels) - loss.slope(behind, labels)) / 2e-6
        np.testing.assert_allclose(loss.slope(scores, labels)[:, c], slopes, atol=1e-6)
        far = np.abs(np.abs(1 - signs * scores) - 0.5).min(axis=1) > 1e-5
        np.testing.assert_allclose(loss.curvature(scores, labels)[far, c], bends[far], atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_slope_is_outside_the_hull_of_its_corners(loss):
    """A slope is a product of numbers from zero to the class's corner: 2^k points, one of them 0.

    So many corners, none longer than the bound, which the longest one meets.
    """
    scores, labels = drawn()
    slopes = loss.slope(scores, labels)
    signs = np.where(labels[:, None] == np.arange(CLASSES), 1.0, -1.0)
    shares = -signs * slopes

    assert shares.min() >= 0 and shares.max() <= 1 + 1e-12
    corners = np.array(list(itertools.product([0.0, 1.0], repeat=CLASSES)))
    assert len(corners) - 1 == loss.corners
    assert np.linalg.norm(corners, axis=1).max() == pytest.approx(loss.slope_bound)
    assert np.linalg.norm(slopes, axis=1).max() > 0.99 * loss.slope_bound
    assert loss.lipschitz(3.0) == pytest.approx(3 * math.sqrt(CLASSES))


@pytest.mark.parametrize("loss", LOSSES)
def test_one_person_changes_the_determinant_by_the_volume_at_most(loss):
    """Of the whole Hessian, by brute force; somebody comes near, beyond one class's volume."""
    rng, ratios, strength = np.random.default_rng(1), [], 0.05
    labels = rng.integers(0, CLASSES, 300).astype(float)
    scores = rng.normal(0, 0.3, (300, CLASSES)) + np.where(
        labels[:, None] == np.arange(CLASSES), 1.0, -1.0
    ) * (0 if isinstance(loss.loss, Logistic) else 1)
    for bend in loss.curvature(scores, labels):
        row = rng.normal(size=3)
        row /= np.linalg.norm(row)
        hessian = np.kron(np.outer(row, row), bend)
        whole = np.linalg.slogdet(np.eye(3 * CLASSES) + hessian / strength)[1]
        ratios.append(whole)
    most = loss.volume(1 / strength)

    assert max(ratios) <= most + 1e-9
    assert max(ratios) > 0.95 * most > loss.loss.volume(1 / strength)
    assert np.linalg.eigvalsh(loss.curvature(scores, labels)).max() <= loss.curvature_bound + 1e-12


def test_the_minimum_is_that_of_separate_models():
    """The solver proves its answer, and each column is a binary model's own."""
    rng = np.random.default_rng(2)
    rows = rng.normal(0, 0.5, (400, 3))
    labels = rng.integers(0, CLASSES, 400).astype(float)
    penalty = L2(0.01)
    whole = Objective(LOSSES[1], penalty, 4.0, 400, 3)
    found = minimise(whole, Examples(rows, labels, 0), 1e-6).point
    for c in range(CLASSES):
        single = Objective(HuberisedHinge(0.5), penalty, 4.0, 400, 3)
        signs = np.where(labels == c, 1.0, -1.0)
        own = minimise(single, Examples(rows, signs, 0), 1e-6).point
        np.testing.assert_allclose(found[:, c], own, atol=1e-6)


def test_labels_are_numbers_of_classes():
    """None else is one; two classes are one score's."""
    labels = np.array([0.0, 3.0, 4.0, -1.0, 0.5, np.nan])

    assert LOSSES[0].valid(labels).tolist() == [True, True, False, False, False, False]
    assert of_classes(Logistic(), 2) == Logistic()
    assert of_classes(Logistic(), 3).outputs == (3,)
    assert Product(Ball(3, 1.0), OneHot(3)).shape == (4,)


@pytest.mark.parametrize("classes", [1, 129])
def test_refuses(classes):
    """Fewer than two classes, and more than the corners are counted for."""
    with pytest.raises(ValueError, match=f"between 2 and 128, got {classes}"):
        OneVersusRest(Logistic(), classes)


def test_it_is_named_with_the_loss_of_one_class():
    """A sum over classes of that."""
    said = "the sum over classes, each against the rest, of the logistic loss"
    assert OneVersusRest(Logistic(), 3).words == said
