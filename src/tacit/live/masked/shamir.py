"""A secret in shares: any `threshold` of them give it back, and fewer say nothing about it.

The secret is the value at zero of a polynomial of degree threshold - 1 over a prime field, whose
other coefficients are uniform, and a share is its value at a place of its own. Through threshold
points goes one such polynomial. Through fewer, and any value at zero, go equally many: they are
independent of the secret.

A secret is put together of the first `threshold` shares alone. Others that are there are not looked
at, and correct no wrong one among these: what comes out has to be compared with what was shown.

The field's prime, 2^256 + 297, is the least above all secrets of 32 bytes; a share has 33.

References:
    Shamir 1979, "How to share a secret".
"""

import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache

# The least prime above all secrets of 32 bytes; its own numbers need 33.
PRIME = 2**256 + 297
SECRET_BYTES, SHARE_BYTES = 32, 33


def shares_of(secret: bytes, places: Sequence[int], threshold: int) -> dict[int, bytes]:
    """A share for each place, of which any `threshold` are enough.

    Args:
      secret: 32 bytes.
      places: from 0 on, no two alike.
      threshold: from 1 to as many as there are places.
    """
    if not (len(secret) == SECRET_BYTES and 1 <= threshold <= len(set(places)) == len(places)):
        raise ValueError("a secret has 32 bytes, and as many places of its own as its threshold")
    own = [secrets.randbelow(PRIME) for _ in range(threshold - 1)]
    polynomial = [int.from_bytes(secret, "big"), *own]
    return {place: _value(polynomial, place + 1).to_bytes(SHARE_BYTES, "big") for place in places}


def secret_of(shares: Mapping[int, bytes], threshold: int) -> bytes:
    """The secret of which these are shares, at their places.

    Raises:
      ValueError: if they are too few, or no shares of one secret that was shared at this threshold;
        of wrong shares another secret may come out.
    """
    if not len(shares) >= threshold >= 1:
        raise ValueError(f"{threshold} shares are needed, got {len(shares)}")
    some = dict(list(shares.items())[:threshold])
    weights = _weights(tuple(place + 1 for place in some))
    each = zip(some.values(), weights, strict=True)
    found = sum(int.from_bytes(own, "big") * weight for own, weight in each) % PRIME
    if found.bit_length() > 8 * SECRET_BYTES:
        raise ValueError("these are shares of no secret of 32 bytes")
    return found.to_bytes(SECRET_BYTES, "big")


def _value(polynomial: Sequence[int], x: int) -> int:
    value = 0
    for coefficient in reversed(polynomial):
        value = (value * x + coefficient) % PRIME
    return value


# A round puts as many secrets together as it has devices, of shares at the same places.
@lru_cache(maxsize=16)
def _weights(points: tuple[int, ...]) -> tuple[int, ...]:
    """Lagrange's, of the value at zero."""
    return tuple(_weight(x, points) for x in points)


def _weight(x: int, points: tuple[int, ...]) -> int:
    above, below = 1, 1
    for other in points:
        if other != x:
            above, below = above * other % PRIME, below * (other - x) % PRIME
    return above * pow(below, -1, PRIME) % PRIME
