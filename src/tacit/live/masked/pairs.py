"""Secrets of two devices that a server between them does not have: X25519, HKDF, ChaCha20-Poly1305.

Both ends make the same secret of their own private key and the other's public one. From it follow,
by HKDF with the round's number and a purpose, a seed of the mask of these two, and for either
direction a key for what one sends the other through the server. A key seals one message.

A member may show another's public key as its own, or bytes that are the same point of the curve:
with an honest peer both then have one secret. So a purpose says which places it is of, and that of
a mask which keys, too: no two pairs of a round have one seed, whatever keys they showed.

References:
    RFC 7748 (X25519), RFC 5869 (HKDF), RFC 8439 (ChaCha20-Poly1305).
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self, final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tacit.live.message import MessageError
from tacit.noise import keys

# X25519's and Poly1305's.
PUBLIC_BYTES, TAG_BYTES = 32, 16
# The nonce: a key seals one message.
_ONCE = bytes(12)
# A key of no device: points of low order are those with any.
_ANY = bytes(range(32))


@final
@dataclass(frozen=True, eq=False)
class RoundKey:
    """A private key of one round.

    Args:
      secret: 32 bytes.
    """

    secret: bytes = field(repr=False)

    @classmethod
    def fresh(cls) -> Self:
        """From the operating system's entropy."""
        return cls(keys.fresh())

    @cached_property
    def public(self) -> bytes:
        return self._private.public_key().public_bytes_raw()

    def shared(self, other: bytes, number: bytes, purpose: str) -> bytes:
        """32 bytes that whoever has the other key makes, too.

        Raises:
          MessageError: if the other key is none.
        """
        secret = self._exchanged(other)
        return HKDF(SHA256(), 32, number, f"tacit {purpose}".encode()).derive(secret)

    def _exchanged(self, other: bytes) -> bytes:
        try:
            return self._private.exchange(X25519PublicKey.from_public_bytes(other))
        except ValueError:
            raise MessageError("a device's public key is a point of the curve") from None

    @cached_property
    def _private(self) -> X25519PrivateKey:
        return X25519PrivateKey.from_private_bytes(self.secret)


class End(NamedTuple):
    """One of the two devices that have a mask.

    Args:
      place: its own in the round.
      public: the key of its masks, in the very bytes that it showed.
    """

    place: int
    public: bytes


def refuse_no_points(*public: bytes) -> None:
    """Raises a MessageError for a public key that makes one secret with everybody, or is none."""
    for each in public:
        RoundKey(_ANY).shared(each, b"", "point")


def pair_seed(own: RoundKey, place: int, other: End, number: bytes) -> bytes:
    """The seed of the mask that these two have, from either side; no other two have it."""
    ends = sorted([End(place, own.public), other])
    said = " ".join(f"{each.place} {each.public.hex()}" for each in ends)
    return own.shared(other.public, number, f"mask {said}")


def sealed(key: bytes, message: bytes) -> bytes:
    """The message, for whoever has the key, which seals no other one."""
    return ChaCha20Poly1305(key).encrypt(_ONCE, message, None)


def opened(key: bytes, message: bytes) -> bytes | None:
    """What was sealed; None if it was not, with this key."""
    try:
        return ChaCha20Poly1305(key).decrypt(_ONCE, message, None)
    except InvalidTag:
        return None
