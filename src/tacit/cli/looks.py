"""What models are worth to people who were held out, while a simulation trains them.

Held-out people are never played, so a look at them is no part of what is simulated: it changes no
state. Everybody counts once, however many images they have.

A run that goes on begins where its state is, and looks from there on. Those before are kept in the
folder, beside the state: a look is written before the state it is of.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self, final

import typer
from jaxtyping import PyTree

from tacit.cli import tables
from tacit.cli.tasks import Task
from tacit.federated.classifying import person_loss, person_right
from tacit.federated.training import Training
from tacit.learning.evaluation import Evaluation, Look, mean_of

# Rounds between two looks, where nobody says how many.
EVERY = 10

HeldOutOption = Annotated[
    int, typer.Option(help="People who are not played, and on whom models are looked at.")
]
EveryOption = Annotated[
    int | None, typer.Option(help="Rounds between two looks at them.", show_default=f"{EVERY}")
]


@final
@dataclass(frozen=True, eq=False)
class HeldOut:
    """Some of a task's people, who look on.

    Args:
      people: their data; None for nobody.
      every: between so many rounds.
      at_once: people looked at side by side; None for all.
    """

    people: PyTree | None
    every: int
    at_once: int | None

    @classmethod
    def of(cls, task: Task, count: int, every: int | None) -> tuple[Task, Self]:
        """The task without so many of its people, and these.

        Raises:
          ValueError: if that leaves nobody, or it is not said of whom every so many rounds.
        """
        if not 0 <= count < task.population.people:
            raise ValueError(
                f"--held-out must be from 0 to {task.population.people - 1} of the "
                f"{task.population.people} people there are, got {count}"
            )
        if every is not None and not count:
            raise ValueError("--every is for --held-out people, got none")
        if every is not None and not every >= 1:
            raise ValueError(f"--every must be at least 1 round, got {every}")
        others, people = task.without(count)
        return others, cls(people if count else None, every or EVERY, task.at_once)

    def looks(
        self, learner: Training, before: Sequence[Look], keep: Callable[[Sequence[Look]], object]
    ) -> "Looks":
        """What they see of a run of this learner.

        Args:
          before: what they saw before it was cut off.
          keep: told all that they saw, after every look.
        """
        measures = {
            "loss": mean_of(person_loss, self.at_once),
            "right": mean_of(person_right, self.at_once),
        }
        seen = Evaluation(learner, measures, public=self.people, every=self.every)
        return Looks(seen, before, keep)


@final
class Looks:
    """A watch that has all that was seen of a run, also before it was cut off.

    Args:
      seen: what looks.
      before: what was seen before.
      keep: told all of it after every look.
    """

    def __init__(
        self, seen: Evaluation, before: Sequence[Look], keep: Callable[[Sequence[Look]], object]
    ) -> None:
        self._seen, self._keep = seen, keep
        self.all = list(before)

    @property
    def every(self) -> int:
        return self._seen.every

    def __call__(self, rounds: int, state: PyTree) -> bool:
        self._seen(rounds, state)
        # A run that was killed goes on at a state before its last look.
        self.all = [*(look for look in self.all if look.rounds < rounds), self._seen.history[-1]]
        self._keep(self.all)
        return False

    def ended(self, rounds: int) -> None:
        del rounds


def plain(looks: Sequence[Look]) -> list[dict[str, Any]]:
    """As JSON has them."""
    return [{"rounds": look.rounds, **look.values} for look in looks]


def read(plain: Sequence[dict[str, Any]]) -> list[Look]:
    """Those that `plain` is of."""
    return [Look(own["rounds"], {k: own[k] for k in own if k != "rounds"}) for own in plain]


def shown(seen: Sequence[tuple[str, Sequence[Look]]]) -> None:
    """A table of every look at every setting."""
    numbers = ("round", "loss", "right")
    table = tables.table_of("held out: not private", ("trust",), numbers)
    for name, looks in seen:
        for place, look in enumerate(looks):
            loss, right = look.values["loss"], look.values["right"]
            named = "" if place else name
            tables.row_of(table, named, str(look.rounds), f"{loss:.3f}", f"{right:.1%}")
    tables.whole(table)
