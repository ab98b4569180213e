"""Who takes part when, and what that does to the promise.

A participation draws the cohort of every round and states the event that the public sees when
each round's sum is released. The two stand together because they are one fact: sampling
amplifies privacy only if the cohorts were really drawn that way, from a key the observer does
not hold, and each scheme is proved for its own neighbouring relations only.

| participation | one person reports | the public sees, over T rounds | proved for |
| --- | --- | --- | --- |
| `Everyone` | in every round | T releases | every relation |
| `Poisson(rate)` | by a coin in each round | T Poisson-sampled releases | add/remove, zero-out |
| `Fixed(size)` | in rounds that drew them | T releases, m of n without replacement | replace-one |
| `Once` | in one secret round | one release: rounds are disjoint | replace-one, zero-out |
| `AtMost(k)` | once in each of k passes | k releases | replace-one, zero-out |
| `Cyclic(k)` | in the same place of each of k passes | k releases | replace-one, zero-out |
| `Available` | whenever they turn up | T releases: no amplification | every relation |

`Once`, `AtMost` and `Cyclic` put all n people in one uniformly random order and cut it into rounds,
so the number of people is public in them and adding a person is not their relation.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Int

from tacit.accounting import events
from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_number, is_whole
from tacit.borrowed import DpEvent
from tacit.late import binom

Rows = Int[np.ndarray, " cohort"]
Streams = Callable[[int], np.random.Generator]

# Chance per round that a Poisson cohort outgrows its array, or that NumPy's binomial, which stops
# ten standard deviations out, should have drawn a larger one; it is added to delta.
OVERFLOW = 1e-13


@runtime_checkable
class Participation(Protocol):
    """Draws cohorts; its fields are public, the streams that drive it are secret."""

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The neighbouring relations for which `event` is proved."""
        ...

    def cohorts(self, streams: Streams, people: int, rounds: int, start: int) -> Iterator[Rows]:
        """The cohorts of rounds `start`, ..., `rounds` - 1; a function of the streams alone."""
        ...

    def expected(self, people: int, rounds: int) -> float:
        """The public size a round's mean is divided by."""
        ...

    def capacity(self, people: int, rounds: int) -> int:
        """The largest cohort that is ever handed over."""
        ...

    def times(self, rounds: int) -> int:
        """In how many rounds one person may report."""
        ...

    def event(self, release: DpEvent, people: int, rounds: int) -> DpEvent:
        """What the public sees when every round makes this `release`."""
        ...

    def overflow(self, people: int, rounds: int) -> float:
        """The chance that some cohort is cut down to `capacity`."""
        ...


@final
@dataclass(frozen=True)
class Everyone:
    """All people, in every round."""

    relations = tuple(Relation)

    def cohorts(self, streams: Streams, people: int, rounds: int, start: int) -> Iterator[Rows]:
        del streams
        return repeat(np.arange(people), rounds - start)

    def expected(self, people: int, rounds: int) -> float:
        return float(people)

    def capacity(self, people: int, rounds: int) -> int:
        return people

    def times(self, rounds: int) -> int:
        return rounds

    def event(self, release: DpEvent, people: int, rounds: int) -> DpEvent:
        return events.repeated(release, rounds)

    def overflow(self, people: int, rounds: int) -> float:
        return 0.0


@final
@dataclass(frozen=True)
class Poisson:
    """Each person by an independent coin of bias `rate` in each round.

    A cohort larger than its array is cut, in random order; `overflow` bounds the chance.
    """

    rate: float
    relations = (Relation.ADD_REMOVE, Relation.ZERO_OUT)

    def __post_init__(self):
        if not (is_number(self.rate) and 0 < self.rate < 1):
            raise ValueError(
                f"a Poisson rate must be a number strictly between 0 and 1, got {got(self.rate)}"
            )

    def cohorts(self, streams: Streams, people: int, rounds: int, start: int) -> Iterator[Rows]:
        room = self.capacity(people, rounds)
        for t in range(start, rounds):
            generator = streams(t)
            # A binomial size and then a uniform subset of it: the same law as n coins.
            size = min(generator.binomial(people, self.rate), room)
            yield generator.choice(people, size=size, replace=False, shuffle=False)

    def expected(self, people: int, rounds: int) -> float:
        return people * self.rate

    def capacity(self, people: int, rounds: int) -> int:
        return min(people, int(binom.isf(OVERFLOW, people, self.rate)) + 1)

    def times(self, rounds: int) -> int:
        return rounds

    def event(self, release: DpEvent, people: int, rounds: int) -> DpEvent:
        return events.repeated(events.poisson(self.rate, release), rounds)

    def overflow(self, people: int, rounds: int) -> float:
        return rounds * OVERFLOW


