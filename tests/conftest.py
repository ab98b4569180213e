"""While tests run, array shapes and types are checked at every call where numbers are made.

Mechanisms are left out: their number fields are annotated as the floats a user gives, and hold
tracers inside a compiled program. Readers of data refuse wrong shapes with sentences of their own.
So is `noise.weights`, which has no arrays and is called a hundred thousand times for one mechanism.
"""

import gc

import jax
import pytest
from jaxtyping import install_import_hook

NOISE = ("chacha", "discrete", "exact", "fixed", "keys", "tables", "uniform", "words")

install_import_hook(
    [*(f"tacit.noise.{name}" for name in NOISE), "tacit.statistics", "tacit.federated"],
    "beartype.beartype",
)


@pytest.fixture(autouse=True, scope="module")
def _programs_go_with_their_file():
    """Every compiled program maps memory, and a process may have 65,530 mappings.

    Without this one that runs half of all files dies in the compiler.
    """
    yield
    jax.clear_caches()
    gc.collect()
