"""What came back in one round: reports, each checked and added up once, and what else there was.

Reports are added up in chunks as they come, so memory does not follow their number. The sum is
exact on the plan's grid: neither chunks nor the order in which reports come change it.

| an answer | is |
| --- | --- |
| a report of the round, of the right arrays, in its set | added up |
| from a device that was not asked, of another round or stage, or the second of one | a stranger's |
| no message, of other arrays, outside its set, not finite | malformed |
| a refusal | counted, with its sentence |
| none | silent |
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, final

import jax
import numpy as np
from jaxtyping import PyTree

from tacit.live.message import Kinds, MessageError, kinds_of, one_line
from tacit.live.order import Reply

# Of a total, reports, their places and which are there: the total with them, and which were taken.
Add = Callable[[PyTree, PyTree, np.ndarray, np.ndarray], tuple[PyTree, Any]]


@final
@dataclass(frozen=True)
class Replies:
    """One round, in numbers that whoever runs the server sees anyhow.

    Args:
      round: which, from 1 on; 0 where devices were asked beforehand whether they would report.
      asked: how many devices were.
      reported: how many reports were added up.
      refused: how often each reason was given.
      malformed: answers that were none.
      strange: answers of devices that were not asked, or had answered, or of another round or
        stage.
      counted: whether the reports count: not if they are fewer than the plan's least cohort.
    """

    round: int
    asked: int
    reported: int
    refused: dict[str, int]
    malformed: int
    strange: int
    counted: bool = True

    @property
    def silent(self) -> int:
        """How many devices did not answer."""
        gone = self.reported + self.malformed + sum(self.refused.values())
        # Of rounds of several stages one device may be counted twice.
        return max(0, self.asked - gone)

    def __str__(self) -> str:
        others = {
            "silent": self.silent,
            "malformed": self.malformed,
            "strange": self.strange,
            **{f"refused ({why})": many for why, many in self.refused.items()},
        }
        said = [f"{many} {what}" for what, many in others.items() if many]
        many = f"{self.reported} of {self.asked} devices"
        whole = f"round {self.round}: {many} reported"
        whole = whole if self.round else f"beforehand: {many} would report"
        too_few = [] if self.counted else ["too few, so that none counts"]
        return ", ".join([whole, *said, *too_few])


@final
@dataclass
class AnswerCounts:
    """What came of those who were asked in a round, as it comes.

    Args:
      number: of the round.
      asked: how many devices were.
    """

    number: bytes
    asked: int
    reported: int = 0
    malformed: int = 0
    strange: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def answers(
        self, came: Iterable[tuple[str, bytes]], left: set[str], stage: str | None = None
    ) -> Iterator[tuple[str, Reply | None]]:
        """Of the answers that came those of this round and stage, of devices that are left; None of
        what is no message. The others are counted."""
        for name, packed in came:
            answer = self._read(packed) if name in left else None
            # An earlier one's may be late: its device may still answer this one.
            if name not in left or not self._awaited(answer, stage):
                self.strange += 1
            else:
                yield name, answer

    def reports(
        self, came: Iterable[tuple[str, bytes]], asked: Iterable[str], like: Kinds
    ) -> Iterator[tuple[str, tuple[np.ndarray, ...]]]:
        """The arrays of each of these devices that sent some of these kinds. The others are
        counted."""
        left = set(asked)
        for name, answer in self.answers(came, left):
            left.discard(name)
            if answer is None or self.refuses(answer):
                continue
            if kinds_of(answer.report) == like:
                yield name, answer.report
            else:
                self.malformed += 1

    def _awaited(self, answer: Reply | None, stage: str | None) -> bool:
        if answer is None:
            return True
        said = stage if answer.refused is not None else answer.stage
        return (answer.number, said) == (self.number, stage)

    def refuses(self, answer: Reply) -> bool:
        """Whether it is a refusal, which is counted."""
        if answer.refused is not None:
            self.refused[one_line(answer.refused)] += 1
        return answer.refused is not None

    def heard(self, round_: int, counted: bool) -> Replies:
        """What there was of this round."""
        counts = self.asked, self.reported, dict(self.refused), self.malformed, self.strange
        return Replies(round_, *counts, counted)

    def _read(self, packed: bytes) -> Reply | None:
        try:
            return Reply.read(packed)
        except MessageError:
            self.malformed += 1
            return None


@final
@dataclass
class ReportSum:
    """The sum of a round's reports, as they come.

    Args:
      counts: of what came.
      places: of the devices that were asked, by name.
      like: the types and shapes of a report.
      chunk: how many are added up at once.
      add: adds them.
      total: the sum so far.
    """

    counts: AnswerCounts
    places: dict[str, int]
    like: PyTree
    chunk: int
    add: Add
    total: PyTree

    def of(self, answers: Iterator[tuple[str, bytes]]) -> None:
        """Adds up whatever comes."""
        kinds = kinds_of(jax.tree.leaves(self.like))
        reports = self.counts.reports(answers, self.places, kinds)
        while waiting := list(islice(reports, self.chunk)):
            self._added(waiting)

    def _added(self, waiting: list[tuple[str, tuple[np.ndarray, ...]]]) -> None:
        places, present = np.zeros(self.chunk, np.uint32), np.arange(self.chunk) < len(waiting)
        places[: len(waiting)] = [self.places[name] for name, _ in waiting]
        reports = [
            np.zeros((self.chunk, *each.shape), each.dtype) for each in jax.tree.leaves(self.like)
        ]
        for row, (_, report) in enumerate(waiting):
            for all_, own in zip(reports, report, strict=True):
                all_[row] = own
        structure = jax.tree.structure(self.like)
        whole = jax.tree.unflatten(structure, reports)
        self.total, taken = self.add(self.total, whole, places, present)
        found = int(np.sum(taken))
        self.counts.reported += found
        self.counts.malformed += len(waiting) - found
