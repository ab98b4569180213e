"""A SuperLink of one's own: begun and ended here, and the run that a server's loop asks through.

It runs as a process beside this one, with TLS and node authentication, and runs no app: this
process takes the run as Flower's executor would, with a secret that nobody else has, and drives it
from its own loop. Its folder holds its certificates, its secret, its log and a name that Flower
gives it, and nothing of a run: what has to last, a grant's checkpoint and the ledger, lies with
whoever asks; begun anew, it is told who is enrolled, and devices join again.
"""

import hashlib
import io
import os
import secrets
import ssl
import subprocess
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from tacit.live import beside
from tacit.live.flower import spoken
from tacit.live.flower.calls import Genuine
from tacit.live.flower.keys import Certificates, certified, name_of, refuse_no_key
from tacit.live.flower.run import FlowerRun
from tacit.live.flower.spoken import httpx
from tacit.whole_file import replacing

_BEGIN = "from flwr.superlink.cli import flower_superlink; flower_superlink()"
# A SuperLink begins in a few seconds; one that needs more than these does not.
_SECONDS_TO_BEGIN = 60.0
# Seconds between a run's signs of life, and between two looks at what begins.
_HEARTBEAT, _PAUSE = 10.0, 0.05
# 256 bits, as of every key.
_SECRET_BYTES = 32
# What a run is of. No device of ours asks for it, and there is no code in it.
_NO_APP = """
[project]
name = "tacit"
version = "1"
[tool.flwr.app]
publisher = "tacit"
[tool.flwr.app.components]
serverapp = "nothing:app"
clientapp = "nothing:app"
"""


@final
@dataclass(frozen=True, eq=False)
class SuperLink:
    """One that is running.

    Args:
      address: host:port, for devices and for this process.
      certificates: what it shows; devices are given the authority's.
      secret: with which a run is taken.
      process: it.
    """

    address: str
    certificates: Certificates
    secret: bytes = field(repr=False)
    process: subprocess.Popen = field(repr=False)

    def enrol(self, public: bytes) -> str:
        """Lets the device with this public key in, and says its name.

        Raises:
          ValueError: if it is no public key.
        """
        refuse_no_key(public)
        with self._spoken(spoken.ControlHttpClient) as control:
            try:
                control.RegisterNode(spoken.RegisterNodeRequest(public_key=public))
            except httpx.HTTPStatusError as error:
                # It is there already.
                if error.response.status_code != httpx.codes.PRECONDITION_FAILED:
                    raise
        return name_of(public)

    @contextmanager
    def run(self) -> Iterator[FlowerRun]:
        """A run of this process, to ask devices through; it is over when this is left.

        Raises:
          RuntimeError: if it is not this process's within a minute.
        """
        token, number = self._taken()
        left = threading.Event()
        with self._spoken(spoken.RuntimeHttpClient, _signed_by(token)) as client:
            try:
                client.PullTaskInput(spoken.PullTaskInputRequest())
                threading.Thread(target=_beats, args=(client, left), daemon=True).start()
                yield FlowerRun(client, number)
            finally:
                left.set()
                with suppress(httpx.HTTPError):
                    client.PushTaskOutput(spoken.PushTaskOutputRequest(sub_status="completed"))

    def _taken(self) -> tuple[str, int]:
        """The token of a new run, and its number."""
        run = self._begun()
        protected = {"/flwr.proto.Runtime/AcquireTask"}
        signed = spoken.SuperExecAuthHttpInterceptor(
            master_secret=self.secret, protected_methods=protected
        )
        wanted = spoken.AcquireTaskRequest(supported_task_types=[spoken.TaskType.SERVER_APP])
        until = time.monotonic() + _SECONDS_TO_BEGIN
        with self._spoken(spoken.RuntimeHttpClient, signed) as runtime:
            while time.monotonic() < until:
                found = runtime.AcquireTask(wanted)
                # Runs that others have started are taken, and left to run out.
                if found.token and found.task.run_id == run:
                    return found.token, run
                time.sleep(_PAUSE)
        raise RuntimeError(f"the SuperLink at {self.address} did not give this process its run")

    def _begun(self) -> int:
        app = _bundle()
        bundle = spoken.fab_to_proto(spoken.Fab(hashlib.sha256(app).hexdigest(), app, {}))
        with self._spoken(spoken.ControlHttpClient) as control:
            return control.StartRun(spoken.StartRunRequest(fab=bundle)).run_id

    @property
    def _authority(self) -> bytes:
        return self.certificates.authority.read_bytes()

    def _spoken(self, client: Any, *more: Any) -> Any:
        version = spoken.RuntimeVersionHttpInterceptor(component_name="flwr-cli")
        return client.from_server_address(
            self.address,
            insecure=False,
            root_certificates=self._authority,
            interceptors=[version, *more, Genuine()],
        )


@contextmanager
def superlink(folder: Path, port: int, host: str = "127.0.0.1") -> Iterator[SuperLink]:
    """A SuperLink on this port, with its certificates and log in `folder`; it ends with this.

    Raises:
      RuntimeError: if it does not begin; its log, in the folder, says why.
      ValueError: if the folder holds certificates for other hosts or damaged ones, or no whole
        secret.
    """
    made, secret = certified(folder, host), _secret(folder / "secret")
    words, own = _words(folder, made, host, port), {**spoken.QUIET, "FLWR_HOME": str(folder)}
    process = beside.begin(_BEGIN, words, folder / "superlink.log", own)
    try:
        _wait(process, f"{host}:{port}", made, folder)
        yield SuperLink(f"{host}:{port}", made, secret, process)
    finally:
        beside.end(process)


def _words(folder: Path, made: Certificates, host: str, port: int) -> list[str]:
    named = {
        "--host": host,
        "--port": port,
        "--ssl-ca-certfile": made.authority,
        "--ssl-certfile": made.own,
        "--ssl-keyfile": made.key,
        "--isolation": "process",
        "--superexec-auth-secret-file": folder / "secret",
        "--database": ":flwr-in-memory:",
    }
    alone = ["--enable-supernode-auth", "--disable-runtime-dependency-installation"]
    return [*alone, *(str(word) for pair in named.items() for word in pair)]


def _wait(process: subprocess.Popen, address: str, made: Certificates, folder: Path) -> None:
    until = time.monotonic() + _SECONDS_TO_BEGIN
    while process.poll() is None and time.monotonic() < until:
        with suppress(httpx.HTTPError):
            httpx.get(f"https://{address}/health", verify=_trusting(made)).raise_for_status()
            return
        time.sleep(_PAUSE)
    raise RuntimeError(f"the SuperLink did not begin at {address}: see {folder / 'superlink.log'}")


def _trusting(made: Certificates) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(made.authority))


def _signed_by(token: str) -> Any:
    return spoken.RuntimeTokenHttpInterceptor(token=token)


def _beats(client: Any, left: threading.Event) -> None:
    while not left.wait(_HEARTBEAT):
        # Whatever is wrong, the next round tells.
        with suppress(Exception):
            client.SendTaskHeartbeat(spoken.SendTaskHeartbeatRequest())


def _secret(path: Path) -> bytes:
    """The one in this file, which is made, for its owner's eyes alone, where there is none."""
    if not path.exists():
        with replacing(path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(secrets.token_bytes(_SECRET_BYTES))
    secret = path.read_bytes()
    if len(secret) != _SECRET_BYTES:
        raise ValueError(f"{path} must hold a secret of {_SECRET_BYTES} bytes, or not be there")
    return secret


def _bundle() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(zipfile.ZipInfo("pyproject.toml"), _NO_APP)
    return held.getvalue()
