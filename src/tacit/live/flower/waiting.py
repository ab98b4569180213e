"""What a device says while it gets nowhere: once why it waits, and once that this is over.

Whoever is at a device has nothing else to tell a wrong address by, or a key that was never handed
over. A single call that fails says nothing: it is tried again, and a network loses some. But a
server that has never answered is waited for from the first.

| what a call comes to | is waited for, as |
| --- | --- |
| nobody answers, or what does is no SuperLink | nobody who answers |
| 412 | one that does not let this device in yet |
| 408, 429, 500 and above | one that cannot answer now |
| a certificate that is not believed, and any other answer | none: the device goes on, or ends |
"""

import logging
import threading
from collections.abc import Callable
from typing import Any, final

from tacit.live.flower.calls import NOT_YET, is_later, is_of_certificate
from tacit.live.flower.spoken import httpx

_log = logging.getLogger("tacit.live")

NOBODY = "no SuperLink answers there"
LOCKED = (
    "it does not let this device in yet; its operator needs this device's public key, unless a "
    "former connection of it has still to run out"
)
LATER = "it cannot answer now"
# So many calls in a row.
_FAIL = 2


@final
class Waiting:
    """An interceptor of Flower's clients, which says in the log who is waited for, and why.

    Args:
      server: the SuperLink, host:port.
    """

    def __init__(self, server: str) -> None:
        self._server, self._lock = server, threading.Lock()
        self._failed, self._told = _FAIL - 1, set[str]()

    def intercept(self, context: Any, call_next: Callable[[Any], Any]) -> Any:
        """What the next one says to this."""
        try:
            response = call_next(context)
        except httpx.TransportError as error:
            if not is_of_certificate(error):
                self._waits(NOBODY)
            raise
        if (why := _why(response.status_code)) is None:
            self._goes_on()
        else:
            self._waits(why)
        return response

    def _waits(self, why: str) -> None:
        # A device says that it is there beside its other calls.
        with self._lock:
            self._failed += 1
            if self._failed >= _FAIL and why not in self._told:
                self._told.add(why)
                _log.info("waiting for %s: %s", self._server, why)

    def _goes_on(self) -> None:
        with self._lock:
            if self._told:
                _log.info("%s answers", self._server)
            self._failed, self._told = 0, set[str]()


def _why(status: int) -> str | None:
    """Why a server with this answer is waited for; None if it is not."""
    if status == NOT_YET:
        return LOCKED
    return LATER if is_later(status) else None
