"""Secrets of two: the same at both ends, another for each round, purpose and peer."""

import json
from pathlib import Path

import pytest

from tacit.live.masked.pairs import End, RoundKey, opened, pair_seed, sealed
from tacit.live.message import MessageError

ONE, OTHER, THIRD = (RoundKey(bytes([who]) * 32) for who in (1, 2, 3))
NUMBER = b"n" * 32
VECTORS = Path(__file__).parents[1] / "messages.json"


def test_both_ends_make_the_same_and_nobody_else_does():
    """Of their own private key and the other's public one."""
    mine, theirs = (
        pair_seed(ONE, 0, End(1, OTHER.public), NUMBER),
        pair_seed(OTHER, 1, End(0, ONE.public), NUMBER),
    )

    assert mine == theirs and 32 == len(mine)
    assert mine != pair_seed(THIRD, 1, End(0, ONE.public), NUMBER)
    assert mine != pair_seed(ONE, 0, End(1, OTHER.public), b"m" * 32)
    assert mine != ONE.shared(OTHER.public, NUMBER, "shares 0 1")


def test_no_two_pairs_have_one_seed_whatever_keys_they_show():
    """Another place, or other bytes of the same point: X25519 leaves the top bit out."""
    flipped = OTHER.public[:-1] + bytes([OTHER.public[-1] ^ 0x80])
    assert ONE.shared(flipped, NUMBER, "mask") == ONE.shared(OTHER.public, NUMBER, "mask")

    ends = [End(place, public) for place in (1, 2) for public in (OTHER.public, flipped)]
    seeds = {pair_seed(ONE, place, end, NUMBER) for place in (0, 3) for end in ends}

    assert 8 == len(seeds)


def test_a_seed_is_what_it_was():
    """A test vector, for programs that are not this one: its purpose has the lower place first."""
    written = json.loads(VECTORS.read_text())["mask"]
    own, other = RoundKey(bytes.fromhex(written["secret"])), bytes.fromhex(written["public"])
    order, purpose = bytes.fromhex(written["order"]), f"mask 4 {other.hex()} 7 {own.public.hex()}"
    seed = pair_seed(own, 7, End(4, other), order)

    assert own.shared(other, order, purpose) == seed and f"tacit {purpose}" == written["info"]
    assert written["seed"] == seed.hex()


def test_the_exchange_is_x25519():
    """Public keys of RFC 7748, section 6.1."""
    secret = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    public = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"

    assert public == RoundKey(secret).public.hex()


@pytest.mark.parametrize("public", [bytes(32), b"\1" + bytes(31), b"short"])
def test_points_that_give_everybody_the_same_secret_are_refused(public):
    """Of low order; and bytes that are no point."""
    with pytest.raises(MessageError, match="a point of the curve"):
        ONE.shared(public, NUMBER, "mask")


def test_what_is_sealed_is_opened_by_its_key_alone():
    """And not at all where a bit was changed."""
    message = sealed(b"k" * 32, b"shares")

    assert b"shares" == opened(b"k" * 32, message)
    assert opened(b"l" * 32, message) is None
    assert opened(b"k" * 32, message[:-1] + bytes([message[-1] ^ 1])) is None
    assert opened(b"k" * 32, b"") is None


def test_fresh_keys_are_new():
    """Of 256 bits, and not shown."""
    assert RoundKey.fresh().secret != RoundKey.fresh().secret
    assert "secret" not in repr(ONE)
