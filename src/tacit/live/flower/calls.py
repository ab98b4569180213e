"""One call to a server that may be away: tried again and again, until it is answered or refused, or
too late.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, final

from tacit.live.flower import spoken
from tacit.live.flower.spoken import DecodeError, httpx

Asked = TypeVar("Asked")
Told = TypeVar("Told")

# Seconds between two tries: doubled each time, from the first to the second.
_SOONEST, _LATEST = 1.0, 30.0
# What whoever is too slow or asks too often is told, by a proxy too.
_LATER = httpx.codes.REQUEST_TIMEOUT, httpx.codes.TOO_MANY_REQUESTS
# What who joins is told whose key is not known, or who is still there.
NOT_YET = 412


@final
class Refused(Exception):
    """Why a device and a server do not speak to each other, in one sentence."""


@final
class Ended(Exception):
    """The device is to end."""


@final
class Stranger(Exception):
    """The server knows nothing of this connection."""


@final
class RunOver(Exception):
    """What was asked belongs to a run that is over."""


@final
class TooLate(Exception):
    """What was to be sent is too old to be."""


@final
class Deadline:
    """So many seconds from now on: by the clock that nobody sets, and by the one that goes on while
    a machine sleeps."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._began = seconds, _clocks()

    def heeded(self, call: Callable[[Asked], Told]) -> Callable[[Asked], Told]:
        """The same call, which raises `TooLate` afterwards."""

        def heeding(asked: Asked) -> Told:
            took = (now - then for now, then in zip(_clocks(), self._began, strict=True))
            if not max(took) < self._seconds:
                raise TooLate
            return call(asked)

        return heeding


@final
class Genuine:
    """An interceptor of Flower's clients, which takes no page for an answer.

    The kind of what comes tells them apart: a page without a word in it would be read as a message
    of Flower's whose fields are all empty. Whatever is raised here is of what came.
    """

    def intercept(self, context: Any, call_next: Callable[[Any], Any]) -> Any:
        """What the next one says to this.

        Raises:
          httpx.TransportError: if nobody answers, or whoever does is no SuperLink.
        """
        try:
            response = call_next(context)
        except (httpx.DecodingError, httpx.TooManyRedirects, httpx.InvalidURL) as error:
            raise _no_superlink() from error
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.is_success and kind != spoken.PROTOBUF_MEDIA_TYPE:
            raise _no_superlink()
        return response


def _no_superlink() -> Exception:
    return httpx.RemoteProtocolError("what answers is no SuperLink")


def _clocks() -> tuple[float, float]:
    return time.monotonic(), time.time()


def steady(
    call: Callable[[Asked], Told], asked: Asked, ending: threading.Event, patience: float = 0.0
) -> Told:
    """What the server says to this, however long it is away.

    Args:
      patience: for how many seconds a server that is there may refuse to let the device in.

    Raises:
      Ended: if `ending` is set while nobody answers.
      Refused: if the server is another, or does not want to hear this.
      Stranger, RunOver: if it hears only from who has joined it, or for a run that goes on.
    """
    refused: float | None = None
    for pause in _pauses():
        try:
            return heard(call, asked)
        except httpx.TransportError as error:
            _refuse_another_server(error)
            # Whoever comes back may be another, begun a moment ago.
            refused = None
        except httpx.HTTPStatusError as error:
            now = time.monotonic()
            refused = now if refused is None else refused
            _refuse(error.response.status_code, patience > 0, now - refused < patience)
        rest(ending, pause)
    raise Ended


def heard(call: Callable[[Asked], Told], asked: Asked) -> Told:
    """What the server says to this; bytes that are no message of Flower's are none.

    Raises:
      httpx.TransportError: if nobody answers, or whoever does is no SuperLink.
      httpx.HTTPStatusError: if it does not want to hear this.
    """
    try:
        return call(asked)
    except ValueError as error:
        # Any other is of what was asked, and would be one for ever.
        if not isinstance(error.__cause__, DecodeError):
            raise
        raise _no_superlink() from error


def is_later(status: int) -> bool:
    """Whether a server with this answer is in trouble, or too many ask: it may do it later."""
    return status >= 500 or is_too_often(status)


def is_of_certificate(error: httpx.TransportError) -> bool:
    """Whether this is why a server's certificate is not believed."""
    return "certificate" in str(error).lower()


def is_too_often(status: int) -> bool:
    """Whether a server with this answer, or a proxy, wants to be asked less often."""
    return status in _LATER


def rest(ending: threading.Event, seconds: float) -> None:
    """Waits for so long, and raises `Ended` if `ending` is set by then."""
    if ending.wait(seconds):
        raise Ended


def _pauses() -> Iterator[float]:
    """Longer and longer; many devices that lost one server do not come back all at once."""
    pause = _SOONEST
    while True:
        yield pause * random.uniform(0.5, 1.0)
        pause = min(2 * pause, _LATEST)


def _refuse_another_server(error: httpx.TransportError) -> None:
    if not is_of_certificate(error):
        return
    said = str(error).lower()
    if any(words in said for words in ("has expired", "not yet valid")):
        means = (
            "is not valid at this device's time: its clock is wrong, or the certificate has to be "
            "made anew"
        )
    elif "mismatch" in said:
        means = "is for another host: reach it under a name or an address that it was made for"
    else:
        means = "is not vouched for by the authority this device was given"
    raise Refused(f"the server's certificate {means}") from error


def _refuse(status: int, joining: bool, patient: bool) -> None:
    """Raises what this answer means; a server in trouble, and one that may yet let in, are none."""
    if is_later(status) or (status == NOT_YET and patient):
        return
    if status == 403 and not joining:
        raise RunOver
    if joining and status == NOT_YET:
        raise Refused("the server does not let this device in: register its public key there first")
    if joining and status == 401:
        raise Refused(
            "the server does not believe this device's signature: its clock is more than five "
            "minutes off, or its key is not the one that was registered"
        )
    if status == 401:
        raise Stranger
    raise Refused(f"the server answers {status} to what this version of Flower asks")
