"""Whose centre is nearest, found without rounding: a function of the person alone.

A chunk's people are compared with all centres by one product of matrices, whose last digits may
depend on where in the chunk a person stands. For a number that is a last digit; for the nearest of
two centres it can be the other one, and with it all that the person gives. So distances are those
of multiples of 2^-11: in a box of half diagonal one every product is then a whole number, and what
is compared, |c|² - 2 x.c, at most 3 2^22 in size but for what rounding adds, which in 10^5
dimensions is less than another 2^22. float32 has them exactly, in whatever order they are summed.

Centres are looked at one after the other, by all people at once: XLA's own argmin goes from person
to person, and takes several times as long on a CPU.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int32

# Of a half diagonal.
FINE = 2.0**11


@jax.jit
def nearest_of(
    people: Float[Array, "people dim"], centres: Float[Array, "clusters dim"]
) -> Int32[Array, " people"]:
    """The number of each person's nearest centre, of all in the box; the first of several."""
    people, centres = (jnp.round(each * FINE) for each in (people, centres))
    along = jnp.matmul(centres, people.T, precision=lax.Precision.HIGHEST)
    squares = jnp.sum(jnp.square(centres), axis=1)

    def compared(place: Int32[Array, ""], best: tuple[Array, Array]) -> tuple[Array, Array]:
        far = squares[place] - 2 * along[place]
        nearer = far < best[0]
        return jnp.where(nearer, far, best[0]), jnp.where(nearer, place, best[1])

    first = squares[0] - 2 * along[0], jnp.zeros(len(people), jnp.int32)
    return lax.fori_loop(1, len(centres), compared, first)[1]
