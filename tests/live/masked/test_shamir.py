"""Shares: enough of them are the secret, and fewer could be of any."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from tacit.live.masked.shamir import PRIME, SHARE_BYTES, secret_of, shares_of

SECRET = bytes(range(32))
PLACES = [0, 1, 4, 7, 9]


@pytest.mark.parametrize("secret", [SECRET, bytes(32), b"\xff" * 32])
@pytest.mark.parametrize("threshold", [1, 2, 5])
def test_any_so_many_shares_are_the_secret(secret, threshold):
    """The first, the last, or all of them."""
    shares = shares_of(secret, PLACES, threshold)
    for some in (PLACES[:threshold], PLACES[-threshold:], PLACES):
        assert secret_of({place: shares[place] for place in some}, threshold) == secret

    assert {SHARE_BYTES} == set(map(len, shares.values()))


def test_fewer_are_refused_and_fit_any_secret():
    """With two shares of three, another secret needs one third share, whatever it is."""
    shares = shares_of(SECRET, PLACES, 3)
    two = {place: shares[place] for place in PLACES[:2]}
    with pytest.raises(ValueError, match="3 shares are needed, got 2"):
        secret_of(two, 3)
    # Through the two and any value at zero goes a parabola: its value at the third place.
    other = int.from_bytes(b"\x07" * 32, "big")
    (x1, y1), (x2, y2) = ((place + 1, int.from_bytes(own, "big")) for place, own in two.items())
    x3 = PLACES[2] + 1
    terms = [(0, other), (x1, y1), (x2, y2)]
    value = 0
    for x, y in terms:
        above = below = 1
        for known, _ in terms:
            if known != x:
                above, below = above * (x3 - known) % PRIME, below * (x - known) % PRIME
        value = (value + y * above * pow(below, -1, PRIME)) % PRIME
    fits = {**two, PLACES[2]: value.to_bytes(SHARE_BYTES, "big")}

    assert secret_of(fits, 3) == b"\x07" * 32


def test_one_share_of_two_is_uniform():
    """Its lowest bits, over 8,000 sharings of one secret, at one chance in a million."""
    seen = Counter(shares_of(SECRET, [0, 1], 2)[0][-1] % 16 for _ in range(8_000))
    squares = sum((seen[bits] - 500) ** 2 / 500 for bits in range(16))

    assert squares < chi2.isf(1e-6, 15)
    assert len({shares_of(SECRET, [0, 1], 2)[0] for _ in range(100)}) == 100


def test_the_field_is_one():
    """Its size is a prime, above all secrets (Fermat's test to a hundred bases)."""
    rng = np.random.default_rng(0)
    bases = [int.from_bytes(rng.bytes(32), "big") % (PRIME - 3) + 2 for _ in range(100)]

    assert PRIME > 2**256 and all(pow(base, PRIME - 1, PRIME) == 1 for base in bases)
    # None of the odd numbers below it is one.
    assert all(pow(3, n - 1, n) != 1 for n in range(2**256 + 1, PRIME, 2))


@pytest.mark.parametrize(
    "secret, places, threshold",
    [(b"short", [0, 1], 2), (SECRET, [0, 0], 2), (SECRET, [0, 1], 3), (SECRET, [0, 1], 0)],
)
def test_other_sharings_are_refused(secret, places, threshold):
    """Places of their own, and a threshold that can be met."""
    with pytest.raises(ValueError, match="32 bytes"):
        shares_of(secret, places, threshold)


def test_wrong_shares_are_another_secret_or_none():
    """Nothing tells them from right ones here: a digest does, later."""
    shares = shares_of(SECRET, PLACES, 2)
    wrong = {**shares, 0: shares_of(SECRET, PLACES, 2)[0]}
    try:
        assert secret_of(wrong, 2) != SECRET
    except ValueError as error:
        assert "no secret of 32 bytes" in str(error)
