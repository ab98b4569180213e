"""`tacit device`: one person's device, which answers a live federation until it is told to end.

It holds its own key, cap and ledger, in the folder of its data or wherever it is told, and runs
functions from its own list. All that it agrees to and refuses is said, a line each.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import voice
from tacit.cli.guard import guarded
from tacit.cli.own_files import COLLUDING, OwnFiles, refuse_no_address, refuse_no_delta
from tacit.cli.own_functions import allowed, read
from tacit.live.cap import Cap
from tacit.live.client import Client
from tacit.live.flower.keys import PrivateKey
from tacit.live.link import Reachable
from tacit.live.own_ledger import OwnLedger

CAP = "The most that is sent in any week, or in any day, month or year."

commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
def device(
    data: Annotated[Path, typer.Option(help="Folder of the person's images.npy and labels.npy.")],
    server: Annotated[str, typer.Option(help="The federation's SuperLink, host:port.")],
    authority: Annotated[Path, typer.Option(help="Certificate of who vouches for the server.")],
    allow: Annotated[list[str], typer.Option(help="A function that may be run, as digits@1.")],
    cap: Annotated[str, typer.Option(help=CAP)] = "epsilon 50 a week",
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
        float | None,
        typer.Option(
            help="The share of members that may tell the server what they know.",
            show_default=f"{COLLUDING:g}, with --roster",
        ),
    ] = None,
) -> None:
    """Answers a live federation: randomised reports of one person's data, up to a cap."""
    most, functions, person = Cap.read(cap), allowed(allow), read(data)
    refuse_no_address(server)
    if roster is not None:
        refuse_no_delta(most)
    own = OwnFiles(key or data / "device.key", data / "signing.key", ledger or data / "ledger.db")
    own.refuse_unusable()
    own.keys_before(authority)
    member = own.member(roster, colluding)
    with flower_here():
        import_module("tacit.live.flower.device")
    client = Client(person, functions, OwnLedger(own.ledger, most), member)
    if member is None:
        own.signing_key()
    _speak()
    _answer(client, server, authority, own.device_key())


def _answer(client: Reachable, server: str, authority: Path, key: PrivateKey) -> None:
    from tacit.live.flower.calls import Refused
    from tacit.live.flower.device import FlowerDevice, until_told

    try:
        until_told(FlowerDevice(client, server, authority, key))
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
