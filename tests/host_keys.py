"""Keys of the library's own generator, for what is drawn by the host.

NumPy draws from them; of any other key (`quick_keys`) a program has to be run for each draw. But
what JAX compiles is slow to compile with these. Their words are not secret.
"""

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

# As it is imported: most tests have another in its place.
from tacit.noise.chacha import IMPL, KEY_WORDS


def several(seed: int, many: int) -> list[PRNGKeyArray]:
    """So many that depend on the seed alone."""
    words = np.random.default_rng(seed).integers(2**32, size=(many, KEY_WORDS), dtype=np.uint32)
    return [jax.random.wrap_key_data(own, impl=IMPL) for own in words]
