"""A device as a member of a group: its own signing key, and everybody's public ones.

The server carries all messages between devices, so it could answer for devices that it made up. A
device believes a key if it is signed by a member, and a group's *roster* of public keys is given to
its owner by somebody who is not the server: it is the one thing that is trusted here.

`colluding` is the share of the roster that its owner thinks may tell the server what it knows. All
of them may be in one round, so a device joins rounds only that count on as many.
"""

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self, final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tacit.argument import got, is_number
from tacit.noise import keys
from tacit.whole_file import replacing

# Ed25519's.
SIGNATURE_BYTES = 64


@final
@dataclass(frozen=True, eq=False)
class SigningKey:
    """A device's own, for as long as it is a member (Ed25519, RFC 8032).

    Args:
      secret: 32 bytes.
    """

    secret: bytes = field(repr=False)

    @classmethod
    def fresh(cls) -> Self:
        """From the operating system's entropy."""
        return cls(keys.fresh())

    @classmethod
    def kept(cls, path: Path) -> Self:
        """The one in this file, which is made, for its owner's eyes alone, where there is none.

        Raises:
          ValueError: if the file holds something else.
          OSError: if it can be neither read nor written.
        """
        if not path.exists():
            with replacing(path) as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(cls.fresh().secret)
        secret = path.read_bytes()
        if len(secret) != keys.KEY_BYTES:
            raise ValueError(f"{path} must hold a signing key of {keys.KEY_BYTES} bytes")
        return cls(secret)

    @cached_property
    def public(self) -> bytes:
        """What the roster has of it."""
        return self._private.public_key().public_bytes_raw()

    def sign(self, said: bytes) -> bytes:
        return self._private.sign(said)

    @cached_property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)


@final
@dataclass(frozen=True, eq=False)
class Member:
    """One of a group.

    Args:
      name: the device's, as the server asks for it.
      key: its own.
      roster: everybody's public key, by name.
      colluding: the share of the roster that may tell the server what it knows; at least 0 and
        below 1.

    Raises:
      ValueError: if the roster has another key under this name, one key twice, or one that is none,
        or the share is none.
    """

    name: str
    key: SigningKey = field(repr=False)
    roster: Mapping[str, bytes] = field(repr=False)
    colluding: float = 0.1

    def __post_init__(self):
        # What was checked is what is believed, whatever becomes of the caller's own.
        object.__setattr__(self, "roster", dict(self.roster))
        if self.roster.get(self.name) != self.key.public:
            raise ValueError(f"the roster must have {self.name!r} with the key of this device")
        if len(set(self.roster.values())) != len(self.roster):
            raise ValueError("every member of a roster must have a key of its own")
        if not all(isinstance(own, bytes) and len(own) == 32 for own in self.roster.values()):
            raise ValueError("a roster's public keys must have 32 bytes each")
        if not all(isinstance(name, str) and name.isprintable() for name in self.roster):
            raise ValueError("a roster's names must be of printable letters")
        if not (is_number(self.colluding) and 0 <= self.colluding < 1):
            raise ValueError(
                f"colluding must be a share from 0 to below 1, got {got(self.colluding)}"
            )

    @property
    def feared(self) -> int:
        """How many members may be colluding, all of them perhaps in one round."""
        return math.ceil(self.colluding * len(self.roster))

    @cached_property
    def known(self) -> bytes:
        """A digest of everybody's names and keys, in an order that all have."""
        text = json.dumps({name: own.hex() for name, own in self.roster.items()}, sort_keys=True)
        return hashlib.sha256(b"tacit roster" + text.encode()).digest()

    def signed_by(self, name: str, said: bytes, signature: bytes) -> bool:
        """Whether a member of that name has signed this."""
        public = self.roster.get(name)
        if public is None:
            return False
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, said)
        except (InvalidSignature, ValueError):
            return False
        return True


def read_roster(path: Path) -> dict[str, bytes]:
    """The roster in a JSON file: every member's name, and its public key in hexadecimal digits.

    Raises:
      ValueError: if the file is none, or holds something else.
    """
    try:
        said = json.loads(path.read_text())
        return {name: bytes.fromhex(public) for name, public in said.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        raise ValueError(
            f"{path} must be a JSON file of members' names and their public signing keys"
        ) from None


def write_roster(path: Path, roster: Mapping[str, bytes]) -> None:
    """The same, written."""
    path.write_text(json.dumps({name: own.hex() for name, own in roster.items()}, indent=2))
