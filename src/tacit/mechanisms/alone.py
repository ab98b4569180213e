"""A mechanism used alone, without a plan: `release(mechanism, data)`.

A plan traces `sample` into the program of a round, and hands it JAX's arrays. Alone it gets what
people have, lists and NumPy arrays of any width, and must not be slow for it: `per_shape` compiles
it once for each shape and type. The mechanism's public numbers are traced, so another epsilon is
another argument of the same program, but for what its class calls static.

**What becomes of numbers.** Wide floats are rounded to 32 bits, wide integers cut to their range.
That is a function of one person's own report, and the promise of a local mechanism holds for any
input. Where people's data stands in one array it must not be rounded after the fact: scores are put
on their grid in 64 bits (`ScoreGrid.scores`), and sums come as whole steps (`FixedPoint.of`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol

import jax
import numpy as np
from jaxtyping import Int64, PRNGKeyArray

from tacit.noise import keys

# What is an array to people, but not to `jax.jit`, or not of its types.
_HOSTS = (np.ndarray, np.generic, list, tuple, int, float)
_RANGE = np.iinfo(np.int32)


class Mechanism(Protocol):
    """Draws once from its law: `sample(key, data)`, some with more than one array of data."""

    def sample(self, key: PRNGKeyArray, /, *data: Any) -> Any: ...


def release(mechanism: Mechanism, *data: Any, key: PRNGKeyArray | None = None) -> Any:
    """What the mechanism says of this data, as NumPy arrays and numbers of Python's.

    Args:
        mechanism: Any of `tacit.mechanisms`.
        data: What its `sample` takes after the key; lists and NumPy arrays will do.
        key: Fresh bits of the operating system's, unless a test says otherwise.
    """
    fresh = keys.jax_key(keys.fresh()) if key is None else key
    return jax.tree.map(_host, mechanism.sample(fresh, *data))


def per_shape(sample: Callable[..., Any]) -> Callable[..., Any]:
    """A method `sample(self, key, *data)`, compiled; its data may be lists and NumPy's arrays."""
    program = jax.jit(sample)

    @functools.wraps(sample)
    def taken(self: Any, key: PRNGKeyArray, *data: Any) -> Any:
        return program(self, key, *(narrow(each) for each in data))

    return taken


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


def whole_numbers(values: Any) -> Int64[np.ndarray, "*shape"]:
    """Whole numbers as NumPy's.

    Raises:
        ValueError: if their type is none of whole numbers.
    """
    found = numbers(values)
    if found.dtype.kind not in "iu":
        raise ValueError(f"values must be whole numbers, got {found.dtype.name}")
    return found.astype(np.int64)


def _narrowed(found: np.ndarray) -> np.ndarray:
    if found.dtype.kind == "f":
        return found.astype(np.float32)
    if np.can_cast(found.dtype, np.int32) or found.dtype == np.uint32:
        return found
    return np.clip(found, _RANGE.min, _RANGE.max).astype(np.int32)


def _host(leaf: Any) -> Any:
    return np.asarray(leaf) if isinstance(leaf, jax.Array) else leaf
