"""A device on a Flower network: one lasting process that answers orders and runs no code of others.

Flower's own SuperNode runs the app a server sends. This speaks the same protocol to the same
SuperLink and never asks for an app: an order and the round's state are bytes that come in, and what
`answering` makes of them goes out.

| what happens | then |
| --- | --- |
| the network is gone, or the server | it is tried again: after 1 s at first, 30 s at last |
| it says 408 or 429, or a proxy shows a page of its own, or none | as above |
| it is waited for | that is said once, and once more when it is over (`waiting`) |
| an answer is late: its order has run out at the server | it is dropped, and logged |
| it takes no part of an answer, for it no longer waits for one | as above |
| nobody takes an answer for five minutes | as above, and sent if it is asked for again |
| the server is back without knowing of this connection | the device joins again, after 1 s |
| it is told to end | it answers the order that is at hand, asks for no other, and leaves |
| it is told to end while nobody answers | it ends |
| it was killed and is back at once | it is let in when its former connection ran out, 20 s |
| an order was taken when it was killed | the link sends it once more; the device's ledger answers |
| an order was lost on its way to the device | the link sends it once more, as above |
| the run is over before the answer is there | the answer is dropped |
| a message is no order of ours | it is dropped, and logged |
| parts of an order are not there yet | others are answered meanwhile |
| they do not come while it lives, or four later ones lack theirs | it is dropped, and logged |
| the certificate is another authority's or host's | `Refused`: nothing but a greeting was sent |
| it has run out, or is not valid yet: by the device's clock | `Refused`, as above |
| the server answers 403 to who joins or asks for orders | `Refused` |
| the server answers 404: it speaks another version of Flower's protocol | `Refused` |
| the server does not know the key | `Refused`, after half a minute of trying or a whole one |
| it knew it before, and was begun anew | the device waits until it does |
| clocks are more than five minutes apart | `Refused`: the server believes no older signatures |
"""

import logging
import math
import signal
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from tacit.live.flower import spoken
from tacit.live.flower.calls import (
    Ended,
    Genuine,
    Refused,
    RunOver,
    Stranger,
    TooLate,
    rest,
    steady,
)
from tacit.live.flower.inbox import Inbox
from tacit.live.flower.keys import PrivateKey, name_of, public_of
from tacit.live.flower.parcel import NotOurs
from tacit.live.flower.waiting import Waiting
from tacit.live.link import Reachable

_log = logging.getLogger("tacit.live")

# Seconds: what Flower believes twice as long when a device says that it is there, and how often it
# says so: a connection is kept for five seconds, and a new one costs as much as saying so. How long
# it tries to be let in; how long it waits before it joins again; how soon it hears a signal.
_HEARTBEAT, _BEAT, _PATIENCE = 10, 4.0, 30.0
_AGAIN, _SOONEST = 1.0, 0.05


@final
@dataclass(frozen=True, eq=False)
class FlowerDevice:
    """Carries orders from a SuperLink to who answers them, and the answers back.

    Args:
      answering: the device itself.
      server: the SuperLink, host:port.
      authority: the certificate of whoever vouches for the server, a file in PEM.
      key: this device's own, whose public half the server knows.
    """

    answering: Reachable
    server: str
    authority: Path
    key: PrivateKey = field(repr=False)

    @property
    def name(self) -> str:
        """What the server calls this device."""
        return name_of(public_of(self.key))

    def run(self, ending: threading.Event) -> None:
        """Answers until `ending` is set; the server is told that the device leaves.

        An order that is at hand then is answered, if the server is there, and none is asked for.

        Raises:
          Refused: if the server is not the one that was meant, or does not let this device in, or
            the authority's file holds no certificate.
          OSError: if that file cannot be read.
        """
        public, patience = public_of(self.key), _PATIENCE
        with self._client() as client, suppress(Ended):
            while True:
                with suppress(Stranger), _joined(client, public, ending, patience) as node:
                    _log.info("device %s has joined %s", self.name, self.server)
                    # One that is begun anew learns whom it knows one after the other.
                    patience = math.inf
                    self._answered(Inbox(client, node, ending))
                rest(ending, _AGAIN)

    def _answered(self, orders: Inbox) -> None:
        for message in orders.coming():
            try:
                if (content := orders.opened(message)) is not None:
                    orders.answer(message.head, self.answering.answer(*content))
            except RunOver:
                _log.info("a run ended before its order was answered")
            except TooLate:
                _log.warning("an answer was dropped: nobody took it in time")
            except NotOurs as error:
                _log.warning("a message was dropped: %s", error)

    def _interceptors(self) -> list[Any]:
        """None of those of Flower's that tell its version: a SuperLink does not need it, and at its
        word that it is of another they end the process."""
        signing = spoken.NodeAuthHttpInterceptor(self.key, self.key.public_key())
        return [Waiting(self.server), signing, Genuine()]

    def _client(self) -> Any:
        trusted = self.authority.read_bytes()
        try:
            return spoken.FleetHttpClient.from_server_address(
                self.server,
                insecure=False,
                root_certificates=trusted,
                interceptors=self._interceptors(),
            )
        except (ValueError, ssl.SSLError) as error:
            raise Refused(f"{self.authority} must hold a certificate in PEM") from error


def until_told(device: FlowerDevice) -> None:
    """Runs a device until this process is told to end, by Ctrl-C or SIGTERM.

    An answer that is being made is made first, and sent if the server is there. Whichever signal
    comes second does what it did before: it ends the process at once, unless others saw to it.

    Raises:
      Refused, OSError: as `FlowerDevice.run`.
      KeyboardInterrupt: for a second signal that is Ctrl-C.
    """
    ending, running = threading.Event(), Future[None]()
    beside = threading.Thread(target=_run, args=(device, ending, running), daemon=True)
    with _told() as told:
        beside.start()
        while not (told or running.done()):
            time.sleep(_SOONEST)
        ending.set()
        running.result()


def _run(device: FlowerDevice, ending: threading.Event, running: Future[None]) -> None:
    try:
        running.set_result(device.run(ending))
    except BaseException as error:
        running.set_exception(error)


@contextmanager
def _told() -> Iterator[list[int]]:
    """The first signal that asks for an end, once it is there; all are then as they were before."""
    told: list[int] = []
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}

    def heard(number: int, _: Any) -> None:
        told.append(number)
        _hear(before)

    _hear(dict.fromkeys(before, heard))
    try:
        yield told
    finally:
        _hear(before)


def _hear(handlers: Mapping[signal.Signals, Any]) -> None:
    for each, handler in handlers.items():
        signal.signal(each, handler)


@contextmanager
def _joined(client: Any, public: bytes, ending: threading.Event, patience: float) -> Iterator[Any]:
    """A place among those who are there, and a word now and then that it is still so."""
    asked = spoken.ActivateNodeRequest(public_key=public, heartbeat_interval=_HEARTBEAT)
    number = steady(client.ActivateNode, asked, ending, patience=patience).node_id
    node = spoken.Node(node_id=number)
    left = threading.Event()
    beating = threading.Thread(target=_beats, args=(client, node, left), daemon=True)
    beating.start()
    try:
        yield node
    finally:
        left.set()
        beating.join()
        with suppress(Exception):
            client.DeactivateNode(spoken.DeactivateNodeRequest(node_id=number))


def _beats(client: Any, node: Any, left: threading.Event) -> None:
    beat = spoken.SendNodeHeartbeatRequest(node=node, heartbeat_interval=_HEARTBEAT)
    while not left.wait(_BEAT):
        # Whatever is wrong, the next order that is asked for tells.
        with suppress(Exception):
            client.SendNodeHeartbeat(beat)
