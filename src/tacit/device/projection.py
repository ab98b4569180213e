"""One random projection for all people of a round: reports, their sum and its noise in few numbers.

With N, k, H, D, S and c as in `mechanisms.local.projunit`, n = N/k, but S one for the round, as D
is: a term t becomes w = |t| Wt/|Wt|, k numbers, and an answer a of k numbers W^T a/c, of d again.

**Privacy.** D and S come from the round's public key, which no data has a part in and no other
round shares. Whatever they are, w is a term of the ball of t's own radius in k dimensions: what a
device or a server promises of such terms, it promises of these. The way back is post-processing.

**Lengths.** Write u = t/|t|, Q = |Wu|², X = |W^T W u|² and v = Var Q <= 2/k - 2/N (`projunit`). A
row of W has squared norm d/k, and W W^T at most N/k: of N orthogonal rows d columns are there. With
G_r of these columns and U_r of u's squares in r modulo n, signs and rows leave exactly

    E[X] = d/k + 1 - sum G_r U_r/k <= d/k + 1 - floor(dk/N)/k.

For w of norm one |W^T w|² = X/Q is at most N/k, so E|W^T w|² <= E[X] + (N/k) E[(1 - Q)+], and the
last mean is half of E|Q - 1| <= v^(1/2). So E|W^T w|² <= s, with

    s = min(N/k, d/k + 1 - floor(dk/N)/k + (N/k) v^(1/2)/2),

and it is not below d/k by more than the last summand. `stretch` is s/c².

**Error of reports and noise.** Noise of equal, uncorrelated coordinates and energy e comes back
with d/k of it, exactly. A report about w varies by a I + b w w^T: devices of balls and spheres turn
with their term. Its energy a k + b = e becomes a d + b |W^T w|², at most e s: for b >= 0 as
s >= d/k, for b < 0 as then -b <= e. Over c² both are stretched by s/c² at most; so is what cutting
to a grid does, for which the whole of every cut is counted.

**Error of the projection.** What is left is the error of the mean of W^T w/c about the mean m of t.
A square is convex, so it is at most one person's, and that is

    |t|² E|W^T w/c - u|² <= |t|² (s/c² + 1 - (2 - v)/c),                            (1)

bias and all. It is the same for everybody, so it falls with rounds and not with people; all of it
is met where all people hold one vector of the largest norm. Where |m| is smaller so is the error:
it is that of (W^T W - 1) m, whose square has the mean (E[X] - 1)|m|², and of W^T w (1/c - Q^(1/2)):

    ((d - floor(dk/N))/k)^(1/2) |m| + radius ((N/k) (1/c² + 1 - (2 - v)/c))^(1/2)     (2)

is its root at most. `error` takes the smaller of both.
"""

import math
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num, PRNGKeyArray, UInt32

from tacit.argument import counted, got, is_whole
from tacit.mechanisms.local import cap
from tacit.mechanisms.local.projection import (
    LARGEST_DIM,
    kept_rows,
    padded,
    places,
    random_signs,
    shrink,
    transform,
)

LEAST_KEPT = 4
# Numbers of people's terms that are projected side by side.
_BLOCK = 2**19


