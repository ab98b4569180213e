"""What is foreseen for made people behaves like what it stands for."""

import numpy as np
import pytest

from tacit.estimators.made_people import DECAY, SCORES, SPREAD, MadePeople, mean_bend, moments
from tacit.solve.losses import HuberisedHinge, Logistic, Multinomial

MADE = MadePeople(people=1000, features=12, bend=0.15)
PENALTIES = np.geomspace(1e-6, 1e3, 40)


def played(penalty: float, noise: float, draws: int = 4000) -> float:
    """One minus the squared correlation of scores, of weights as the docstring draws them."""
    numbers = np.random.default_rng(0)
    squares = moments(12)
    bent = MADE.bend * squares
    best = (SCORES / SPREAD) ** 0.5 * numbers.normal(size=(draws, 12))
    spread = np.sqrt(noise**2 + bent / MADE.people)
    found = (bent * best + spread * numbers.normal(size=best.shape)) / (bent + penalty)
    products = (squares * best * found).sum()
    return 1 - products**2 / ((squares * best**2).sum() * (squares * found**2).sum())


def test_the_moments_of_made_rows_decay_and_add_up():
    """To what all rows' do, by the stated power."""
    found = moments(12)

    assert found.sum() == pytest.approx(SPREAD, rel=1e-12)
    assert found[0] / found == pytest.approx(np.arange(1.0, 13) ** DECAY, rel=1e-12)


@pytest.mark.parametrize("penalty, noise", [(1e-4, 0.001), (1e-2, 0.01), (1.0, 0.05)])
def test_the_share_lost_is_that_of_weights_drawn(penalty, noise):
    """One minus the squared correlation with the best scores, as played."""
    foreseen = MADE.lost(np.array([penalty]), noise)[0]

    assert foreseen == pytest.approx(played(penalty, noise), rel=0.08)


def test_more_noise_loses_more_and_asks_for_a_stronger_penalty():
    """At every penalty, and at the best one."""
    less, more = MADE.lost(PENALTIES, 0.001), MADE.lost(PENALTIES, 0.01)

    assert (more > less).all()
    assert PENALTIES[more.argmin()] > PENALTIES[less.argmin()]
    assert ((more > 0) & (more < 1)).all()


def test_a_loss_bends_as_much_as_its_scores_let_it():
    """Below its bound; a capped loss less than the same without a cap."""
    for loss in (Logistic(), HuberisedHinge(0.5), Multinomial(4)):
        assert 0.1 * loss.curvature_bound < mean_bend(loss) < loss.curvature_bound
    assert mean_bend(Logistic(0.5)) < mean_bend(Logistic())
