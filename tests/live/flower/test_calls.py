"""One call to a server that may be away, against servers that are played."""

import importlib.util
import threading
from collections.abc import Callable, Iterator

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from tacit.live.flower import calls as flower_calls
from tacit.live.flower.calls import (
    Deadline,
    Ended,
    Genuine,
    Refused,
    RunOver,
    Stranger,
    TooLate,
    heard,
    steady,
)
from tacit.live.flower.spoken import (
    PROTOBUF_MEDIA_TYPE,
    FleetHttpClient,
    PullMessagesRequest,
    httpx,
)

AWAY = httpx.ConnectError("nobody is there")
VERIFY = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: "
EXPIRED = httpx.ConnectError(VERIFY + "certificate has expired (_ssl.c:1006)")
EARLY = httpx.ConnectError(VERIFY + "certificate is not yet valid (_ssl.c:1006)")
ELSEWHERE = httpx.ConnectError(
    VERIFY + "Hostname mismatch, certificate is not valid for 'b'. (_ssl.c:1006)"
)
FORGED = httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flower_calls, "_SOONEST", 0.0)


def status(code: int) -> Exception:
    """A server's answer of this status."""
    asked = httpx.Request("POST", "https://server")
    return httpx.HTTPStatusError("", request=asked, response=httpx.Response(code))


class Packed(httpx.SyncByteStream):
    """Bytes that are said to be packed, and are not."""

    def __iter__(self) -> Iterator[bytes]:
        yield b"no archive"


def server(*first: Exception) -> Callable[[str], str]:
    """One that answers so at first, and then as it should."""
    left = list(first)

    def answers(asked: str) -> str:
        if left:
            raise left.pop(0)
        return f"told {asked}"

    return answers


def test_who_is_away_is_asked_again() -> None:
    """A network that is gone, and a server in trouble or that says later, are waited for."""
    call = server(AWAY, status(503), httpx.ReadTimeout("slow"), status(500))
    assert steady(call, "it", threading.Event()) == "told it"
    assert steady(server(status(408), status(429)), "it", threading.Event()) == "told it"


def shown(page: httpx.Response) -> Exception:
    """What Flower's own client makes of a page."""
    with playing(lambda asked: page) as client, pytest.raises(Exception) as found:
        client.PullMessages(PullMessagesRequest())
    return found.value


def playing(answers: Callable[[httpx.Request], httpx.Response]) -> FleetHttpClient:
    """Flower's own client, of a server that answers so."""
    client = FleetHttpClient("https://server", interceptors=[Genuine()])
    transport = httpx.MockTransport(answers)
    client._client = httpx.Client(transport=transport, follow_redirects=True)
    return client


def away_to(where: str) -> httpx.Response:
    """A page that is elsewhere."""
    return httpx.Response(302, headers={"location": where})


FLOWERS = {"content-type": PROTOBUF_MEDIA_TYPE}


PAGES = {
    "words": httpx.Response(200, text="<html>Sign in to the hotel's network</html>"),
    "no text": httpx.Response(200, content=b"\xff" * 99),
    "packed": httpx.Response(200, headers={"content-encoding": "gzip"}, stream=Packed()),
    "no message": httpx.Response(200, headers=FLOWERS, content=b"\xff" * 99),
    "empty": httpx.Response(200),
    "empty text": httpx.Response(200, text=""),
    "nothing": httpx.Response(204),
    "elsewhere": away_to("https://server/sign-in"),
    "blank": away_to("about:blank"),
    "a program": away_to("javascript:alert(1)"),
    "a letter": away_to("mailto:somebody@example.org"),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_a_proxys_own_is_no_answer(page: str) -> None:
    """A server that something else answers for, with 200, is away until it answers itself."""
    found = shown(PAGES[page])
    assert steady(server(found), "it", threading.Event()) == "told it"
    with pytest.raises(httpx.TransportError, match="what answers is no SuperLink"):
        heard(server(found), "it")


@pytest.mark.parametrize("kind", [PROTOBUF_MEDIA_TYPE, "Application/Protobuf; charset=utf-8"])
def test_an_empty_answer_of_a_superlinks_own_counts(kind: str) -> None:
    """As to whoever says that they are there: such a message has no fields."""
    page = httpx.Response(200, headers={"content-type": kind})
    with playing(lambda asked: page) as client:
        assert not heard(client.PullMessages, PullMessagesRequest()).messages_list


def test_what_a_server_refuses_is_no_page() -> None:
    """It has words of its own, and a status that says what it means."""
    with (
        playing(lambda asked: httpx.Response(401, json={})) as client,
        pytest.raises(httpx.HTTPStatusError, match="401"),
    ):
        heard(client.PullMessages, PullMessagesRequest())


@pytest.mark.parametrize("own", [ValueError("a bad argument"), TypeError("no such field")])
def test_an_error_of_our_own_is_not_tried_again(own: Exception) -> None:
    """It would be one for ever: whoever asked hears it as it is."""
    with pytest.raises(type(own), match=str(own)):
        steady(server(own), "it", threading.Event())


def test_an_end_is_heard_while_nobody_answers() -> None:
    """A device that is told to end does not wait for a server."""
    ending = threading.Event()
    ending.set()
    with pytest.raises(Ended):
        steady(server(AWAY), "it", ending)


@pytest.mark.parametrize(
    ("patience", "said", "means", "words"),
    [
        (0.0, FORGED, Refused, "not vouched for by the authority"),
        (9.0, FORGED, Refused, "not vouched for by the authority"),
        (
            9.0,
            EXPIRED,
            Refused,
            "is not valid at this device's time: its clock is wrong",
        ),
        (0.0, EARLY, Refused, "is not valid at this device's time: its clock is wrong"),
        (9.0, ELSEWHERE, Refused, "certificate is for another host: reach it under a name"),
        (0.0, status(401), Stranger, "^$"),
        (9.0, status(401), Refused, "its clock is more than five minutes off"),
        (0.0, status(403), RunOver, "^$"),
        (9.0, status(403), Refused, "answers 403"),
        (0.0, status(412), Refused, "answers 412"),
        (0.0, status(404), Refused, "answers 404"),
        (1e-9, status(412), Refused, "register its public key there first"),
    ],
)
def test_what_is_refused(
    patience: float, said: Exception, means: type[Exception], words: str
) -> None:
    """Each answer that cannot be waited away has one meaning."""
    with pytest.raises(means, match=words):
        steady(server(said, said, said), "it", threading.Event(), patience=patience)


def test_a_place_that_runs_out_is_waited_for() -> None:
    """A server that has still a former connection of this device lets it in later."""
    call = server(status(412), AWAY, status(412))
    assert steady(call, "it", threading.Event(), patience=60.0) == "told it"


def test_a_server_that_comes_back_is_given_time_anew() -> None:
    """It was begun again, and has not been told yet who is enrolled."""
    call = server(status(412), AWAY, status(412))
    assert steady(call, "it", threading.Event(), patience=1e-9) == "told it"


@pytest.mark.parametrize("clock", ["monotonic", "time"])
def test_nothing_is_sent_after_its_time(clock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that stands still while a machine sleeps, or by one that somebody sets back."""
    now = getattr(flower_calls.time, clock)
    due = Deadline(60.0).heeded(server(AWAY))
    monkeypatch.setattr(flower_calls.time, clock, lambda: now() + 59.0)
    with pytest.raises(httpx.ConnectError):
        due("it")
    assert due("it") == "told it"
    monkeypatch.setattr(flower_calls.time, clock, lambda: now() + 61.0)
    with pytest.raises(TooLate):
        steady(due, "it", threading.Event())