@final
class SharedProjection(eqx.Module):
    """From `dim` numbers to `kept`, and back.

    **Guarantee**: `project` keeps each term's norm, up to the rounding of two float32 norms.

    **Error**: `stretch`, `error` and `bias` are upper bounds over the public key.

    | term | becomes |
    | --- | --- |
    | zero, NaN or infinite somewhere, a norm beyond float32 | zero |
    | shorter than sqrt(dim) 1e-15 | its own norm along the first basis vector's projection |
    | one whose projection vanishes | its own norm along the first of `kept` basis vectors |

    References:
        Asi, Feldman, Nelson, Nguyen and Talwar 2023, "Fast optimal locally private mean estimation
        via random projections". Their rows are each person's own.
    """

    dim: int = eqx.field(static=True, converter=counted)
    kept: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        if not (is_whole(self.dim) and LEAST_KEPT <= self.dim <= LARGEST_DIM):
            raise ValueError(
                f"dim must be a whole number from {LEAST_KEPT} to {LARGEST_DIM}, got "
                f"{got(self.dim)}"
            )
        kept, most = self.kept, self.padded
        if not (is_whole(kept) and LEAST_KEPT <= kept <= most and kept & (kept - 1) == 0):
            raise ValueError(
                f"kept must be a power of two from {LEAST_KEPT} to {most}, got {got(kept)}"
            )

    @property
    def padded(self) -> int:
        """N: the least power of two that is not below `dim`."""
        return padded(self.dim)

    @property
    def stretch(self) -> float:
        """How much larger a squared error in `kept` numbers is in `dim`, at most."""
        return self._back / self._shrink**2

    @property
    def bias(self) -> float:
        """How far the mean of a unit vector's way forth and back is from it, at most."""
        return (math.sqrt(self._variance) + 1 - self._shrink) / self._shrink

    def error(self, mean: float, radius: float) -> float:
        """The squared error that the projection adds to a mean of this norm, of terms in a ball.

        This part is common to all people of a round, and independent between rounds.
        """
        whole = radius**2 * (self.stretch + 1 - (2 - self._variance) / self._shrink)
        lengths = 1 / self._shrink**2 + 1 - (2 - self._variance) / self._shrink
        own = math.sqrt((self.dim - self._full) / self.kept) * mean
        others = radius * math.sqrt(self.padded / self.kept * max(lengths, 0.0))
        return min(whole, (own + others) ** 2)

    def project(
        self, public: PRNGKeyArray, terms: Num[Array, "people dim"]
    ) -> Float[Array, "people kept"]:
        """Each term in `kept` numbers, as long as it was.

        Args:
            public: The round's, known to all.
            terms: Of the people, in `dim` numbers.
        """
        signs, chosen = self._drawn(public)

        def one(term: Num[Array, " dim"]) -> Float[Array, " kept"]:
            length = jnp.linalg.norm(term.astype(jnp.float32))
            along = cap.axis(kept_rows(cap.axis(term), signs, chosen))
            return jnp.where(jnp.isfinite(length), length, 0.0) * along

        return jax.lax.map(one, terms, batch_size=_BLOCK // self.padded or None)

    def lift(self, public: PRNGKeyArray, answer: Float[Array, " kept"]) -> Float[Array, " dim"]:
        """An answer about projected terms, in `dim` numbers."""
        signs, chosen = self._drawn(public)
        first = jnp.arange(self.kept, dtype=jnp.uint32) * (self.padded // self.kept)
        whole = jnp.zeros(self.padded, jnp.float32).at[first + chosen].set(answer)
        turned = transform(whole, self.padded) * signs
        return turned[: self.dim] / (self._shrink * math.sqrt(self.kept))

    def _drawn(
        self, public: PRNGKeyArray
    ) -> tuple[Float[Array, " padded"], UInt32[Array, " kept"]]:
        """The signs, and the row of each block."""
        for_signs, for_rows = jax.random.split(public)
        rows = places(for_rows, self.padded, self.kept)
        return random_signs(for_signs, self.padded), rows

    @property
    def _shrink(self) -> float:
        return shrink(self.padded, self.kept)

    @property
    def _variance(self) -> float:
        return 2 * (1 / self.kept - 1 / self.padded)

    @property
    def _full(self) -> int:
        """How many columns every residue has at least."""
        return self.dim * self.kept // self.padded

    @property
    def _back(self) -> float:
        """s: the mean square of a unit vector's way back, at most."""
        whole = self.padded / self.kept
        typical = (self.dim - self._full) / self.kept + 1
        return min(whole, typical + whole * math.sqrt(self._variance) / 2)
