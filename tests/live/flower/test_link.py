"""What a link does with whatever a run brings, against a run that is played."""

import importlib.util
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import pairwise
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from tacit.live.flower import link as flower_link
from tacit.live.flower.keys import name_of
from tacit.live.flower.link import FlowerLink
from tacit.live.flower.run import FlowerRun
from tacit.live.flower.spoken import httpx
from tacit.live.link import Link

KEYS = [b"first", b"second", b"third"]
NAMES = tuple(map(name_of, KEYS))
SECONDS = 600.0


class Run:
    """Everybody is there, and every look brings what the next step says."""

    alone = FlowerRun.alone

    def __init__(self, *steps: Sequence[tuple[str, bytes | None] | Exception] | Exception) -> None:
        self.steps = list(steps)
        self.asked: list[str] = []
        self.forgotten: list[str] = []
        self.since = dict.fromkeys(NAMES, "noon")
        self.coming: dict[str, object] = {}
        self._asking = threading.Lock()

    def nodes(self):
        known = {name: (key, NAMES.index(name)) for name, key in zip(NAMES, KEYS, strict=True)}
        return [
            SimpleNamespace(
                public_key=known[name][0], node_id=known[name][1], last_activated_at=since
            )
            for name, since in self.since.items()
        ]

    def order(self, order: bytes, state: bytes, node: int, seconds: float) -> str:
        assert (order, state) == (NAMES[node].encode(), b"state") and seconds > SECONDS
        return NAMES[node]

    def sent(self, parcels: Sequence[str]) -> list[str]:
        self.asked += parcels
        return [f"{self.asked.count(name)} {name}" for name in parcels]

    def forget(self, asked: Iterable[str]) -> None:
        self.forgotten += asked

    def answers(self, asked: Sequence[str]):
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        for each in step:
            if isinstance(each, Exception):
                raise each
            if each[0] in asked:
                yield each


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in ("_SOONEST", "_LATEST", "_COMING", "_QUIET"):
        monkeypatch.setattr(flower_link, each, 0.0)


def asked(run: Run, names: Sequence[str] = NAMES) -> list[tuple[str, bytes]]:
    """All that a round with these devices brings."""
    link = FlowerLink(run, NAMES)
    return list(link.asked({name: name.encode() for name in names}, b"state", SECONDS))


def first(name: str, answer: bytes | None = b"report") -> tuple[str, bytes | None]:
    """An answer to the first message this device was sent."""
    return f"1 {name}", answer


def test_who_is_enrolled() -> None:
    """Devices keep the order in which they were enrolled; each is enrolled once."""
    link = FlowerLink(Run(), NAMES)
    assert isinstance(link, Link) and link.devices == NAMES
    with pytest.raises(ValueError, match="enrolled once"):
        FlowerLink(Run(), NAMES[:1] * 2)


def test_answers_come_as_they_are_there() -> None:
    """The round ends with the last of them."""
    a, b, c = NAMES
    run = Run([first(b)], [], [first(c), first(a)])
    assert [name for name, _ in asked(run)] == [b, c, a]
    assert run.asked == list(NAMES)


def test_a_device_is_heard_once() -> None:
    """Its first answer counts, whatever comes after it."""
    a, b, c = NAMES
    run = Run([first(a, b"one"), first(a, b"two")], [first(a, b"three"), first(b), first(c)])
    assert asked(run) == [(a, b"one"), (b, b"report"), (c, b"report")]


def test_only_who_was_asked_is_heard() -> None:
    """Others are not sent anything."""
    run = Run([first(name) for name in NAMES])
    assert [name for name, _ in asked(run, NAMES[:2])] == list(NAMES[:2])
    assert run.asked == list(NAMES[:2])
    with pytest.raises(ValueError, match="only devices that are enrolled"):
        list(FlowerLink(Run(), NAMES).asked({"a stranger": b""}, b"state", 0.0))


def test_who_comes_later_is_asked_then() -> None:
    """And who has been away, or was begun anew, is asked once more."""
    a, b, c = NAMES
    run = Run()
    run.since = {a: "noon", b: "noon"}

    def answers(open_: Sequence[str]):
        turn = len(turns)
        turns.append(list(open_))
        if turn == 0:
            run.since = {a: "one o'clock", c: "noon"}
        if turn == 1:
            run.since = dict.fromkeys(NAMES, "one o'clock") | {c: "noon"}
        if turn < 3:
            return []
        return [(f"2 {a}", b""), (f"2 {b}", b""), (f"1 {c}", b"")]

    turns: list[list[str]] = []
    run.answers = answers
    assert {name for name, _ in asked(run)} == set(NAMES)
    assert run.asked == [a, b, a, c, b]


