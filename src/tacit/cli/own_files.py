"""What `tacit device` is told of its server and its own files: all is checked before one is made.

So a refusal leaves nothing behind: no key that nobody knows of, and no ledger of a device that
never was. What is there already is read, and where there is nothing yet there has to be a folder.
"""

import os
import re
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import final

from tacit.cli import voice
from tacit.live.cap import Cap
from tacit.live.flower.keys import PrivateKey, name_of, own_key, public_of
from tacit.live.masked.member import Member, SigningKey, read_roster
from tacit.live.opened import opened

# The share of members that may tell the server what they know, where nobody says.
COLLUDING = 0.1
# A name or an address, an IPv6 one in brackets; and a port.
_ADDRESS = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:/?#@\[\]]+):([0-9]{1,5})")


@final
@dataclass(frozen=True)
class OwnFiles:
    """Where a device keeps what is its own.

    Args:
      key: the private key that it is known by.
      signing: the key of its group.
      ledger: its own.
    """

    key: Path
    signing: Path
    ledger: Path

    def refuse_unusable(self) -> None:
        """Checks each of them.

        Raises:
          ValueError: if one is not what it should be, and could not be made either.
          LedgerError: if the ledger is none, or was emptied.
        """
        _refuse_no_place("--key", "a private key", self.key)
        if self.key.suffix == ".pub":
            raise ValueError(f"--key must not end in .pub, as its public key will, got {self.key}")
        _refuse_no_place("--data", "a signing key", self.signing)
        _refuse_no_place("--ledger", "a device's ledger", self.ledger)
        if self.key.exists():
            own_key(self.key)
        if self.signing.exists():
            SigningKey.kept(self.signing)
        if self.ledger.exists():
            opened(self.ledger)

    def device_key(self) -> PrivateKey:
        """The key it is known by, made where there is none, and its public half beside it."""
        own, public = own_key(self.key), self.key.with_suffix(".pub")
        public.write_bytes(public_of(own))
        name = name_of(public_of(own))
        voice.note(f"this device is {name}, and its public key is in {public}")
        return own

    def keys_before(self, authority: Path) -> None:
        """Checks the certificate; where it is not there yet, the device's keys come first.

        Raises:
          ValueError: if the file is not there, once the keys are made; or holds none.
        """
        if not authority.exists():
            self.device_key()
            self.signing_key()
            raise ValueError(
                f"--authority must be a certificate's file, and {authority} is not there: the "
                f"server's operator gives it, and is given {self.key.with_suffix('.pub')}"
            )
        refuse_no_certificate(authority)

    def signing_key(self) -> SigningKey:
        """The group's key, made where there is none; whoever writes a roster is told of it."""
        signing = SigningKey.kept(self.signing)
        voice.note(f"this device signs as {signing.public.hex()}, for a roster")
        return signing

    def member(self, roster: Path | None, colluding: float | None) -> Member | None:
        """The device in its group, where it has one.

        Raises:
          ValueError: if the roster is none, or not of this device; nothing is written.
        """
        if roster is None and colluding is not None:
            raise ValueError("--colluding is a share of a roster's members: give --roster as well")
        if roster is None:
            return None
        known = read_roster(roster)
        if not (self.key.exists() and self.signing.exists()):
            raise ValueError(
                f"{roster} cannot have this device, whose keys are not made yet: begin it once "
                "without --roster, and it says what it signs as"
            )
        name = name_of(public_of(own_key(self.key)))
        share = COLLUDING if colluding is None else colluding
        return Member(name, self.signing_key(), known, share)


def refuse_no_address(server: str) -> None:
    """Raises a ValueError unless this is a host and a port, with nothing before or behind them."""
    found = _ADDRESS.fullmatch(server)
    if not (found and 0 < int(found[1]) < 2**16):
        raise ValueError(
            "--server must be HOST:PORT, as example.org:8000, with a port from 1 to 65535, "
            f"got {server!r}"
        )


def refuse_no_delta(cap: Cap) -> None:
    """Raises a ValueError if this cap has the delta of whoever says none."""
    if cap == Cap(cap.epsilon, cap.days):
        raise ValueError(
            "sums under masks spend delta, so --cap must say how much, as "
            f'"epsilon 4 and delta 1e-5 a week"; this one is {cap}'
        )


def refuse_no_certificate(authority: Path) -> None:
    """Raises a ValueError unless this file is one that a server can be checked by."""
    try:
        held = authority.read_bytes().decode("ascii")
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=held)
    except (OSError, ValueError):
        raise ValueError(
            f"--authority must be a certificate's file, in PEM, got {authority}"
        ) from None


def _refuse_no_place(option: str, what: str, path: Path) -> None:
    new = not path.exists() and path.parent.is_dir() and os.access(path.parent, os.W_OK)
    if not (path.is_file() or new):
        raise ValueError(
            f"{option} must be a file that holds {what}, or a new one in a folder that is there, "
            f"got {path}"
        )
