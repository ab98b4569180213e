"""A SuperLink of one's own: begun, taken and ended."""

import importlib.util
import stat
from pathlib import Path

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from processes import free_port
from tacit.live.flower import spoken
from tacit.live.flower.keys import name_of, own_key, public_of
from tacit.live.flower.server import _secret, superlink
from tacit.live.flower.spoken import httpx

pytestmark = [pytest.mark.timing, pytest.mark.filterwarnings("default")]


def test_it_is_gone_when_it_is_left(tmp_path: Path) -> None:
    """Whatever happens meanwhile; and a device may be enrolled twice."""
    public = public_of(own_key(tmp_path / "own.key"))
    with pytest.raises(KeyboardInterrupt), superlink(tmp_path, free_port()) as server:
        assert server.enrol(public) == server.enrol(public) == name_of(public)
        raise KeyboardInterrupt
    assert server.process.poll() is not None


def test_one_that_does_not_begin_says_where_to_look(tmp_path: Path) -> None:
    """Two cannot have one port; the first goes on."""
    port = free_port()
    with superlink(tmp_path / "first", port) as server:
        with (
            pytest.raises(RuntimeError, match=r"did not begin .* see .*superlink\.log"),
            superlink(tmp_path / "second", port),
        ):
            pass
        assert server.process.poll() is None


def test_nobody_else_takes_a_run(tmp_path: Path) -> None:
    """Whoever reaches the port may start runs, but without the secret nobody asks devices."""
    with superlink(tmp_path, free_port()) as server:
        with server._spoken(spoken.RuntimeHttpClient) as stranger:
            wanted = spoken.AcquireTaskRequest(supported_task_types=[spoken.TaskType.SERVER_APP])
            with pytest.raises(httpx.HTTPStatusError, match=r"401|403"):
                stranger.AcquireTask(wanted)
        with server.run() as first, server.run() as second:
            assert first.run != second.run and not first.nodes() and not second.nodes()


def test_the_secret_is_for_its_owners_eyes(tmp_path: Path) -> None:
    """It is made once; whoever else could read it would ask devices."""
    made = _secret(tmp_path / "secret")
    assert len(made) == 32 and _secret(tmp_path / "secret") == made
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