def test_what_is_lost_is_sent_again() -> None:
    """A message that the SuperLink gave up is no answer."""
    a, b, c = NAMES
    run = Run([first(a, None), first(b), first(c)], [(f"2 {a}", b"late")])
    assert asked(run) == [(b, b"report"), (c, b"report"), (a, b"late")]


def test_orders_are_announced_to_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has been sent one is not sent another where the SuperLink fails before the next few."""
    monkeypatch.setattr(flower_link, "_AT_ONCE", 2)
    a, b, c = NAMES
    run, groups, send = Run([first(b)], [first(a), first(c)]), [], Run.sent

    def sent(parcels: Sequence[str]) -> list[str]:
        groups.append(list(parcels))
        if len(groups) == 2:
            raise httpx.ConnectError("away")
        return send(run, parcels)

    run.sent = sent
    assert [name for name, _ in asked(run)] == [b, a, c]
    assert groups == [[a, b], [c], [c]]


def status(code: int) -> Exception:
    """What a client raises when a server answers so."""
    request = httpx.Request("POST", "https://server")
    return httpx.HTTPStatusError("", request=request, response=httpx.Response(code))


def test_a_superlink_that_is_away_is_waited_for() -> None:
    """And so is one that is in trouble, and one that says later, or a proxy for it."""
    troubles = [httpx.ConnectError("away"), *map(status, (503, 408, 429))]
    run = Run(*troubles, [first(name) for name in NAMES])
    assert len(asked(run)) == 3


@pytest.mark.parametrize("code", [401, 403, 404, 413])
def test_a_superlink_that_does_not_know_the_run_is_an_error(code: int) -> None:
    """Waiting would not help; the sentence has the status, and what may be done."""
    with pytest.raises(RuntimeError, match=f"answers {code} to what this run asks: take a new run"):
        asked(Run(status(code), [first(name) for name in NAMES]))


def test_what_came_before_the_network_went_counts() -> None:
    """Others are heard when it is back, and a device that was lost meanwhile is asked once more."""
    a, b, c = NAMES
    away = httpx.ReadTimeout("in the midst of it")
    run = Run([first(b), first(a, None), away, first(c)], [first(c), (f"2 {a}", b"late")])
    assert asked(run) == [(b, b"report"), (c, b"report"), (a, b"late")]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """It goes on when somebody sleeps, and as long as they wish to."""
    clock = SimpleNamespace(now=1000.0)

    def sleep(seconds: float) -> None:
        clock.now += seconds

    monkeypatch.setattr(flower_link, "_LATEST", 10.0)
    monkeypatch.setattr(flower_link, "_SOONEST", 10.0)
    monkeypatch.setattr(
        flower_link, "time", SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep)
    )
    return clock


def test_who_is_silent_is_asked_once_more_at_half_the_seconds(clock: SimpleNamespace) -> None:
    """The word with its order may have been lost; who has announced an answer is waited for."""
    a, b, c = NAMES
    run, asked_at = Run(), []
    run.coming = {f"1 {b}": "half an answer", "another round's": "half an answer"}
    send = run.sent

    def sent(parcels: Sequence[str]) -> list[str]:
        asked_at.append((clock.now - 1000.0, list(parcels)))
        return send(parcels)

    run.sent = sent
    run.answers = lambda open_: [first(c)] if clock.now < 1200 else []
    assert asked(run) == [(c, b"report")]
    assert asked_at == [(0.0, [a, b, c]), (SECONDS / 2, [a])]


def looks(
    monkeypatch: pytest.MonkeyPatch, clock: SimpleNamespace, says: Callable[[int], object]
) -> list[float]:
    """How long after one another a round of 100 s asks of a SuperLink that says this."""
    for each, seconds in {"_SOONEST": 0.5, "_LATEST": 0.5, "_QUIET": 1.0}.items():
        monkeypatch.setattr(flower_link, each, seconds)
    clock.now, run, at = 1000.0, Run(), []
    run.order = lambda own, state, node, seconds: NAMES[node]

    def answers(open_: Sequence[str]):
        at.append(clock.now)
        if isinstance(told := says(len(at)), Exception):
            raise told
        return told

    run.answers = answers
    link = FlowerLink(run, NAMES)
    assert list(link.asked({name: name.encode() for name in NAMES}, b"state", 100.0)) == []
    assert at[-1] == 1100.0
    return [later - one for one, later in pairwise(at)]


@pytest.mark.parametrize("code", [408, 429])
def test_who_is_asked_too_often_is_left_alone(code: int, clock, monkeypatch) -> None:
    """Longer and longer; anew from the start after an answer, and never beyond the round."""
    gaps = looks(monkeypatch, clock, lambda turn: status(code))
    assert gaps == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 9.0]
    gaps = looks(monkeypatch, clock, lambda turn: [] if turn % 4 == 0 else status(code))
    assert gaps[:8] == [1.0, 2.0, 4.0, 0.5, 1.0, 2.0, 4.0, 0.5]


def test_who_is_in_trouble_is_asked_as_before(clock, monkeypatch) -> None:
    """A SuperLink that is begun anew is heard at once."""
    assert set(looks(monkeypatch, clock, lambda turn: status(503))) == {0.5}


def test_an_answer_to_either_order_counts(clock: SimpleNamespace) -> None:
    """Who was only slow is heard by the order that it took first."""
    a = NAMES[0]
    run = Run()
    run.answers = lambda open_: [first(a)] if clock.now > 1400 else []
    assert asked(run, [a]) == [(a, b"report")] and run.asked == [a, a]


def test_there_is_a_last_look_when_the_seconds_are_over(clock: SimpleNamespace) -> None:
    """What came in the last pause counts, and nobody is asked then."""
    a, b, _ = NAMES
    run = Run()
    run.since = {a: "noon"}

    def answers(open_: Sequence[str]):
        run.since = dict.fromkeys(NAMES, "noon") if clock.now > 985 + SECONDS else run.since
        return [first(a)] if clock.now == 1000 + SECONDS else []

    run.answers = answers
    assert asked(run, [a, b]) == [(a, b"report")] and run.asked == [a, a]


def test_a_round_ends_with_its_seconds() -> None:
    """Whoever has not answered by then is not waited for."""
    link = FlowerLink(Run(), NAMES)
    assert list(link.asked({NAMES[0]: b""}, b"state", 0.0)) == []


@pytest.mark.parametrize("end", [None, RuntimeError("enough")])
def test_nothing_is_kept_of_a_round_that_is_over(end: Exception | None) -> None:
    """Whether it brought its answers, or was broken off: no message of it is looked for again."""
    run = Run([first(NAMES[0])], end or [first(name) for name in NAMES[1:]])
    with pytest.raises(RuntimeError) if end else nullcontext():
        asked(run)

    assert set(run.forgotten) == {f"1 {name}" for name in NAMES}


EITHER = [(f"{turn} {name}", b"report") for turn in (1, 2) for name in NAMES]


def begun(run: Run) -> Iterator[tuple[str, bytes]]:
    """A round of all of them, as its reader holds it."""
    return FlowerLink(run, NAMES).asked({n: n.encode() for n in NAMES}, b"state", SECONDS)


def test_two_rounds_at_once_are_refused() -> None:
    """By whichever link they come, before anything of the second is sent; the first goes on."""
    a, b, c = NAMES
    run = Run([first(a)], [first(b), first(c)])
    going = begun(run)
    assert next(going) == (a, b"report")
    with pytest.raises(RuntimeError, match="a run carries one round at a time"):
        next(begun(run))
    assert run.asked == list(NAMES)
    assert [name for name, _ in going] == [b, c]


def closed(going: Generator[tuple[str, bytes]]) -> None:
    next(going)
    going.close()


def failed(going: Iterator[tuple[str, bytes]]) -> None:
    with pytest.raises(LookupError):
        list(going)


@pytest.mark.parametrize("end", [list, closed, failed, next, repr])
def test_a_round_that_is_over_makes_room(end: Callable[..., object]) -> None:
    """Read to its end, closed, failed, let go of or never begun: nobody has to take another run."""
    run = Run([LookupError("enough")] if end is failed else EITHER, EITHER)
    end(begun(run))
    assert len(list(begun(run))) == 3