@final
@dataclass(frozen=True)
class Fixed:
    """Exactly `size` people in each round, drawn without replacement; n is public."""

    size: int
    relations = (Relation.REPLACE_ONE,)

    def __post_init__(self):
        object.__setattr__(self, "size", counted(self.size))
        if not (is_whole(self.size) and self.size >= 1):
            raise ValueError(
                "a fixed cohort needs a whole number of people, at least one person, got "
                f"size={got(self.size)}"
            )

    def cohorts(self, streams: Streams, people: int, rounds: int, start: int) -> Iterator[Rows]:
        if not self.size <= people:
            raise ValueError(f"a cohort of {self.size} needs at least as many people: {people}")
        for t in range(start, rounds):
            yield streams(t).choice(people, size=self.size, replace=False, shuffle=False)

    def expected(self, people: int, rounds: int) -> float:
        return float(self.size)

    def capacity(self, people: int, rounds: int) -> int:
        return self.size

    def times(self, rounds: int) -> int:
        return rounds

    def event(self, release: DpEvent, people: int, rounds: int) -> DpEvent:
        return events.repeated(events.without_replacement(people, self.size, release), rounds)

    def overflow(self, people: int, rounds: int) -> float:
        return 0.0


@final
@dataclass(frozen=True)
class AtMost:
    """Each person in `limit` secretly assigned rounds: one in each of that many passes.

    A pass is one uniformly random order of all people, cut into rounds / limit cohorts whose
    sizes differ by at most one.
    """

    limit: int
    relations = (Relation.REPLACE_ONE, Relation.ZERO_OUT)

    def __post_init__(self):
        object.__setattr__(self, "limit", counted(self.limit))
        if not (is_whole(self.limit) and self.limit >= 1):
            raise ValueError(
                "people must report at least once, and a whole number of times, got a limit of "
                f"{got(self.limit)}"
            )

    def cohorts(self, streams: Streams, people: int, rounds: int, start: int) -> Iterator[Rows]:
        length = self._rounds_per_pass(rounds)

        def passes():
            for index in range(start // length, self.limit):
                yield from np.array_split(streams(index).permutation(people), length)

        return islice(passes(), start % length, None)

    def expected(self, people: int, rounds: int) -> float:
        return people / self._rounds_per_pass(rounds)

    def capacity(self, people: int, rounds: int) -> int:
        return math.ceil(people / self._rounds_per_pass(rounds))

    def times(self, rounds: int) -> int:
        return self.limit

    def event(self, release: DpEvent, people: int, rounds: int) -> DpEvent:
        return events.repeated(release, self.limit)

    def overflow(self, people: int, rounds: int) -> float:
        return 0.0

    def _rounds_per_pass(self, rounds: int) -> int:
        return _divided(rounds, self.limit)


@final
@dataclass(frozen=True)
class Cyclic:
    """Each person in `passes` rounds, one pass after the other in one secret order.

    Two rounds of one person are a whole pass apart, which noise that is correlated between rounds
    asks for (`tacit.server.correlated`).
    """

    passes: int
    relations = AtMost.relations

    def __post_init__(self):
        object.__setattr__(self, "passes", counted(self.passes))
        if not (is_whole(self.passes) and self.passes >= 1):
            raise ValueError(
                "there must be at least one pass, and a whole number of them, got "
                f"{got(self.passes)}"
            )

    def cohorts(self, streams: Streams, people: int, rounds: int, start: int) -> Iterator[Rows]:
        length = self.separation(rounds)
        cohorts = np.array_split(streams(0).permutation(people), length)
        return (cohorts[t % length] for t in range(start, rounds))

    def separation(self, rounds: int) -> int:
        """How many rounds later a person reports again: a whole pass."""
        return _divided(rounds, self.passes)

    def expected(self, people: int, rounds: int) -> float:
        return people / self.separation(rounds)

    def capacity(self, people: int, rounds: int) -> int:
        return math.ceil(people / self.separation(rounds))

    def times(self, rounds: int) -> int:
        return self.passes

    def event(self, release: DpEvent, people: int, rounds: int) -> DpEvent:
        return events.repeated(release, self.passes)

    def overflow(self, people: int, rounds: int) -> float:
        return 0.0


def _divided(rounds: int, passes: int) -> int:
    if rounds % passes:
        raise ValueError(
            f"{passes} passes need a number of rounds that {passes} divides, got {rounds}"
        )
    return rounds // passes


def Once() -> AtMost:
    """Each person in one secretly assigned round."""
    return AtMost(1)


@final
@dataclass(frozen=True)
class Available:
    """Whoever turns up: here, each person with chance `turnout`, for which nothing is claimed.

    The mean is divided by the people expected; everyone is charged for every round, because
    everyone was asked.
    """

    turnout: float
    relations = tuple(Relation)

    def __post_init__(self):
        if not (is_number(self.turnout) and 0 < self.turnout <= 1):
            raise ValueError(f"a turnout must be a number in (0, 1], got {got(self.turnout)}")

    def cohorts(self, streams: Streams, people: int, rounds: int, start: int) -> Iterator[Rows]:
        for t in range(start, rounds):
            yield np.flatnonzero(streams(t).random(people) < self.turnout)

    def expected(self, people: int, rounds: int) -> float:
        return people * self.turnout

    def capacity(self, people: int, rounds: int) -> int:
        return people

    def times(self, rounds: int) -> int:
        return rounds

    def event(self, release: DpEvent, people: int, rounds: int) -> DpEvent:
        return events.repeated(release, rounds)

    def overflow(self, people: int, rounds: int) -> float:
        return 0.0
