"""What a device says of a server that it waits for, which is played."""

import importlib.util
import logging
import threading
from pathlib import Path

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from flower_echo import Echo
from tacit.live.flower import calls as flower_calls
from tacit.live.flower.calls import Refused
from tacit.live.flower.device import FlowerDevice
from tacit.live.flower.keys import certified, own_key
from tacit.live.flower.spoken import FleetHttpClient, httpx
from tacit.live.flower.waiting import LATER, LOCKED, NOBODY, Waiting

AWAY = httpx.ConnectError("nobody is there")
FORGED = httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")


def said(monkeypatch, caplog, tmp_path: Path, *first: Exception | int) -> list[str]:
    """The log of a device that hears these in turn, and is then forbidden to go on."""
    left = [*first, 403]

    def answer(asked: httpx.Request) -> httpx.Response:
        next_ = left.pop(0)
        if isinstance(next_, Exception):
            raise next_
        return httpx.Response(next_)

    def playing(*_, interceptors, **__) -> FleetHttpClient:
        client = FleetHttpClient("https://server", interceptors=interceptors)
        client._client = httpx.Client(transport=httpx.MockTransport(answer))
        return client

    monkeypatch.setattr(flower_calls, "_SOONEST", 0.0)
    monkeypatch.setattr(FleetHttpClient, "from_server_address", playing)
    authority, key = certified(tmp_path, "server").authority, own_key(tmp_path / "own.key")
    with caplog.at_level(logging.INFO, "tacit.live"), pytest.raises(Refused):
        FlowerDevice(Echo(), "server:1", authority, key).run(threading.Event())
    return [each.getMessage() for each in caplog.records]


@pytest.mark.parametrize(
    ("hears", "why"),
    [(AWAY, NOBODY), (204, NOBODY), (412, LOCKED), (503, LATER), (429, LATER)],
)
def test_whoever_gets_nowhere_says_so_once(monkeypatch, caplog, tmp_path, hears, why) -> None:
    """From the first call on, however many there are; and that it is over."""
    lines = said(monkeypatch, caplog, tmp_path, hears, hears, hears)
    assert lines == [f"waiting for server:1: {why}", "server:1 answers"]


def test_each_reason_is_said_once(monkeypatch, caplog, tmp_path) -> None:
    """However they take turns."""
    lines = said(monkeypatch, caplog, tmp_path, AWAY, 412, AWAY, 412, AWAY)
    told = [f"waiting for server:1: {why}" for why in (NOBODY, LOCKED)]
    assert lines == [*told, "server:1 answers"]


def test_a_server_that_is_believed_or_not_at_once_is_not_waited_for(
    monkeypatch, caplog, tmp_path
) -> None:
    """What ends the device is its refusal alone."""
    assert not said(monkeypatch, caplog, tmp_path)
    assert not said(monkeypatch, caplog, tmp_path, FORGED)


def test_one_call_that_fails_on_the_way_says_nothing(caplog) -> None:
    """Two in a row do, again after each time that the server answered."""
    waiting = Waiting("server:1")

    def away(_):
        raise AWAY

    with caplog.at_level(logging.INFO, "tacit.live"):
        for failures in (0, 1, 1, 2, 3):
            for _ in range(failures):
                with pytest.raises(httpx.ConnectError):
                    waiting.intercept(None, away)
            waiting.intercept(None, lambda _: httpx.Response(200))
    told = [f"waiting for server:1: {NOBODY}", "server:1 answers"]
    assert [each.getMessage() for each in caplog.records] == told * 2
