"""A mechanism used alone, without a plan: `release(mechanism, data)`.

A plan traces `sample` into the program of a round, and hands it JAX's arrays. Alone it gets what
people have, lists and NumPy arrays of any width, and must not be slow for it: `per_shape` compiles
it once for each shape and type. The mechanism's public numbers are traced, so another epsilon is
another argument of the same program, but for what its class calls static.

**What becomes of numbers.** Wide floats are rounded to 32 bits, wide integers cut to their range.
That is a function of one person's own report, and the promise of a local mechanism holds for any
input. Where people's data stands in one array it must not be rounded after the fact: scores are put
on their grid in 64 bits (`ScoreGrid.scores`), and sums on theirs (`per_grid`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Float64, Int64, PRNGKeyArray

from tacit.argument import got, is_power_of_two
from tacit.noise import keys
from tacit.noise.fixed import FixedPoint

# What is an array to people, but not to `jax.jit`, or not of its types.
_HOSTS = (np.ndarray, np.generic, list, tuple, int, float)
_RANGE = np.iinfo(np.int32)
# Whole numbers up to here are floats of 64 bits; limbs hold sums of two numbers of so many steps.
_EXACT, _MOST_STEPS = 2**53, 2.0**45


class Mechanism(Protocol):
    """Draws once from its law: `sample(key, data)`, some with more than one array of data."""

    def sample(self, key: PRNGKeyArray, /, *data: Any) -> Any: ...


def release(mechanism: Mechanism, *data: Any, key: PRNGKeyArray | None = None) -> Any:
    """What the mechanism says of this data, as NumPy arrays and numbers of Python's.

    Args:
      mechanism: Any of `tacit.mechanisms`.
      data: What its `sample` takes after the key; lists and NumPy arrays will do, and are
        answered in kind: one number with a number.
      key: Fresh bits of the operating system's, unless a test says otherwise.

    Raises:
      ValueError: if the mechanism is none, does not take so many arrays, or the key is no key.
    """
    _refuse_no_mechanism(mechanism, data)
    _refuse_no_key(key)
    fresh = keys.jax_key(keys.fresh()) if key is None else key
    return _number(jax.tree.map(_host, mechanism.sample(fresh, *data)))


def _refuse_no_mechanism(mechanism: Any, data: tuple[Any, ...]) -> None:
    """Raises a ValueError unless this is a mechanism that takes so many arrays of data."""
    sample = None if isinstance(mechanism, type) else getattr(mechanism, "sample", None)
    if not callable(sample):
        raise ValueError(
            "a mechanism comes first and then its data, release(mechanism, values), got "
            f"{got(mechanism)} first"
        )
    signature = inspect.signature(sample)
    try:
        _ = signature.bind("a key", *data)
    except TypeError:
        _, *wanted = signature.parameters
        raise ValueError(
            f"{type(mechanism).__name__} takes {len(wanted)} of data, release(mechanism, "
            f"{', '.join(wanted)}), got {len(data)}"
        ) from None


def _refuse_no_key(key: Any) -> None:
    """Raises a ValueError unless this is one key of JAX's, or none."""
    if not (key is None or _is_one_key(key)):
        raise ValueError(
            "key must be one jax.random.key(seed), or None for fresh bits of the operating "
            f"system's, got {got(key)}"
        )


def _is_one_key(key: Any) -> bool:
    typed = isinstance(key, jax.Array) and jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    return typed and key.shape == ()


def per_shape(sample: Callable[..., Any]) -> Callable[..., Any]:
    """A method `sample(self, key, *data)`, compiled; its data may be lists and NumPy's arrays."""
    program = jax.jit(sample)

    @functools.wraps(sample)
    def taken(self: Any, key: PRNGKeyArray, *data: Any) -> Any:
        return program(self, key, *(narrow(each) for each in data))

    return taken


