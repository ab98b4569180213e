"""Programs that XLA compiles in haste, for tests of whole numbers: no haste changes them.

Of ChaCha20 it takes a third of the time, and its users' programs are tested beside these.
"""

from collections.abc import Callable
from typing import Any

import jax

OPTIONS = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}


def hasty(function: Callable[..., Any], **more: Any) -> Callable[..., Any]:
    """`jax.jit(function, **more)`."""
    return jax.jit(function, compiler_options=OPTIONS, **more)
