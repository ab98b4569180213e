"""A plan set up on people's data, with nobody charged and nothing drawn yet.

Whatever can be refused without a key is refused while this is made: terms that do not fit, a
learner that calls back, a cohort larger than the people there are, a number of people side by side
that sums do not allow.
"""

import math
import secrets
from dataclasses import dataclass, field, replace
from typing import Self, final

import jax
import numpy as np
from jaxtyping import PyTree

from tacit.argument import got, is_whole
from tacit.device.noise_sharing import NoiseSharing
from tacit.models.once import said_once
from tacit.noise.fixed import MOST_AT_ONCE
from tacit.plan import Gather, Plan
from tacit.population import hosts
from tacit.population.cohorts import Cohorts
from tacit.population.kept import Replay
from tacit.population.learner import Learner
from tacit.population.machine import machine
from tacit.population.placement import on_host, seated
from tacit.population.program import digest_of
from tacit.population.rounds import Rounds, SumRounds, rounds_of
from tacit.population.summing import MOST_IN_A_SUM, summing
from tacit.question.dropouts import whom_asks
from tacit.question.participation import Fixed
from tacit.record import versions

# Reports held at once, in float32 numbers: 64 MB; rows on their way to the host, 4 MB.
CHUNK_NUMBERS = 2**24
GATHERED_NUMBERS = 2**20
# If fewer people fit than these, their models are large, and a CPU asks one after another.
FEW = 32
# People's numbers that a learner sums at once: 8 MB, so that a second pass finds them in the cache.
SUMMED_NUMBERS = 2**21


@final
@dataclass(frozen=True, eq=False)
class Staged:
    """What is played: rounds, whom each asks, and copies of the data that nobody else can change.

    Args:
      plan: what is played.
      rounds: of the plan and its learner, who is not kept.
      cohorts: whom each round asks.
      data: of all people there are.
      asked: a digest of what an engine was asked, where the data are its answer.
      called: what data are, to be read: of people who keep them, how these are known.
    """

    plan: Plan
    rounds: Rounds = field(repr=False)
    cohorts: Cohorts = field(repr=False)
    data: PyTree = field(repr=False)
    asked: str = ""
    called: str = "data"

    @classmethod
    def of(cls, plan: Plan, learner: Learner, data: PyTree, at_once: int | None) -> Self:
        """Of a learner as it is now.

        Args:
          data: arrays with a row for each person.
          at_once: people processed side by side; None for as many as fit in memory, or for one
            of a large model on a CPU.

        Raises:
          ValueError: if the plan does not fit the data or the learner.
        """
        people = np.shape(jax.tree.leaves(data)[0])[0]
        _refuse_too_few(plan, people)
        _refuse_rows_of_several(plan)
        chunk = _at_once(plan, learner, data, people, at_once)
        hold = on_host if isinstance(plan.collect, Gather) else seated
        cohorts = Cohorts(plan, people, chunk, summing(plan, learner) is not None)
        held = hold(data)
        with said_once():
            return cls(plan, rounds_of(plan, learner, held, cohorts), cohorts, held)

    def renumbered(self, plan: Plan, learner: Learner) -> Self | None:
        """The same of another plan and learner, where they differ from these in numbers alone."""
        if not (isinstance(self.rounds, SumRounds) and self.plan.sums == plan.sums):
            return None
        rounds, cohorts = self.rounds.renumbered(plan, learner), replace(self.cohorts, plan=plan)
        return rounds and replace(self, plan=plan, rounds=rounds, cohorts=cohorts)

    @property
    def bound(self) -> dict[str, str]:
        """What the same noise must not meet twice in another form, but for the plan.

        A second opening is compared with it entry by entry, and refused by the name of the first
        that differs; so causes come before their effects. What is never played again gets an entry
        that nothing equals.
        """
        backend, devices = jax.default_backend(), jax.device_count()
        bound = {
            self.called: digest_of(np.int64(self.cohorts.people), self.data),
            "learner": self.rounds.learner,
            "at_once": str(self.cohorts.at_once),
            "versions": str(versions()),
            "platform": f"{backend} {devices}{_processes()} {machine()}",
            "program": self.rounds.digest,
        }
        asked = {"question": self.asked} if self.asked else {}
        never = self.rounds.replay is Replay.NONE
        own = {"function of blocks": secrets.token_hex()} if never else {}
        return {**asked, **bound, **own}


def _refuse_too_few(plan: Plan, people: int) -> None:
    who = whom_asks(plan.sums.participation)
    if isinstance(who, Fixed) and not who.size <= people:
        raise ValueError(
            f"a cohort of {who.size} needs at least as many people to be drawn from, got {people}"
        )


def _refuse_rows_of_several(plan: Plan) -> None:
    if isinstance(plan.collect, Gather) and hosts.several():
        raise ValueError(
            f"rows are gathered by one process, and {jax.process_count()} play this run: ask for "
            "them in a process of its own"
        )


def _processes() -> str:
    """Who adds up what between devices, and in which order, may follow from whose they are."""
    return f" in {jax.process_count()} processes" if hosts.several() else ""


def _at_once(plan: Plan, learner: Learner, data: PyTree, people: int, asked: int | None) -> int:
    summed = summing(plan, learner) is not None
    most = MOST_IN_A_SUM if summed else MOST_AT_ONCE
    if summed and jax.device_count() > most:
        raise ValueError(f"a learner's own sums need at most {most} devices")
    fitting = _summed(data, people) if summed else _reported(plan)
    chunk = min(most, fitting) if asked is None else asked
    if not (is_whole(chunk) and 1 <= chunk <= most):
        raise ValueError(f"at_once must be a whole number from 1 to {most}, got {got(asked)}")
    return int(chunk)


def _reported(plan: Plan) -> int:
    """How many people's terms fit at once; on a CPU one, where few would.

    No rule for batches touches the kernels of one person's large model, and a CPU has no use for a
    few of them side by side.
    """
    gathers = isinstance(plan.collect, Gather)
    shape = plan.sums.contribution
    summed = shape.answer_shape if isinstance(plan.device, NoiseSharing) else ()
    numbers = max(math.prod(shape.shape), math.prod(summed))
    fitting = max(1, (GATHERED_NUMBERS if gathers else CHUNK_NUMBERS) // numbers)
    alone = fitting < FEW and not gathers and jax.default_backend() == "cpu"
    return 1 if alone else fitting


def _summed(data: PyTree, people: int) -> int:
    """How many people's own numbers do, where the learner sums."""
    own = sum(np.size(leaf) for leaf in jax.tree.leaves(data)) // max(1, people)
    return max(1, SUMMED_NUMBERS // max(1, own))
