"""How well a model does while it is trained, measured outside the private path.

Every so many rounds a run's public state is measured on data that the caller says are *public*:
published, or of people who consented to be looked at. That is no part of the plan and costs
nothing, as little as reading the release does. On private data the same look is a release of its
own: `tacit.learning.paid_measure` asks for it and is charged.

**Stopping early** on what was measured is post-processing of a public state: whether and where a
run ends tells nothing that the state does not. The rounds that are left are not played and release
nothing, so the promise of all of them covers fewer. What was charged stays charged: a ledger
charges before the first round, and gives nothing back. To pay for fewer, plan fewer.

Choosing among rounds by what was measured is free in the same way: `best` holds the state that
`stop` holds for the best.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from tacit.argument import counted, got, is_whole, refuse_negative

# Of a released model and the public data.
Measure = Callable[[Any, PyTree], Any]


class Releasing(Protocol):
    """A learner whose states hold a model."""

    def released(self, state: PyTree) -> PyTree:
        """The model of a state."""
        ...


@final
class Look(NamedTuple):
    """What was measured after so many rounds, by the measures' names."""

    rounds: int
    values: Mapping[str, float]


class StopRule(Protocol):
    """When to end a run, by all that was measured."""

    def best(self, history: Sequence[Look]) -> int:
        """The place of the look that is the best so far."""
        ...

    def now(self, history: Sequence[Look]) -> bool:
        """Whether it is over."""
        ...


@final
@dataclass(frozen=True)
class Patience:
    """Ends a run when a measure's smallest value is `looks` looks old.

    A NaN is larger than any number: a run that only diverges ends as well.

    Args:
      measure: its name; smaller is better, so accuracy is negated or told as an error.
      looks: how many in a row may be no better.
      least: how much smaller than the best so far is better.

    Raises:
      ValueError: if `looks` is no whole number of at least 1.
    """

    measure: str
    looks: int
    least: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, "looks", counted(self.looks))
        if not (is_whole(self.looks) and self.looks >= 1):
            raise ValueError(f"looks must be a whole number of at least 1, got {got(self.looks)}")
        refuse_negative("least", self.least)

    def best(self, history: Sequence[Look]) -> int:
        place = 0
        for at, look in enumerate(history):
            kept, found = (own.values[self.measure] for own in (history[place], look))
            if found < kept - self.least or (math.isnan(kept) and not math.isnan(found)):
                place = at
        return place

    def now(self, history: Sequence[Look]) -> bool:
        return len(history) - 1 - self.best(history) >= self.looks


@final
class Evaluation:
    """A watch that measures every so many rounds, and keeps what it found: `run(watch=it)`.

    | | what it is |
    | --- | --- |
    | `history` | every look so far, in order; of a run that is gone on with, from there on |
    | `best` | the state of the best look, where there is a `stop` |
    | `said()` | the last look as text, for `progress_bar` |

    Args:
      learner: whose states are looked at.
      measures: each a number, of a released model and `public`; `mean_of` makes one of a loss.
      public: data that anybody may see, or of people who consented: they are promised nothing.
      every: between so many rounds; the last that is played is always looked at.
      stop: when to end the run before its last round; None for never.

    Raises:
      ValueError: if there is no measure, `every` is no number of rounds, or `stop` is about a
        measure that is not there.
    """

    def __init__(
        self,
        learner: Releasing,
        measures: Mapping[str, Measure],
        *,
        public: PyTree,
        every: int = 1,
        stop: StopRule | None = None,
    ) -> None:
        if not measures:
            raise ValueError("an evaluation needs at least one measure, got none")
        if isinstance(stop, Patience) and stop.measure not in measures:
            raise ValueError(f"stop must be about one of {', '.join(measures)}, got {stop.measure}")
        self._learner, self._public, self._stop = learner, public, stop
        self._measures = dict(measures)
        self._every, self._history = every, []
        self.best: PyTree = None

    @property
    def every(self) -> int:
        return self._every

    @property
    def history(self) -> tuple[Look, ...]:
        """Every look so far."""
        return tuple(self._history)

    def __call__(self, rounds: int, state: PyTree) -> bool:
        model = self._learner.released(state)
        found = {name: float(own(model, self._public)) for name, own in self._measures.items()}
        self._history.append(Look(rounds, found))
        if self._stop is None:
            return False
        if self._stop.best(self._history) == len(self._history) - 1:
            self.best = state
        return self._stop.now(self._history)

    def ended(self, rounds: int) -> None:
        del rounds

    def said(self) -> str:
        """The last look, in three digits."""
        values = self._history[-1].values if self._history else {}
        return ", ".join(f"{name} {value:.3g}" for name, value in values.items())


def mean_of(each: Callable[[Any, PyTree], Float[Array, ""]], at_once: int | None = None) -> Measure:
    """The measure that is the mean over people of one person's number, a loss say; compiled.

    Args:
      each: of a model and one person.
      at_once: people measured side by side; None for all.
    """

    @eqx.filter_jit
    def measure(model: Any, people: PyTree) -> Float[Array, ""]:
        own = partial(each, model)
        if at_once is None:
            return jnp.mean(jax.vmap(own)(people))
        return jnp.mean(jax.lax.map(own, people, batch_size=at_once))

    return measure
