"""Keys of what is public about a model: its first weights, or its random features.

Nobody is hidden by them, and no noise is drawn from them: a plan and a fit get the same from one.
"""

from typing import Any

import jax
from jaxtyping import PRNGKeyArray

from tacit.argument import got, is_whole


def public_key(seed: Any, name: str) -> PRNGKeyArray:
    """The key of a seed that anybody may know: JAX's own, of its lower 32 bits alone, where the
    upper ones are zero; these are folded in where they are not, as JAX leaves them out.

    Raises:
      ValueError: if it is no whole number that 64 bits hold, with its sign.
    """
    if not (is_whole(seed) and -(2**63) <= seed < 2**63):
        raise ValueError(
            f"{name} must be a whole number from -2^63 and below 2^63, got {got(seed)}"
        )
    above, below = divmod(int(seed) % 2**64, 2**32)
    key = jax.random.key(below)
    return jax.random.fold_in(key, above) if above else key
