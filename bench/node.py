"""Claim: mechanisms as nodes of their own kind cost a call of a compiled program 3 us at most.

A mechanism of five numbers as the library registers it (`mechanisms/node.py`), and a dataclass of
the same numbers as JAX does, whose structures are compared without their class. Each is given to a
compiled function that adds 1; calls alternate, and the least of several rounds counts.

Run: python bench/node.py
"""

import platform
import timeit
from collections.abc import Iterator
from dataclasses import fields, make_dataclass

import jax
import jax.numpy as jnp

from claims import Claim, at_most, settle
from tacit.mechanisms.local.sampled_vertex import VertexResponse

CALLS, ROUNDS = 3000, 9
LIMIT = 3.0


def main() -> Iterator[Claim]:
    print(f"jax {jax.__version__}, {platform.machine()}")
    ours = VertexResponse.of(5, 2.0, 1.5)
    names = [each.name for each in fields(ours) if not each.metadata.get("static")]
    plain = make_dataclass("Plain", names, frozen=True)
    jax.tree_util.register_dataclass(plain, names, [])
    theirs = plain(*[getattr(ours, name) for name in names])
    call, zero = jax.jit(lambda mechanism, x: x + 1), jnp.zeros(3)
    least = {}
    for _ in range(ROUNDS):
        for made in (ours, theirs):
            seconds = timeit.timeit(lambda made=made: call(made, zero), number=CALLS) / CALLS
            least[made] = min(seconds, least.get(made, seconds))
    node, dataclass = (1e6 * least[made] for made in (ours, theirs))
    print(f"a call: node {node:.2f} us, dataclass {dataclass:.2f} us")
    yield at_most("  us that a node adds to a call", [node - dataclass], LIMIT)


if __name__ == "__main__":
    settle(main())
