"""Programs of whole numbers come to the same without a compiler, and others are told from them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tacit.noise import chacha
from tacit.noise.uncompiled import computed, is_whole

TWO, WHOLE, KEY = np.float32([1, 2]), np.int32([-7, 2]), jax.random.key(1, impl=chacha.IMPL)
OTHER = jax.random.key(1, impl="threefry2x32")
ENDS = np.int32([-(2**31), -(2**31) + 1, -8, -7, -1, 0, 1, 7, 2**31 - 1])
TINY = np.float32([-1e-40, -0.0, 0.0, 1e-45, 1e-40, 2.0**-126])
LARGE = np.uint32([0, 1, 7, 2**31, 2**32 - 1])


def _windows(n):
    """Of a place inside, and of places beyond both ends."""
    table = n.reshape(3, 3)
    return [lax.dynamic_slice(table, (place, n[5]), (2, 2)) for place in (n[6], n[0], n[8])]


def _either(which):
    one, other = jax.random.split(KEY, (2, 2))
    return jnp.where(which, one, other)


def _cumulated(n):
    return lax.scan(lambda carry, x: (carry * 3 + x, carry), n[0], n)


PROGRAMS = {
    "sums wrap": (lambda n: (n + n, n - 1, n * n, n * 65_537), ENDS),
    "large sums wrap": (lambda n: (n + n, n - 2, n * n), LARGE),
    "quotients": (lambda n: (n // 3, n % 3, n // -7, n % -7, lax.div(n, 5), lax.rem(n, -5)), ENDS),
    "quotients of single numbers": (lambda n: (n[3] // 3, lax.div(n[0], 5), n[0] % 7), ENDS),
    "large quotients": (lambda n: (n // 3, n % 5, lax.div(n, jnp.uint32(2**31))), LARGE),
    "signs": (lambda n: (jnp.sign(n), n == 0, n < 7, n >= 7, n != 1), ENDS),
    "shifts": (lambda n: (n >> 13, n << 31, n ^ 5, n & 6, n | 9), LARGE),
    "types": (lambda n: (n.astype(jnp.uint32), n.astype(bool), (n > 0).astype(jnp.int32)), ENDS),
    "choices": (lambda n: jnp.where(n > 0, n, -7), ENDS),
    "any": (lambda n: (jnp.any(n > 7), jnp.any(n > 2**31 - 1)), ENDS),
    "places": (lambda n: (n[2], n[1:7:2], n[-3:], lax.slice(n, (1,), (8,), (3,))), ENDS),
    "windows": (_windows, ENDS),
    "shapes": (lambda n: (n.reshape(3, 3), n[None], jnp.concatenate([n, n]), jnp.arange(4)), ENDS),
    "a scan": (_cumulated, ENDS),
    "one of two": (lambda n: lax.cond(n[0] < 0, lambda: n + 1, lambda: n - 1), ENDS),
    "one of three": (lambda n: lax.switch(n[8], [lambda: 1, lambda: 2, lambda: 3]), ENDS),
    "within": (lambda n: jax.jit(lambda m: m * 2)(n) + 1, ENDS),
    "a constant": (lambda n: n + jnp.asarray(WHOLE)[1], ENDS),
    "floats": (lambda x: (x, jnp.where(x == 1.0, 2, 3), x[1], x.reshape(2, 1)), TWO),
    "floats at zero": (lambda x: (x, x > 0, x == 0, x >= x[1], x[0] < x), TINY),
    "choices beyond": (lambda n: lax.select_n(n % 5 + 1, n, n + 1, n + 2), ENDS),
    "keys": (lambda key: jax.random.bits(jax.random.split(key, (2, 3))[1, 2], (5,)), KEY),
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_each_operation_comes_to_what_is_compiled(kind):
    """Bit for bit and of the same type, at the ends of what the numbers may be."""
    function, given = PROGRAMS[kind]
    traced = jax.jit(function).trace(given)
    there = jax.tree.leaves(traced.lower().compile()(given))
    here = computed(traced.jaxpr, given)

    assert is_whole(traced.jaxpr)
    for one, other in zip(there, here, strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)


OTHERS = {
    "a float sum": lambda x, n: x + x,
    "a number made a float": lambda x, n: n * 0.5,
    "a float cut": lambda x, n: x.astype(int) + n,
    "a function": lambda x, n: jax.scipy.special.erf(x),
    "a float sum of all": lambda x, n: lax.reduce(x, 0.0, lax.add, [0]),
    "half a float": lambda x, n: x.astype(jnp.bfloat16),
    "sums so far": lambda x, n: jnp.cumsum(x),
    "an unlisted operation": lambda x, n: lax.population_count(n),
    "a place that may be outside": lambda x, n: n.at[n].get(mode="fill"),
    "backwards": lambda x, n: lax.scan(lambda c, y: (c + y, c), 0, n, reverse=True),
    "a float sum within": lambda x, n: lax.scan(lambda c, y: (c + y, c), 0.0, x),
    "in one case": lambda x, n: lax.cond(n[0] > 0, lambda: x, lambda: x + 1),
    "shorter words": lambda x, n: jax.random.bits(KEY, (3,), jnp.uint8),
    "another's words": lambda x, n: jax.random.bits(OTHER, (3,)),
    "another's children": lambda x, n: jax.random.key_data(jax.random.split(OTHER)),
    "a signed shift": lambda x, n: lax.shift_right_logical(n, 3),
    "no steps": lambda x, n: lax.scan(lambda c, y: (c + y, c), 0, n[:0]),
    "several keys of two": lambda x, n: jax.random.key_data(_either(n > 0)),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_programs_are_told(kind):
    """Floats are handed on and compared; none is added, cut, or made of a whole number."""
    assert not is_whole(jax.jit(OTHERS[kind]).trace(TWO, WHOLE).jaxpr)
