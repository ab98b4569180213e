"""Minima of a regularised objective: one person moves it, its curvature, and so the density.

Everything is in one dimension, where the exact minimum of a few people with a random slope b is the
root of a growing function of w: b's negative, tabulated and interpolated. The mechanisms' own noise
goes in at both ends. The Huberised hinge reaches the stated bounds, slope and curvature at once.
"""

from functools import partial

import jax
import numpy as np

from audits.row import Row
from tacit.accounting.relation import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.mechanisms.rows.output_perturbation import OutputPerturbation
from tacit.solve.losses import HuberisedHinge
from tacit.solve.objective import Objective
from tacit.solve.regularisers import L2

EPSILON, DELTA, BOUND = 1.0, 1e-3, 2.0
LOSS = HuberisedHinge(0.5)
# One person, replaced by one with the other label; or by a row of zeros, whose part is constant.
RIGHT, LEFT, NOBODY = (BOUND, 1.0), (BOUND, -1.0), (0.0, 1.0)
WEIGHTS = np.concatenate([-np.geomspace(1e-4, 1e4, 40_000)[::-1], np.geomspace(1e-4, 1e4, 40_000)])


def _objective(ridge: float, bound: float = BOUND) -> Objective:
    return Objective(LOSS, L2(ridge), bound, 1, 1)


@partial(jax.jit, static_argnums=2)
def _limbs(noise, key, draws):
    """Independent numbers, of a law on whole steps."""
    return noise.limbs(key, (draws,))


def _noise(mechanism: Laplace | Gaussian, key, draws: int) -> np.ndarray:
    law = mechanism.noise if isinstance(mechanism, Laplace) else mechanism.steps
    high, low = (np.asarray(part, np.float64) for part in _limbs(law, key, draws))
    return (high * 2**15 + low) * mechanism.step


def _gradient(person: tuple[float, float], ridge: float, weights: np.ndarray) -> np.ndarray:
    x, y = person
    return x * LOSS.slope(x * weights, np.full_like(weights, y)) + ridge * weights


def _minima(person: tuple[float, float], ridge: float, tilts: np.ndarray) -> np.ndarray:
    """The exact minimum for each slope."""
    return np.interp(-tilts, _gradient(person, ridge, WEIGHTS), WEIGHTS)


def _one_step(person: tuple[float, float], ridge: float, tilts: np.ndarray) -> np.ndarray:
    """What one Newton step from the knot of the parabola returns: a solver that gave up."""
    start = np.full(1, 1 / 4)
    x, y = person
    bend = ridge + x * x * LOSS.curvature(x * start, np.full(1, y))
    return start - (_gradient(person, ridge, start) + tilts) / bend


def _released(made, solver, ridge, person, key, draws):
    """Tilted minima with the noise that hides the solver."""
    for_tilt, for_spread = jax.random.split(key)
    found = solver(person, ridge, _noise(made.tilt, for_tilt, draws))
    return found + _noise(made.spread, for_spread, draws)


def _objective_pair(made, people, solver=_minima, ridge=None):
    ridge = made.objective.strength if ridge is None else ridge
    one, other = (partial(_released, made, solver, ridge, person) for person in people)
    return one, other


def _with_noise(made, person, key, draws):
    ridge = made.objective.strength
    return _minima(person, ridge, np.zeros(1)) + _noise(made.noise, key, draws)


def _output_pair(made, people, share=1.0):
    def scaled(person, key, draws):
        centre = _minima(person, made.objective.strength, np.zeros(1))
        return centre + share * (_with_noise(made, person, key, draws) - centre)

    one, other = (partial(scaled, person) for person in people)
    return one, other


def _output() -> list[Row]:
    """Steep slopes on opposite sides: the minima are exactly the sensitivity apart."""
    aim, people = _objective(20.0), (RIGHT, LEFT)
    rows = []
    for name, make, delta in (
        ("pure", OutputPerturbation.pure, 0.0),
        ("Gaussian", partial(_gaussian, OutputPerturbation), DELTA),
    ):
        made = make(aim, EPSILON, Relation.REPLACE_ONE)
        alone = make(aim, EPSILON, Relation.ADD_REMOVE)
        narrow = make(_objective(20.0, 1.0), EPSILON, Relation.REPLACE_ONE)
        planted = {
            "factor 2 missing": _output_pair(alone, people),
            "bound 1 for rows of norm 2": _output_pair(narrow, people),
            "half noise": _output_pair(made, people, 0.5),
        }
        law = made.noise.delta if isinstance(made.noise, Gaussian) else None
        pair = _output_pair(made, people)
        rows.append(
            Row(
                "learning",
                f"output perturbation, {name}",
                EPSILON,
                pair[0],
                pair[1],
                planted,
                delta,
                law,
            )
        )
    return rows


def _gaussian(kind, objective, epsilon, relation):
    return kind.gaussian(objective, epsilon, DELTA, relation)


def _pure_objective() -> Row:
    """A strong penalty: where the slope is steepest so is the curvature, all of epsilon is used."""
    ridge, people = 16.0, (RIGHT, LEFT)
    made = ObjectivePerturbation.pure(_objective(ridge), EPSILON, Relation.REPLACE_ONE)
    alone = ObjectivePerturbation.pure(_objective(ridge), EPSILON, Relation.ADD_REMOVE)
    double = ObjectivePerturbation.pure(_objective(ridge), 2 * EPSILON, Relation.REPLACE_ONE)
    planted = {
        "factor 2 missing": _objective_pair(alone, people),
        "half noise": _objective_pair(double, people),
        "penalty left out for the intercept": _objective_pair(made, (RIGHT, NOBODY), ridge=0.05),
    }
    pair = _objective_pair(made, people)
    return Row("learning", "objective perturbation, pure", EPSILON, pair[0], pair[1], planted)


def _determinants() -> Row:
    """A penalty as weak as allowed: half of epsilon is the determinant's."""
    bound, people = 4.0, ((4.0, 1.0), NOBODY)
    made = ObjectivePerturbation.pure(_objective(1e-3, bound), EPSILON, Relation.ADD_REMOVE)
    planted = {
        # The penalty is then as much smaller as the bound is large.
        "c R for c R²": _objective_pair(made, people, ridge=made.raised / bound),
        "solver stopped after a step": _objective_pair(made, people, _one_step),
    }
    pair = _objective_pair(made, people)
    return Row(
        "learning", "objective perturbation, determinants", EPSILON, pair[0], pair[1], planted
    )


def _gaussian_objective() -> Row:
    people = (RIGHT, LEFT)
    aim = _objective(400.0)
    made = ObjectivePerturbation.gaussian(aim, EPSILON, DELTA, Relation.REPLACE_ONE)
    alone = ObjectivePerturbation.gaussian(aim, EPSILON, DELTA, Relation.ADD_REMOVE)
    weak = made.objective.strength / 4000
    planted = {
        "factor 2 missing": _objective_pair(alone, people),
        "penalty left out for the intercept": _objective_pair(made, (RIGHT, NOBODY), ridge=weak),
    }
    pair = _objective_pair(made, people)
    curve = made.delta_at
    return Row(
        "learning", "objective perturbation, Gaussian", EPSILON, *pair, planted, DELTA, curve
    )


ROWS = [*_output(), _pure_objective(), _determinants(), _gaussian_objective()]
