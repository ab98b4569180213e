"""What a device makes of a server's certificate, over TLS."""

import importlib.util
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from flower_echo import Echo
from tacit.live.flower import keys as flower_keys
from tacit.live.flower.calls import Refused
from tacit.live.flower.device import FlowerDevice
from tacit.live.flower.keys import Certificates, certified, own_key

pytestmark = pytest.mark.timing


class Denies(BaseHTTPRequestHandler):
    """Believes no signature."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_error(401)

    def log_message(self, *_):
        """It says nothing."""


class Quiet(HTTPServer):
    """Greetings that fail are what is tested."""

    def handle_error(self, *_):
        """It says nothing."""


@contextmanager
def serving(made: Certificates) -> Iterator[int]:
    """The port of a server with this certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made.own, made.key)
    with Quiet(("", 0), Denies) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        beside = threading.Thread(target=server.serve_forever)
        beside.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            beside.join()


def refusal(tmp_path: Path, made: Certificates, authority: Path, host: str = "127.0.0.1") -> str:
    """What a device with this authority says of it, when it reaches it under this name."""
    with serving(made) as port:
        device = FlowerDevice(Echo(), f"{host}:{port}", authority, own_key(tmp_path / "own.key"))
        with pytest.raises(Refused) as refused:
            device.run(threading.Event())
    return str(refused.value)


def test_the_right_server_is_spoken_to(tmp_path: Path) -> None:
    """What it answers is heard, and so its certificate was believed."""
    made = certified(tmp_path, "127.0.0.1")
    assert "does not believe this device's signature" in refusal(tmp_path, made, made.authority)


def test_another_authoritys_server_is_not(tmp_path: Path) -> None:
    """It might be anybody's."""
    for each in ("one", "other"):
        (tmp_path / each).mkdir()
    made, other = (certified(tmp_path / each, "127.0.0.1") for each in ("one", "other"))
    said = refusal(tmp_path, made, other.authority)
    assert said == (
        "the server's certificate is not vouched for by the authority this device was given"
    )


def test_another_host_is_not(tmp_path: Path) -> None:
    """The sentence says that it is the name that is wrong."""
    made = certified(tmp_path, "127.0.0.1")
    said = refusal(tmp_path, made, made.authority, "127.0.0.2")
    assert said.startswith("the server's certificate is for another host: reach it under a name")


@pytest.mark.parametrize("days", [-4000, 9])
def test_a_certificate_of_another_time_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """One that has run out or is not valid yet; the sentence says that it may be the clock."""
    made_at = SimpleNamespace(now=lambda zone: datetime.now(zone) + timedelta(days=days))
    monkeypatch.setattr(flower_keys, "datetime", made_at)
    made = certified(tmp_path, "127.0.0.1")
    said = refusal(tmp_path, made, made.authority)
    assert said.startswith("the server's certificate is not valid at this device's time: its clock")
