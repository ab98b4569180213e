"""The share that one noisy sum has of two, with its limits: Fieller's argument.

With sums A and B, noise a and b, and C = A + a + B + b as the count, p = A/(A + B) satisfies

    (A + a) - p C = (1 - p) a - p b,

so |(A + a) - p C| <= q(1 - p, p) but for a stated chance, where q(v, w) is what |v a - w b| exceeds
with that chance at most, and rises in v and w. With p in [v, w] the right side is q(1 - v, w) at
most: begin with [0, 1], and repeat. Three times are enough for q to be that of the p in question,
or nearly.

References:
    Fieller 1954, "Some problems in interval estimation".
"""

from collections.abc import Callable


def share_of(
    upper: float, count: float, reach: Callable[[tuple[float, float]], float]
) -> tuple[float, float, float]:
    """The share, its lower and its upper limit.

    | the noisy count | share | limits |
    | --- | --- | --- |
    | above zero | `upper` of it, in [0, 1] | as proved |
    | zero or below | one half | 0 and 1 |

    Args:
      upper: the noisy sum whose share it is.
      count: both noisy sums together.
      reach: q of the proof, of both weights.
    """
    if not count > 0:
        return 0.5, 0.0, 1.0
    low, high = 0.0, 1.0
    for _ in range(3):
        far = reach((1 - low, high))
        low, high = (min(max((upper + x) / count, low), high) for x in (-far, far))
    return min(max(upper / count, 0.0), 1.0), low, high
