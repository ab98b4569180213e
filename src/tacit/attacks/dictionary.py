"""Who was it, among pictures that the onlooker knows? The likeliest of a collection.

The model is public, so is what each picture would have sent: its update. The onlooker takes the one
whose direction has the largest inner product with what was sent.

**Nothing does better** if every picture of the collection is as likely before. Of PrivUnit what is
sent has one density where its inner product with the true direction is at least gamma, and a lower
one elsewhere: if any candidate reaches gamma, so does the largest, and no other is likelier. Of
Gaussian noise on updates of one length the density falls with the distance, which is least where
the inner product is largest.

**No model is too large for it.** The inner product with the true direction is about
(2 epsilon/d)^(1/2) of the report's length, and that with a candidate across is about 1/d^(1/2). So
it succeeds from about log(candidates) on, whatever d is, and a promise of epsilon says no
more: of N pictures the chance is at most e^epsilon/(N - 1 + e^epsilon) (`after` of
`tacit.accounting.theorems.reconstruction`).
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PyTree

# Updates that are held at once, in numbers.
_BLOCK = 2**22


@partial(jax.jit, static_argnames="update")
def likeliest(
    sent: Float[Array, "people dim"],
    candidates: PyTree[Array],
    update: Callable[[PyTree[Array]], Float[Array, " dim"]],
) -> Int[Array, " people"]:
    """The place of each person's likeliest candidate; -1 of a person of whom no number was seen.

    Args:
      sent: what was seen of each person.
      candidates: what people may hold, with an axis for candidates first.
      update: what somebody who holds one would have sent, without noise.
    """

    def scores(candidate: PyTree[Array]) -> Float[Array, " people"]:
        vector = update(candidate)
        return sent @ vector / jnp.linalg.norm(vector)

    # A candidate without an update is nobody's likeliest.
    found = jax.lax.map(scores, candidates, batch_size=max(1, _BLOCK // sent.shape[1]))
    known = jnp.where(jnp.isnan(found), -jnp.inf, found)
    return jnp.where(jnp.isneginf(known).all(axis=0), -1, jnp.argmax(known, axis=0))
