"""While tests run, array shapes and types are checked at every call where numbers are made.

Mechanisms are left out: their number fields are annotated as the floats a user gives, and hold
tracers inside a compiled program. Readers of data refuse wrong shapes with sentences of their own.
So is `noise.weights`, which has no arrays and is called a hundred thousand times for one mechanism.
"""

from jaxtyping import install_import_hook

NOISE = ("chacha", "discrete", "exact", "fixed", "keys", "tables", "uniform", "words")

install_import_hook(
    [*(f"tacit.noise.{name}" for name in NOISE), "tacit.statistics", "tacit.federated"],
    "beartype.beartype",
)
