"""While tests run, array shapes and types are checked at every call where numbers are made.

Mechanisms are left out: their number fields are annotated as the floats a user gives, and hold
tracers inside a compiled program. Readers of data refuse wrong shapes with sentences of their own.
"""

from jaxtyping import install_import_hook

install_import_hook(["tacit.noise", "tacit.statistics", "tacit.federated"], "beartype.beartype")
