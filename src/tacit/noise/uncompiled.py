"""A program of whole numbers, computed by NumPy: the same bits, and nothing is compiled.

To compile the noise of a few numbers takes a second or two, to draw them a few milliseconds. So
where a program does nothing but what is listed here, its equations, as JAX traced them, are
computed one by one.

**Why the bits are the same.** Equations are of whole numbers, truth values and keys, where every
operation has one result: sums and products wrap at their width, quotients are cut towards zero, and
the bits of a key are those of ChaCha20 (`noise.by_numpy`), as whose key it must be. Floats are
handed on and compared, which rounds nothing: subnormal ones as zeros, which they are to XLA on a
CPU. A program with any other equation, or with a parameter that is not looked at here, is compiled.
Divisors are public numbers of a plan, and not zero, where engines differ; indices are inside, as
`PROMISE_IN_BOUNDS` says, for NumPy stops at others.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal
from jax.lax import GatherScatterMode

from tacit.noise import by_numpy
from tacit.scanned import divided

Parameters = Mapping[str, Any]


def is_whole(program: ClosedJaxpr) -> bool:
    """Whether all of it can be computed here."""
    return all(map(_is_known, program.jaxpr.eqns))


def computed(program: ClosedJaxpr, *given: Any) -> list[np.ndarray]:
    """What it comes to, on arrays of the host or of JAX, as arrays of the host.

    Args:
      program: one that `is_whole`.
      given: its arguments.
    """
    # Sums wrap, as they do where they are compiled.
    with np.errstate(over="ignore", divide="raise"):
        return _run(program, list(map(_held, given)))


def _run(program: ClosedJaxpr, given: Sequence[np.ndarray]) -> list[np.ndarray]:
    jaxpr = program.jaxpr
    known = dict(zip(jaxpr.constvars, map(_held, program.consts), strict=True))
    known |= dict(zip(jaxpr.invars, given, strict=True))

    def value(each: Any) -> np.ndarray:
        return _literal(each) if isinstance(each, Literal) else known[each]

    for eqn in jaxpr.eqns:
        made = _made(eqn, [value(each) for each in eqn.invars])
        known |= dict(zip(eqn.outvars, made, strict=True))
    return [value(each) for each in jaxpr.outvars]


def _made(eqn: Any, values: Sequence[np.ndarray]) -> list[np.ndarray]:
    name = eqn.primitive.name
    if name in _CALLS:
        return _CALLS[name](eqn, values)
    found = _ALONE[name](eqn.params, *values)
    return found if eqn.primitive.multiple_results else [np.asarray(found)]


def _literal(given: Any) -> np.ndarray:
    return np.asarray(given.val, given.aval.dtype)


def _held(given: Any) -> np.ndarray:
    """On the host."""
    if isinstance(given, jax.Array) and jnp.issubdtype(given.dtype, jax.dtypes.prng_key):
        return by_numpy.keys_of(np.asarray(jax.random.key_data(given)))
    return np.asarray(given)


def _scan(eqn: Any, values: Sequence[np.ndarray]) -> list[np.ndarray]:
    """One state after another; what each step gives besides, in order."""
    step = eqn.params["jaxpr"]
    shared, carried = divided(eqn)
    kept = shared + carried
    consts, carry, each = values[:shared], values[shared:kept], values[kept:]
    stacked = []
    for i in range(eqn.params["length"]):
        made = _run(step, [*consts, *carry, *(np.asarray(own[i]) for own in each)])
        carry = made[:carried]
        stacked.append(made[carried:])
    return [*carry, *map(np.stack, zip(*stacked, strict=True))]


def _one_of(eqn: Any, values: Sequence[np.ndarray]) -> list[np.ndarray]:
    """One of several programs; the nearest where there is none of this number."""
    branches = eqn.params["branches"]
    which = np.clip(values[0], 0, len(branches) - 1)
    return _run(branches[int(which)], values[1:])


def _quotient(over: np.ndarray, under: np.ndarray) -> np.ndarray:
    """Cut towards zero; of what is below zero, more than nothing is left."""
    return np.asarray(over // under + ((over % under != 0) & ((over < 0) != (under < 0))))


def _chosen(params: Parameters, which: np.ndarray, *cases: np.ndarray) -> np.ndarray:
    del params
    if cases[0].dtype == by_numpy.KEY:
        return cases[int(which)]
    return np.asarray(np.choose(which, cases, mode="clip"))


def _broadcast(params: Parameters, given: np.ndarray) -> np.ndarray:
    shape = [1] * len(params["shape"])
    for own, place in enumerate(params["broadcast_dimensions"]):
        shape[place] = given.shape[own]
    return np.broadcast_to(given.reshape(shape), params["shape"])


def _sliced(params: Parameters, given: np.ndarray) -> np.ndarray:
    ends = params["start_indices"], params["limit_indices"]
    steps = params["strides"] or (1,) * given.ndim
    return given[tuple(map(slice, *ends, steps))]


def _window(params: Parameters, given: np.ndarray, *begins: np.ndarray) -> np.ndarray:
    """What begins there, or as near to it as there is room."""
    each = zip(begins, params["slice_sizes"], given.shape, strict=True)
    firsts = [(min(max(int(own), 0), length - size), size) for own, size, length in each]
    return given[tuple(slice(first, first + size) for first, size in firsts)]


def _counted(params: Parameters) -> np.ndarray:
    shape, along = params["shape"], params["dimension"]
    row = np.arange(shape[along], dtype=params["dtype"])
    return _broadcast({"shape": shape, "broadcast_dimensions": (along,)}, row)


def _parted(params: Parameters, given: np.ndarray) -> list[np.ndarray]:
    return [np.asarray(each) for each in np.moveaxis(given, params["axis"], 0)]


def _are_numbers(params: Parameters) -> bool:
    """Whether what is looked up are single numbers, by all their places, in order."""
    found = params["dimension_numbers"]
    every = tuple(range(len(params["slice_sizes"])))
    told = found.offset_dims, found.operand_batching_dims, found.start_indices_batching_dims
    return (
        params["mode"] == GatherScatterMode.PROMISE_IN_BOUNDS
        and set(params["slice_sizes"]) == {1}
        and found.collapsed_slice_dims == found.start_index_map == every
        and not any(told)
    )


def _is_of_ours(key: Any) -> bool:
    """Whether a key is one of ChaCha20."""
    return str(key.aval.dtype) == by_numpy.KEY_NAME


def _of_two(operation: Callable) -> Callable:
    return lambda params, *two: operation(*map(_normal, two))


def _normal(values: np.ndarray) -> np.ndarray:
    """Without subnormal floats."""
    if not jnp.issubdtype(values.dtype, np.floating):
        return values
    return np.where(np.abs(values) < jnp.finfo(values.dtype).tiny, np.zeros_like(values), values)


_CALLS: Mapping[str, Callable] = {
    "jit": lambda eqn, values: _run(eqn.params["jaxpr"], values),
    "scan": _scan,
    "cond": _one_of,
}
_COMPARED = "eq", "ne", "lt", "le", "gt", "ge"
_ALONE: Mapping[str, Callable] = {
    **{name: _of_two(getattr(operator, name)) for name in ("add", "sub", "mul", *_COMPARED)},
    "and": _of_two(operator.and_),
    "or": _of_two(operator.or_),
    "xor": _of_two(operator.xor),
    "rem": _of_two(np.fmod),
    "div": _of_two(_quotient),
    "sign": _of_two(np.sign),
    "shift_left": _of_two(np.left_shift),
    "shift_right_logical": _of_two(np.right_shift),
    "clamp": lambda params, least, given, most: np.clip(given, least, most),
    "select_n": _chosen,
    "broadcast_in_dim": _broadcast,
    "slice": _sliced,
    "dynamic_slice": _window,
    "iota": _counted,
    "gather": lambda params, table, places: table[tuple(np.moveaxis(places, -1, 0))],
    "unstack": _parted,
    "squeeze": lambda params, given: given.squeeze(params["dimensions"]),
    "reshape": lambda params, given: given.reshape(params["new_sizes"]),
    "concatenate": lambda params, *parts: np.concatenate(parts, params["dimension"]),
    "convert_element_type": lambda params, given: given.astype(params["new_dtype"]),
    "reduce_or": lambda params, given: np.any(given, params["axes"]),
    "random_bits": lambda params, keys: by_numpy.bits(keys, params["shape"]),
    "random_split": lambda params, keys: by_numpy.split(keys, params["shape"]),
}
# What floats may meet.
_MOVED = "select_n", "broadcast_in_dim", "slice", "squeeze", "reshape", "concatenate", "unstack"
_HANDED_ON = frozenset([*_MOVED, *_COMPARED])
# Parameters that change no bit, or that are looked at above; others have to be None.
_WHERE = (
    *("shape", "start_indices", "limit_indices", "strides"),
    *("axis", "axes", "dimension", "dimensions"),
)
_HOW = (
    *("broadcast_dimensions", "new_sizes", "new_dtype", "dtype"),
    *("weak_type", "sharding", "bit_width"),
)
_LOOKED_UP = (
    *("dimension_numbers", "slice_sizes", "mode", "fill_value"),
    *("indices_are_sorted", "unique_indices"),
)
_TOLD = frozenset([*_WHERE, *_HOW, *_LOOKED_UP])
# What else an operation has to be.
_ONLY: Mapping[str, Callable[[Any], bool]] = {
    "gather": lambda eqn: _are_numbers(eqn.params),
    "random_bits": lambda eqn: eqn.params["bit_width"] == 32 and _is_of_ours(eqn.invars[0]),
    "random_split": lambda eqn: _is_of_ours(eqn.invars[0]),
    "shift_right_logical": lambda eqn: eqn.outvars[0].aval.dtype == np.uint32,
    "reduce_or": lambda eqn: eqn.outvars[0].aval.dtype == np.bool_,
    "reshape": lambda eqn: eqn.params["dimensions"] is None,
    "scan": lambda eqn: not eqn.params["reverse"] and eqn.params["length"] > 0,
    "select_n": lambda eqn: not (eqn.invars[0].aval.ndim and _is_of_ours(eqn.invars[1])),
}


def _is_known(eqn: Any) -> bool:
    name, params = eqn.primitive.name, eqn.params
    if not _ONLY.get(name, lambda eqn: True)(eqn):
        return False
    if name in _CALLS:
        inner = params["branches"] if name == "cond" else (params["jaxpr"],)
        return all(map(is_whole, inner))
    floats = any(
        jnp.issubdtype(each.aval.dtype, np.inexact) for each in (*eqn.invars, *eqn.outvars)
    )
    told = all(own in _TOLD or value is None for own, value in params.items())
    return name in (_HANDED_ON if floats else _ALONE) and told
