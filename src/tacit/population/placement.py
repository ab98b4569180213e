"""Where a round's arrays lie: whole on every device, or their people divided between the devices.

A program is lowered for arrays that lie where they will lie when it runs.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import PyTree


def whole() -> NamedSharding:
    """An array that lies whole on every device."""
    return NamedSharding(_devices(), PartitionSpec())


def divided() -> NamedSharding:
    """One whose second axis is divided between the devices: the people of every chunk."""
    return NamedSharding(_devices(), PartitionSpec(None, "people"))


def _devices() -> Mesh:
    return Mesh(np.array(jax.devices()), ("people",))


def placed(tree: PyTree) -> PyTree:
    """Copies of all arrays, whole on every device; nobody else can change them."""
    return jax.device_put(jax.tree.map(jnp.array, tree), whole())
