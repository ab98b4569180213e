"""The hyperbolic tangent as a rational function, which CPUs run fast.

XLA calls a function for each number where a `tanh` is fused with what comes before it, as after
every bias; this is a loop of multiplications, additions and one division, of many numbers
at a time (`bench/activations.py`).

With y = x^2, tanh(x) = x p(y)/q(y), where p and q have degree four and were fitted to the least
relative error over |x| <= 9.2. Beyond, the nearest number of 32 bits is one, whose slope is zero.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

# As far as p and q were fitted.
_END = 9.2
# Of p and q, from the highest power down.
_OVER = (1.3002349e-08, 2.0353526e-05, 3.4800079e-03, 0.13367891, 1.0)
_UNDER = (7.6319685e-07, 3.2601893e-04, 0.02581766, 0.46701205, 1.0)


@jax.custom_jvp
def tanh(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """The hyperbolic tangent of numbers of 32 bits; of others it is JAX's own.

    **Error**: at most 2^-21 of the number, and never above one; NaN stays NaN. The slope is one
    less the square.
    """
    x = jnp.asarray(x)
    if x.dtype != jnp.float32:
        return jnp.tanh(x)
    held = jnp.clip(x, -_END, _END)
    square = held * held
    ratio = held * _polynomial(_OVER, square) / _polynomial(_UNDER, square)
    return jnp.clip(ratio, -1, 1)


@tanh.defjvp
def _tanh_along(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    value = tanh(*primals)
    return value, tangents[0] * (1 - value * value)


def _polynomial(coefficients: Sequence[float], y: Array) -> Array:
    highest, *others = coefficients
    value = highest * y
    for each in others[:-1]:
        value = (value + each) * y
    return value + others[-1]
