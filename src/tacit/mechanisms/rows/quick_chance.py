"""Whether a direction is accepted: by floats where they are sure, and else in whole numbers.

A proposal is accepted if a word of 128 bits is below floor(2^128 e^L), L of 70 digits
(`AngularEnvelope.log_chance`). Here L is guessed, by products of floats, and is within
`rounding` of the guess. What is decided is what 70 digits decide, *to the last bit of the word*:
where the word is not below both ends or above both of 2^128 e^(guess -+ `rounding`), 70 digits
are asked. A word with word + 1 at most the lower end is below the floor as well, as word + 1 is
whole. So no draw from an envelope has another outcome than without guesses. On another machine, or
by more threads of BLAS, eigenvectors may be other floats, and so the envelope and a key's outcome:
only the law is the same.

**The error.** Let e = 2^-52, and d be at least two, as it is. Floats that are not too small or
large, as none is here, are right within e/2 of their size, and a sum of d products is within d e/2,
but for e's square, of that of their sizes, in any order. Norms are Frobenius's.

1. *z.* What R g is computed of is right within 2 e (`wide_normals.near`) and e/2 (R) of its size:
   z moves by (d + 6) (e/2) |V| |D g| at most. As V'V is within v <= 1/2 of I, |D g| is at most
   |z|/(1 - v)^(1/2), and |V|² at most d (1 + v). So z moves by .87 q |z|, q = (d + 6) d^(1/2) e.
2. *t u'Au.* u moves by twice that at most, and u'Au by 2 |A| as much: by 3.48 q |A|. Sums of d
   products, three times, and a quotient are (3d + 2) (e/2) |A|, which is below .36 q |A|.
3. *(d/2) ln w.* |z|² is off by 1.74 q, |g|² by 4 e, both by d e/2, a quotient by e/2, of their
   size. With d/2 before it that is below d (.87 q + (d + 4.5) e/2), and that below 1.16 d q.
4. *Digits.* From there on 24 digits are computed with, exponentials too, and L itself is but 70
   digits: that is 10^-20 of t |A|, K and 12 d at most, as w is between 1/2 and 2^34; q > 10^-15.

Together they are below `rounding`, 5 q (t |A| + d + |K|), with enough left for the squares and
for |A| that is a float.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import final

import numpy as np
from jaxtyping import Float64

from tacit.mechanisms.rows.angular_envelope import DIGITS, AngularEnvelope
from tacit.noise.exact import WORD
from tacit.solve.whole_products import Whole

# Step 4.
_SHORT = Context(prec=24)
# What a word of 128 bits is below where a chance is one.
_CERTAIN = Decimal(2 ** (2 * WORD))


@final
@dataclass(frozen=True)
class QuickChance:
    """What is accepted in an envelope. Build it with `of`.

    Args:
      envelope: what is guessed of.
      rounding: how far a guess is from what it is a guess of, at most.
    """

    envelope: AngularEnvelope
    rounding: Decimal

    @classmethod
    def of(cls, envelope: AngularEnvelope) -> QuickChance:
        """For an envelope of 2 to 512 columns."""
        dim = len(envelope.squares)
        along = float(envelope.rate) * float(np.linalg.norm(envelope.squares))
        size = along + dim + abs(float(envelope.bound))
        return cls(envelope, Decimal.from_float(5 * (dim + 6) * dim**0.5 * 2.0**-52 * size))

    def guesses(self, normals: Float64[np.ndarray, "many dim"]) -> Iterator[Decimal]:
        """L of each normal vector, of numbers that are right but for 2^-51 of their size."""
        turned = normals @ (self.envelope.vectors * self.envelope.lengths).T
        lengths = np.square(turned).sum(axis=1)
        along = (turned @ self.envelope.squares * turned).sum(axis=1) / lengths
        w = np.square(normals).sum(axis=1) / lengths
        rate = self.envelope.rate
        half = _SHORT.divide(Decimal(normals.shape[1]), Decimal(2))
        t = _SHORT.divide(Decimal(rate.numerator), Decimal(rate.denominator))
        for one, other in zip(along.tolist(), w.tolist(), strict=True):
            logs = _SHORT.multiply(half, Decimal.from_float(other).ln(_SHORT))
            along_t = _SHORT.multiply(t, Decimal.from_float(one))
            yield _SHORT.subtract(_SHORT.add(along_t, logs), self.envelope.bound)

    def accepts(self, word: int, guess: Decimal, normal: Callable[[], Whole]) -> bool:
        """Whether the word is below the chance of the vector, which is asked for if need be."""
        if word >= _limit(_SHORT.add(guess, self.rounding), _SHORT):
            return False
        if word + 1 <= _limit(_SHORT.subtract(guess, self.rounding), _SHORT):
            return True
        exact = normal()
        log = self.envelope.log_chance(exact, self.envelope.proposed(exact))
        return word < int(_limit(log, DIGITS))


def _limit(log: Decimal, digits: Context) -> Decimal:
    """2^128 of its exponential."""
    return digits.multiply(log.exp(digits), _CERTAIN)
