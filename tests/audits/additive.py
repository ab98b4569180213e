"""Noise added to a sum: neighbours as far apart as the sensitivity, in the worst direction."""

import jax
import jax.numpy as jnp
import numpy as np

from audits.row import CLOSE, Row
from tacit.mechanisms.additive.cube_norm import CubeNorm
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.additive.staircase import Staircase
from tacit.mechanisms.additive.wishart import WishartDifference
from tacit.noise.fixed import LIMB, FixedPoint

EPSILON, DIMENSION = 1.0, 3
FINE = 2.0**-20
RANGE = 4


def _whole(answer: FixedPoint) -> np.ndarray:
    return np.asarray(answer.high, np.int64) * LIMB + np.asarray(answer.low)


def _numbers(mechanism, total: int, after=lambda key, x: x):
    """One whole number a draw, each with noise of its own; `after` is done to all."""

    def sample(key, draws):
        high, low = (jnp.full(draws, limb, jnp.int32) for limb in divmod(total, LIMB))
        exact = FixedPoint(high, low, jnp.float32(1))
        answer = jax.jit(type(mechanism).sample)(mechanism, key, exact)
        return after(key, _whole(answer))

    return sample


def _within(key, answers):
    """What a sampler gives that draws again until the answer is in the range."""
    inside = answers[(answers >= 0) & (answers <= RANGE)]
    return np.resize(inside, len(answers))


def _clamped(key, answers):
    return np.clip(answers, 0, RANGE)


def _laplace() -> Row:
    sound, loud = Laplace.calibrate(EPSILON, 3, 1.0), Laplace.calibrate(1.5 * EPSILON, 3, 1.0)
    return Row(
        "central",
        "laplace",
        EPSILON,
        _numbers(sound, 0),
        _numbers(sound, 3),
        planted={
            "scale x 2/3": (_numbers(loud, 0), _numbers(loud, 3)),
            "sensitivity of add-remove under replace-one": (_numbers(sound, 0), _numbers(sound, 6)),
        },
    )


def _laplace_clamped() -> Row:
    sound = Laplace.calibrate(EPSILON, RANGE, 1.0)
    pair = tuple(_numbers(sound, total, _clamped) for total in (0, RANGE))
    again = tuple(_numbers(Laplace.calibrate(EPSILON, 1, 1.0), t, _within) for t in (0, 1))
    return Row(
        "central",
        "laplace, clamped to a range",
        EPSILON,
        *pair,
        planted={"drawn again until it is in the range": again},
    )


def _staircase() -> Row:
    sound, loud = (Staircase.least_absolute(e, 5, 1.0) for e in (EPSILON, 1.5 * EPSILON))
    return Row(
        "central",
        "staircase",
        EPSILON,
        _numbers(sound, 0),
        _numbers(sound, 5),
        planted={
            "scale x 2/3": (_numbers(loud, 0), _numbers(loud, 5)),
            "one step beyond the stair": (_numbers(sound, 0), _numbers(sound, 6)),
        },
    )


def _loss(noise: np.ndarray, side: int, norm: float | None, shift: np.ndarray) -> np.ndarray:
    """The difference of the distances to both neighbours, 0 and `shift`; noise is around one."""
    answer = noise + side * shift
    return np.linalg.norm(answer - shift, norm, axis=1) - np.linalg.norm(answer, norm, axis=1)


def _vectors(mechanism, side: int, norm: float | None, shift: np.ndarray):
    """Losses of releases of one vector each."""

    def sample(key, draws):
        noise = _whole(_at_once(mechanism, jax.random.split(key, draws))) * FINE
        return _loss(noise, side, norm, shift)

    return sample


@jax.jit
def _at_once(mechanism, keys) -> FixedPoint:
    zero = FixedPoint.zero((DIMENSION,), jnp.float32(FINE))
    return jax.vmap(lambda key: mechanism.sample(key, zero))(keys)


