"""`tacit device`: one person's device, which answers a live federation until it is told to end.

It holds its own key, cap and ledger, in the folder of its data or wherever it is told, and runs
functions from its own list. All that it agrees to and refuses is said, a line each.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import voice
from tacit.cli.guard import guarded
from tacit.cli.own_functions import allowed, read
from tacit.live.cap import Cap
from tacit.live.client import Client
from tacit.live.flower.keys import name_of, own_key, public_of
from tacit.live.link import Reachable
from tacit.live.masked.member import Member, SigningKey, read_roster
from tacit.live.own_ledger import OwnLedger

commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
def device(
    data: Annotated[Path, typer.Option(help="Folder of the person's images.npy and labels.npy.")],
    server: Annotated[str, typer.Option(help="The federation's SuperLink, host:port.")],
    authority: Annotated[Path, typer.Option(help="Certificate of who vouches for the server.")],
    allow: Annotated[list[str], typer.Option(help="A function that may be run, as digits@1.")],
    cap: Annotated[str, typer.Option(help="The most that is ever sent.")] = "epsilon 50 a week",
    key: Annotated[
        Path | None, typer.Option(help="Private key, made if need be.", show_default="in --data")
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="The device's own ledger.", show_default="in --data")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="Members of its group, for sums under masks: JSON.")
    ] = None,
    colluding: Annotated[
        float, typer.Option(help="The share of members that may tell the server what they know.")
    ] = 0.1,
) -> None:
    """Answers a live federation: randomised reports of one person's data, up to a cap."""
    most, functions, person = Cap.read(cap), allowed(allow), read(data)
    if not authority.is_file():
        raise ValueError(f"--authority must be a certificate's file, got {authority}")
    known = None if roster is None else read_roster(roster)
    own_path = key or data / "device.key"
    name = name_of(public_of(own_key(own_path)))
    member = _member(data / "signing.key", name, known, colluding)
    client = Client(person, functions, OwnLedger(ledger or data / "ledger.db", most), member)
    _speak()
    _answer(client, server, authority, own_path)


def _member(
    path: Path, name: str, roster: Mapping[str, bytes] | None, colluding: float
) -> Member | None:
    """The device in its group, where it has one; its signing key is made in any case."""
    signing = SigningKey.kept(path)
    voice.note(f"this device signs as {signing.public.hex()}, for a roster")
    return None if roster is None else Member(name, signing, roster, colluding)


def _answer(client: Reachable, server: str, authority: Path, key: Path) -> None:
    with flower_here():
        from tacit.live.flower.calls import Refused
        from tacit.live.flower.device import FlowerDevice, until_told
    own, public = own_key(key), key.with_suffix(".pub")
    public.write_bytes(public_of(own))
    made = FlowerDevice(client, server, authority, own)
    voice.note(f"this device is {made.name}, and its public key is in {public}")
    try:
        until_told(made)
    except Refused as error:
        raise ValueError(f"{server}: {error}") from error


@contextmanager
def flower_here() -> Iterator[None]:
    """Within, Flower is imported.

    Raises:
      ValueError: if it is not here, or in another version; the sentence says how it is had.
    """
    try:
        yield
    except ImportError as error:
        raise ValueError(str(error)) from error


def _speak() -> None:
    """What the device agrees to and refuses is said as it happens."""

    class Said(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            voice.note(record.getMessage())

    log = logging.getLogger("tacit.live")
    log.addHandler(Said())
    log.setLevel(logging.INFO)
