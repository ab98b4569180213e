"""The risk of a sparse linear model: its constants, and gradients that keep to them."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.learning.linear_risk import LinearRisk, refuse_no_risk
from tacit.solve.losses import Huber, Logistic, Multinomial, Squared

RISK = LinearRisk(Huber(3.0), 2, 2.0, 5.0)


def test_constants_are_those_of_the_loss_and_the_ball():
    """S R, and (2 r R)² sup l'': Huber's slope is at most its width, its curvature one."""
    assert (RISK.bound, RISK.curvature) == (15.0, 400.0)
    assert LinearRisk(Logistic(), 2, 0.5).bound == 1.0
    assert LinearRisk(Logistic(), 2, 0.5).curvature == 0.25


@pytest.mark.parametrize("label", [0.0, 1e30, -1e30, np.nan, np.inf])
@pytest.mark.parametrize("feature", [7.0, -1e30, np.nan, np.inf, 1.0])
def test_no_gradient_is_beyond_the_bound(feature, label):
    """Whatever somebody hands over; strictly, as a product is rounded afterwards."""
    rows = RISK.cut(jnp.array([[feature, 5.0]], jnp.float32))
    terms = RISK.gradients(rows, jnp.array([label]), jnp.array([1e3]))
    total = np.asarray(terms.weighted_sum(jnp.ones((1, 1))))

    assert np.all(np.abs(total) <= RISK.bound) and float(terms.norms[0, 0]) <= RISK.bound
    assert not total.any() or abs(label) <= 2.0**100


def test_features_are_cut_to_the_nearer_bound():
    """What is none counts as zero."""
    np.testing.assert_array_equal(
        RISK.cut(jnp.array([6.0, -6.0, 4.0, np.nan])), [5.0, -5.0, 4.0, 0.0]
    )


def test_a_label_that_is_none_of_the_losses_has_no_slope():
    """Of two classes labels are -1 and 1."""
    risk = LinearRisk(Logistic(), 2, 1.0)
    slopes = risk.slopes(jnp.zeros(4), jnp.array([1, -1, 0, 2]), risk.steepest)

    np.testing.assert_array_equal(slopes, [-0.5, 0.5, 0.0, 0.0])


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: LinearRisk(Squared(), 3, 1.0), r"Squared .* no Lipschitz .* Huber has one"),
        (lambda: LinearRisk(Multinomial(3), 3, 1.0), "weights of one score"),
        (lambda: LinearRisk("huber", 3, 1.0), "a loss must be one of .*, got 'huber'"),
        (lambda: LinearRisk(Huber(), 0, 1.0), "dim must be a whole number of at least 1, got 0"),
        (lambda: LinearRisk(Huber(), "3", 1.0), "dim must be a whole number .* got '3'"),
        (lambda: LinearRisk(Huber(), 3, np.nan), "radius must be between"),
        (lambda: LinearRisk(Huber(), 3, None), "radius must be between .*, got None"),
        (lambda: LinearRisk(Huber(), 3, 1.0, np.inf), "largest must be between"),
        (lambda: refuse_no_risk(LinearRisk), r"LinearRisk\(loss, dim, radius\), got LinearRisk w"),
    ],
)
def test_refuses(make, sentence):
    """What is missing or out of range, by name."""
    with pytest.raises(ValueError, match=sentence):
        make()
