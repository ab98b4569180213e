"""Linear models of everybody's rows: which losses and numbers they may have."""

import dataclasses
import math

import pytest

from tacit.contribution import Ball, Interval, OneHot, Product
from tacit.question.linear_models import LastIterate, Minimiser
from tacit.question.rows import OfRows
from tacit.solve.losses import Logistic, Loss
from tacit.solve.one_versus_rest import OneVersusRest
from tacit.solve.regularisers import L2

LABELLED = Product(Ball(2, 1.0), Interval(-1.0, 1.0))


@dataclasses.dataclass(frozen=True)
class Own(Logistic):  # pyright: ignore[reportGeneralTypeIssues]
    """A loss by another's name and numbers, that does what it likes."""


Own.__name__ = "Logistic"


@pytest.mark.parametrize("loss", [Own(), OneVersusRest(Own(), 3)], ids=["alone", "of classes"])
@pytest.mark.parametrize("kind", [Minimiser, lambda loss, l2: LastIterate(loss, l2, 1.0, 3)])
def test_a_loss_of_ones_own_is_refused(kind, loss):
    """Its bounds are not proved, and no plan says what it does: another each time, it may be."""
    with pytest.raises(ValueError, match="a linear model is of a loss of"):
        OfRows(LABELLED, 30, kind(loss, L2(0.1)))


@pytest.mark.parametrize("loss", [Logistic(), OneVersusRest(Logistic(), 3)])
def test_a_loss_of_the_library_is_not(loss: Loss):
    """Also for several classes."""
    label = OneHot(3) if isinstance(loss, OneVersusRest) else Interval(-1.0, 1.0)

    assert OfRows(Product(Ball(2, 1.0), label), 30, Minimiser(loss, L2(0.1))).features.dim == 2


@pytest.mark.parametrize(
    "kind, own, sentence",
    [
        (LastIterate, (Logistic(), L2(1), math.inf, 3), "radius must be .* got inf"),
        (LastIterate, (Logistic(), L2(1), 1.0, 2.5), "steps must be a whole number .* 2.5"),
        (LastIterate, (Logistic(), L2(1), 1.0, 0), "steps must be a whole number .* got 0"),
        (Minimiser, (Logistic, L2(1)), r"write Logistic\(\) and L2"),
        (Minimiser, (Logistic(), 0.1), "a penalty L2, got Logistic and 0.1"),
    ],
)
def test_unusable_models_are_refused_when_they_are_made(kind, own, sentence):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=sentence):
        kind(*own)