def per_grid(sample: Callable[..., Any]) -> Callable[..., Any]:
    """As `per_shape`, of a sum on the grid of `self.step`: a `FixedPoint`, or the host's numbers.

    These are answered with floats of 64 bits, exactly the whole steps that were drawn.

    | numbers | effect |
    | --- | --- |
    | whole steps | counted exactly |
    | any others | cut towards zero, in 64 bits: each moves by less than a step |
    | infinite, or beyond 2^45 steps in size | count as 2^45 steps with their sign |
    | NaN | counts as zero |
    | JAX's, within a compiled function | ValueError |

    The promise is for the numbers cut, and the second row can move two of them apart by a step:
    unless all are whole steps, neighbours are to be within the sensitivity with a step more in each
    coordinate, which in L2 is the root of their number. The third row moves no two apart.

    Raises:
      ValueError: also if the step is no power of two, which could not be divided by exactly.
    """
    program = per_shape(sample)

    @functools.wraps(sample)
    def taken(self: Any, key: PRNGKeyArray, total: Any) -> Any:
        if isinstance(total, FixedPoint):
            return program(self, key, total)
        return program(self, key, _in_steps(total, self.step)).exact()

    return taken


def _in_steps(values: Any, step: float) -> FixedPoint:
    """The host's numbers in whole steps, by the table of `per_grid`."""
    if any(isinstance(each, Tracer) for each in (values, step)):
        raise ValueError("a sum must be a FixedPoint within a compiled function, got an array")
    if not is_power_of_two(step):
        raise ValueError(f"a sum must be a FixedPoint where no power of two is the step, {step}")
    inside = np.clip(doubles(values), -_MOST_STEPS * step, _MOST_STEPS * step)
    return FixedPoint.of(np.where(np.isnan(inside), 0.0, inside), step)


def narrow(data: Any) -> Any:
    """Numbers of at most 32 bits; what is JAX's already, as it is.

    Raises:
      ValueError: if it is no array of numbers.
    """
    return _narrowed(numbers(data)) if isinstance(data, _HOSTS) else data


def numbers(data: Any) -> np.ndarray:
    """An array of NumPy's.

    Raises:
      ValueError: if it is none of numbers.
    """
    try:
        found = np.asarray(data)
    except ValueError:
        raise ValueError("data must be an array of numbers, got rows of several lengths") from None
    if found.dtype.kind not in "iuf":
        raise ValueError(f"data must be an array of numbers, got one of {found.dtype.name}")
    return found


def doubles(data: Any) -> Float64[np.ndarray, "*shape"]:
    """Numbers of NumPy's in 64 bits; whole ones that would be rounded there are cut before.

    Raises:
      ValueError: if it is no array of numbers.
    """
    found = numbers(data)
    exact = np.clip(found, -_EXACT, _EXACT) if found.dtype.kind in "iu" else found
    return exact.astype(np.float64)


def whole_numbers(values: Any) -> Int64[np.ndarray, "*shape"]:
    """Whole numbers as NumPy's.

    Raises:
      ValueError: if there are none, or their type is none of whole numbers.
    """
    found = numbers(values)
    if not found.size:
        raise ValueError("values must be at least one whole number, got none")
    if found.dtype.kind not in "iu":
        raise ValueError(
            "values must be of a type of whole numbers, as counts.astype(int) is, got "
            f"{found.dtype.name}"
        )
    return found.astype(np.int64)


def refuse_other_columns(rows: Any, dim: int) -> None:
    """Raises the ValueError of an array that is not of rows of `dim` numbers."""
    if rows.shape[1:] != (dim,):
        one = "; one row is [row]" if rows.shape == (dim,) else ""
        raise ValueError(f"rows must have {dim} columns, got shape {rows.shape}{one}")


def _narrowed(found: np.ndarray) -> np.ndarray:
    if found.dtype.kind == "f":
        return found.astype(np.float32)
    if np.can_cast(found.dtype, np.int32) or found.dtype == np.uint32:
        return found
    return np.clip(found, _RANGE.min, _RANGE.max).astype(np.int32)


def _host(leaf: Any) -> Any:
    return np.asarray(leaf) if isinstance(leaf, jax.Array) else leaf


def _number(drawn: Any) -> Any:
    """One number is Python's."""
    one = isinstance(drawn, np.ndarray | np.generic) and drawn.shape == ()
    return drawn.item() if one else drawn