def _by_hand(shape: float, scale: float, side: int, shift: np.ndarray):
    """The Euclidean law in floats: the norm Gamma(`shape`), the direction uniform."""

    def sample(key, draws):
        host = np.random.default_rng(np.asarray(jax.random.key_data(key)))
        norms, normals = host.gamma(shape, size=(draws, 1)), host.normal(size=(draws, DIMENSION))
        noise = scale * norms * normals / np.linalg.norm(normals, axis=1, keepdims=True)
        return _loss(noise, side, None, shift)

    return sample


def _euclidean() -> Row:
    sound, shift = EuclideanNorm.calibrate(EPSILON, 1.0, FINE, DIMENSION), np.eye(DIMENSION)[0]
    wrong = {"scale x 2/3": (DIMENSION, 2 / 3), "norm of one dimension": (1, 1.0)}
    return Row(
        "central",
        "euclidean k-norm",
        EPSILON,
        *(_vectors(sound, side, None, shift) for side in (0, 1)),
        planted={
            name: tuple(_by_hand(*law, side, shift) for side in (0, 1))
            for name, law in wrong.items()
        },
        quick=CLOSE,
    )


def _cube() -> Row:
    sound, shift = CubeNorm.calibrate(EPSILON, 1.0, FINE, DIMENSION), np.ones(DIMENSION)
    euclidean = {"l2 noise for a cube": (DIMENSION, 1.0)}
    return Row(
        "central",
        "cube k-norm",
        EPSILON,
        *(_vectors(sound, side, np.inf, shift) for side in (0, 1)),
        planted={
            name: tuple(_by_hand(*law, side, shift) for side in (0, 1))
            for name, law in euclidean.items()
        },
    )


# A square in two dimensions: whether what is left without it is positive says the most.
SQUARE = np.outer([0.6, 0.8], [0.6, 0.8])


def _least_eigenvalue(noise: np.ndarray, side: int) -> np.ndarray:
    """Of the answer without the square; noise is around one of the neighbours, 0 and the square."""
    return np.linalg.eigvalsh(noise + (side - 1) * SQUARE)[:, 0]


def _squares(mechanism, side: int):
    """Least eigenvalues of releases of one matrix each."""
    zero = FixedPoint.zero(SQUARE.shape, jnp.float32(FINE))
    sampled = jax.jit(
        lambda own, keys: jax.lax.map(lambda key: own.sample(key, zero), keys, batch_size=5_000)
    )

    def sample(key, draws):
        noise = _whole(sampled(mechanism, jax.random.split(key, draws))) * FINE
        return _least_eigenvalue(noise, side)

    return sample


def _wisharts_by_hand(degrees: int, sides: int, scale: float, side: int):
    """Wisharts in floats: as many, of so many degrees of freedom."""

    def sample(key, draws):
        host = np.random.default_rng(np.asarray(jax.random.key_data(key)))
        normals = host.normal(size=(sides, draws, len(SQUARE), degrees))
        squares = scale / (2 * EPSILON) * normals @ np.swapaxes(normals, 2, 3)
        return _least_eigenvalue(squares[0] - squares[1] if sides == 2 else squares[0], side)

    return sample


def _wishart() -> Row:
    sound = WishartDifference.calibrate(EPSILON, 1.0, FINE, len(SQUARE))
    wrong = {
        "scale x 2/3": (3, 2, 2 / 3),
        "one Wishart alone": (3, 1, 1.0),
        "a degree of freedom less": (2, 2, 1.0),
    }
    return Row(
        "central",
        "difference of two wisharts",
        EPSILON,
        *(_squares(sound, side) for side in (0, 1)),
        planted={
            name: tuple(_wisharts_by_hand(*law, side) for side in (0, 1))
            for name, law in wrong.items()
        },
        quick=60_000,
    )


ROWS = [_laplace(), _laplace_clamped(), _staircase(), _euclidean(), _cube(), _wishart()]
