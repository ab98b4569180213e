"""A SuperLink of one's own: begun, taken and ended."""

import importlib.util
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from processes import free_port
from tacit.live.flower import server as flower_server
from tacit.live.flower import spoken
from tacit.live.flower.keys import certified, name_of, own_key, public_of
from tacit.live.flower.link import FlowerLink
from tacit.live.flower.run import FlowerRun
from tacit.live.flower.server import SuperLink, _secret, superlink
from tacit.live.flower.spoken import httpx

pytestmark = [pytest.mark.timing, pytest.mark.filterwarnings("default")]


def test_it_is_gone_when_it_is_left(tmp_path: Path) -> None:
    """Whatever happens meanwhile; and a device may be enrolled twice."""
    public = public_of(own_key(tmp_path / "own.key"))
    with pytest.raises(KeyboardInterrupt), superlink(tmp_path, free_port()) as server:
        with pytest.raises(ValueError, match="public key must be that of an elliptic curve"):
            server.enrol(b"junk")
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


@pytest.mark.parametrize("held", [b"", b"short", bytes(33)])
def test_what_is_no_secret_is_refused(tmp_path: Path, held: bytes) -> None:
    """A disk that was full has left an empty file, which anybody could sign with; it stays."""
    path = tmp_path / "secret"
    path.write_bytes(held)
    with pytest.raises(ValueError, match="secret must hold a secret of 32 bytes, or not be there"):
        _secret(path)
    assert path.read_bytes() == held


def test_half_a_secret_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk is full while it is made, no file is there, and the next try makes one."""

    def full(size: int) -> bytes:
        raise OSError("no space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(flower_server.secrets, "token_bytes", full)
        with pytest.raises(OSError, match="no space"):
            _secret(tmp_path / "secret")
    assert not list(tmp_path.iterdir()) and len(_secret(tmp_path / "secret")) == 32


class Played:
    """A SuperLink that begins runs, and gives this process those that it is told to give."""

    def __init__(self, gives: int) -> None:
        self.gives, self.said = gives, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Nothing is open."""

    def StartRun(self, asked):
        return SimpleNamespace(run_id=3)

    def AcquireTask(self, asked):
        return SimpleNamespace(token="token", task=SimpleNamespace(run_id=self.gives))

    def PullTaskInput(self, asked):
        raise httpx.ConnectError("away")

    def PushTaskOutput(self, asked):
        self.said.append(asked.sub_status)


def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Played) -> SuperLink:
    """One that speaks to this."""
    monkeypatch.setattr(SuperLink, "_spoken", lambda *_: server)
    monkeypatch.setattr(flower_server, "_SECONDS_TO_BEGIN", 0.2)
    made = certified(tmp_path, "127.0.0.1")
    return SuperLink("127.0.0.1:1", made, bytes(32), SimpleNamespace())


def test_a_run_that_is_not_given_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For ever: another process with the secret may have taken it."""
    link = played(tmp_path, monkeypatch, Played(gives=4))
    with pytest.raises(RuntimeError, match="did not give this process its run"), link.run():
        pass


@pytest.mark.parametrize("page", [200, 204])
def test_an_empty_page_is_no_answer_to_a_round(tmp_path: Path, page: int) -> None:
    """Where a proxy shows one for orders that are sent: a link hears none, and asks again."""
    here = {"node_id": 7, "public_key": b"public", "last_activated_at": "noon"}
    known = spoken.GetNodesResponse(nodes=[here]).SerializeToString()
    kind, paths = {"content-type": spoken.PROTOBUF_MEDIA_TYPE}, []

    def answers(asked: httpx.Request) -> httpx.Response:
        paths.append(asked.url.path.rpartition("/")[2])
        if paths[-1] == "get-nodes":
            return httpx.Response(200, headers=kind, content=known)
        return httpx.Response(page)

    own = certified(tmp_path, "127.0.0.1")
    link = SuperLink("127.0.0.1:1", own, bytes(32), SimpleNamespace())
    with link._spoken(spoken.RuntimeHttpClient) as client:
        client._client = httpx.Client(transport=httpx.MockTransport(answers))
        name = name_of(b"public")
        through = FlowerLink(FlowerRun(client, 3), (name,))
        assert list(through.asked({name: b"order"}, b"state", 0.1)) == []
    assert set(paths) == {"get-nodes", "push-messages"}


def test_a_run_that_fails_to_begin_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would end it otherwise."""
    server = Played(gives=3)
    with pytest.raises(httpx.ConnectError), played(tmp_path, monkeypatch, server).run():
        pass
    assert server.said == ["completed"]
