"""Where a round's arrays lie: whole on every device, or their people divided between the devices.

A program is lowered for arrays that lie where they will lie when it runs, and for their shapes. So
people come with empty places behind them, up to one of few numbers (`roomy`): another number of
people is seldom another program.

Devices are those of all processes that play the run (`hosts`). Every process has all of an array on
its host, and lays out what its own devices hold.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import PyTree

from tacit.population import hosts

# Where memory begins that devices share with the host, in bytes.
ALIGNED = 64


def whole() -> NamedSharding:
    """An array that lies whole on every device."""
    return NamedSharding(_devices(), PartitionSpec())


def divided() -> NamedSharding:
    """One whose third axis is divided between the devices: the people of every round's chunks."""
    return NamedSharding(_devices(), PartitionSpec(None, None, "people"))


def _devices() -> Mesh:
    return Mesh(np.array(jax.devices()), ("people",))


def roomy(people: int) -> int:
    """The next of the numbers 4, 5, 6, 7 times a power of two: at most a quarter more.

    One for nobody: that nobody is there is no other program either.
    """
    step = 2 ** max(0, (people - 1).bit_length() - 3)
    return -(-max(people, 1) // step) * step


def seated(data: PyTree) -> PyTree:
    """Copies of all people's rows, whole on every device, with zeros in the empty places."""
    return laid(jax.tree.map(lambda rows: _copied(rows, roomy(len(rows))), data), whole())


def on_host(data: PyTree) -> PyTree:
    """Copies of all people's rows on the host; nobody else can change them."""
    return jax.tree.map(lambda rows: _copied(rows, len(rows)), data)


def _copied(rows: Any, places: int) -> np.ndarray:
    """In the type that JAX has for it."""
    own = np.asarray(rows)
    copy = _blank((places, *own.shape[1:]), jax.dtypes.canonicalize_dtype(own.dtype))
    # A warning that somebody's number is too large would tell of them.
    with np.errstate(over="ignore", invalid="ignore"):
        copy[: len(own)] = own
    return copy


def _blank(shape: tuple[int, ...], kind: np.dtype) -> np.ndarray:
    """Zeros that a CPU device takes as they are; those that begin elsewhere it copies."""
    size = math.prod(shape) * kind.itemsize
    room = np.zeros(size + ALIGNED, np.uint8)
    start = -room.ctypes.data % ALIGNED
    return room[start : start + size].view(kind).reshape(shape)


def placed(tree: PyTree) -> PyTree:
    """Copies of all arrays, whole on every device; nobody else can change them."""
    return laid(jax.tree.map(jnp.array, tree), whole())


def laid(tree: PyTree, where: NamedSharding) -> PyTree:
    """The host's arrays on the devices; those of other processes get theirs from these."""
    if not hosts.several():
        return jax.device_put(tree, where)
    return jax.tree.map(lambda leaf: _laid(leaf, where), tree)


def _laid(leaf: Any, where: NamedSharding) -> jax.Array:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(
            _laid(jax.random.key_data(leaf), where), impl=jax.random.key_impl(leaf)
        )
    host = np.asarray(leaf)
    return jax.make_array_from_callback(host.shape, where, lambda place: host[place])


def at_hand(tree: PyTree) -> PyTree:
    """Arrays that lie whole on every device, as this process can use them without the others."""
    if not hosts.several():
        return tree
    return jax.tree.map(lambda leaf: leaf.addressable_data(0), tree)
