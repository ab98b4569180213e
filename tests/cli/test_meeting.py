"""Processes that meet: who is let in, what refuses all of them, and what their lines carry."""

import json
import socket
import struct
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest

from processes import free_port
from tacit.cli import meeting
from tacit.cli.meeting import Team
from tacit.population.hosts import HostError

# Connections are left to the end of their test.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
SAID = {"--epsilon": "2.0", "--ledger": "secret://word@host"}


@pytest.fixture
def meet() -> str:
    return f"127.0.0.1:{free_port()}"


def came(*teams: Team, said: dict[int, dict[str, str]] | None = None) -> list[Future]:
    """What becomes of each, all at the same time."""
    with ThreadPoolExecutor() as each:
        return [
            each.submit(meeting.met, team, (said or {}).get(place, SAID))
            for place, team in enumerate(teams)
        ]


def refusal(one: Future) -> str:
    error = one.exception()
    assert isinstance(error, HostError), error
    return str(error)


def test_the_first_is_connected_to_all_and_every_other_to_the_first(meet):
    """What is said at one end is heard at the other, nothing said before is in the way, and both
    ends are told if the other's machine is gone."""
    first, *others = (one.result() for one in came(*(Team(3, host, meet) for host in range(3))))

    assert [len(first), *map(len, others)] == [2, 1, 1]
    for own in first:
        own.sendall(b"word")
    assert [own.recv(9) for (own,) in others] == [b"word", b"word"]
    for own in (*first, *(own for (own,) in others)):
        assert own.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


def test_other_options_refuse_all_by_their_name_alone(meet):
    """What they were may be a password, and is said to nobody."""
    teams = [Team(2, host, meet) for host in (0, 1)]
    first, second = came(*teams, said={1: {**SAID, "--ledger": "other"}})

    assert refusal(first) == refusal(second)
    assert refusal(first) == (
        "process 1 was not started with the --ledger of process 0: all options but --host must be "
        "the same everywhere; nothing was charged"
    )


def test_what_is_said_of_options_does_not_show_them(meet):
    """Whoever listens at the address is told no password."""
    name, port = meet.split(":")
    with socket.create_server((name, int(port))) as listening, ThreadPoolExecutor() as each:
        each.submit(meeting.met, Team(2, 1, meet), SAID)
        own, _ = listening.accept()
        heard = meeting._heard(own)
        meeting._say(own, {"refused": "enough"})

    assert set(heard["said"]) == set(SAID) and "word" not in json.dumps(heard)


@pytest.mark.parametrize("lacks", [0, 1])
def test_an_option_that_one_lacks_is_another_option(meet, lacks):
    """As of two versions of the program."""
    first, second = came(
        Team(2, 0, meet), Team(2, 1, meet), said={lacks: {}, 1 - lacks: {"--x": ""}}
    )

    assert "with the --x of process 0" in refusal(first) == refusal(second)


def test_two_who_say_they_are_the_same_are_refused(meet, monkeypatch):
    """And the one who came first with them."""
    monkeypatch.setattr(meeting, "WAIT", 2.0)
    first, *_ = came(Team(3, 0, meet), Team(3, 1, meet), Team(3, 1, meet))

    assert refusal(first) == "two processes were started with --host 1; nothing was charged"


def test_one_who_does_not_come_is_waited_for_so_long(meet, monkeypatch):
    """And those who came are told."""
    monkeypatch.setattr(meeting, "WAIT", 0.5)
    first, second = came(Team(3, 0, meet), Team(3, 1, meet))

    assert refusal(first) == refusal(second)
    assert refusal(first).startswith(f"only 2 of 3 processes came to {meet} within 0.5 seconds")


def test_nobody_there_is_waited_for_so_long(meet, monkeypatch):
    """The sentence says where and how long."""
    monkeypatch.setattr(meeting, "WAIT", 0.2)
    (second,) = came(Team(2, 1, meet))

    assert refusal(second).startswith(f"process 0 did not answer at {meet} within 0.2 seconds")


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack(">I", 2) + b"{}",
        struct.pack(">I", 4) + b"none",
        struct.pack(">I", 14) + json.dumps({"host": "1"}).encode()[:14],
    ],
    ids=["nothing", "another protocol", "no names", "no JSON", "no number"],
)
def test_whoever_cannot_be_understood_is_hung_up_on(meet, words):
    """And the run begins without them."""
    with ThreadPoolExecutor() as each:
        first = each.submit(meeting.met, Team(2, 0, meet), SAID)
        stranger = connected(meet)
        with suppress(OSError):
            stranger.sendall(words)
            stranger.shutdown(socket.SHUT_WR)
        second = each.submit(meeting.met, Team(2, 1, meet), SAID)

        assert len(first.result()) == len(second.result()) == 1


def connected(meet: str) -> socket.socket:
    name, port = meet.split(":")
    while True:
        try:
            return socket.create_connection((name, int(port)))
        except ConnectionRefusedError:
            time.sleep(0.01)


@pytest.mark.parametrize(
    "meet, address",
    [("10.0.0.5:7777", ("10.0.0.5", 7777)), ("[::1]:80", ("::1", 80)), ("first:1", ("first", 1))],
)
def test_an_address_is_a_name_and_a_port(meet, address):
    """Of both kinds of numbers, and by name."""
    assert Team(2, 0, meet).address == address


def test_who_plays_is_said_as_a_shell_takes_it():
    """For the command that goes on; one alone needs none of it."""
    assert Team(2, 1, "a b:1").words == " --hosts 2 --host 1 --meet 'a b:1'"
    assert Team(1, 0, None).words == ""
