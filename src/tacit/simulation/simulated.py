"""Ten million people, of whom two hundred are played: what a plan would do, for those who try it.

A plan of a large population promises and adds what it says for all of them, and an experiment can
afford to play a few. `Simulated` plays so many people in every round, each of them a device like
any other, and the server's noise on the mean is that of the declared cohort (`server.played`).

Two things differ from the real run. Devices' own noise is averaged over fewer of them: its squared
error is cohort / played times as large. Of a cohort of 10,000 of which 20 are played it is 500
times as large, while the server's noise is what 10,000 would have. What all reports of a round have
in common, such as its projection to few numbers (`ReportFacts.shared_error`), is averaged in
neither and stays as it is; `error` counts all three so. And exactly so many are played in every
round, whatever the participation, drawn anew each time unless they are all there are: each stands
for people who are not there, and who they are moves the mean more than a whole cohort would.
`error` is about their own mean.

**Nothing here is private**, for noise that is made for many hides none of a few. So there is no
grant, no ledger and no promise. What is handed over says that it is a simulation, and so does its
receipt, which holds nothing.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast, final

from jaxtyping import PyTree

from tacit.argument import counted, got, is_made, is_whole
from tacit.device.noise_sharing import NoiseSharing
from tacit.ledger import receipt
from tacit.plan import Plan, Sum
from tacit.population import hosts
from tacit.population.arrays import Arrays
from tacit.population.checkpoint import Checkpoint, refuse_no_checkpoint
from tacit.population.kind_of_run import SIMULATED
from tacit.population.learner import Learner
from tacit.population.run import Run
from tacit.population.side_by_side import side_by_side
from tacit.population.staged import Staged
from tacit.population.watch import of_simulation
from tacit.population.watching import Watching
from tacit.question.participation import Everyone, Fixed
from tacit.question.sums import Mean
from tacit.record import plain, versions
from tacit.server.means import plain_mean
from tacit.server.played import PlayedMean
from tacit.simulation.experiment import Experiment, refuse_no_experiments, whole_seed


def error_of(plan: Plan, played: int) -> float | None:
    """The mean squared error of an answer of `played` people; None where the plan's own depends on
    the data."""
    if plan.error is None:
        return None
    return plan.device.facts.answer_error(played, plan.server.facts, plan.sums.cohort)


@final
@dataclass(frozen=True, eq=False)
class Simulation:
    """What a simulated run hands over: not a private release.

    Args:
      plan: what was simulated, of the declared people.
      played: how many a round.
      state: the learner's, after the last round.
    """

    plan: Plan
    played: int
    state: PyTree

    @property
    def error(self) -> float | None:
        """The mean squared error of one answer; None where the plan's own depends on the data."""
        return error_of(self.plan, self.played)

    def __str__(self) -> str:
        sums = self.plan.sums
        return (
            f"simulation of {sums.people:,} people in cohorts of {sums.cohort:,.6g}, "
            f"{self.played:,} of them played a round: not a private release"
        )

    def receipt(self) -> dict[str, Any]:
        """What was simulated; it promises nothing, and no verification holds it to be private."""
        written = {"type": "Simulation", "of": plain(self.plan), "says": str(self)}
        return receipt.make((), {**written, "played": self.played}, versions(), private=False)


@final
@dataclass(frozen=True, eq=False)
class Simulated:
    """People who stand for many more.

    Args:
      people: those that can be played.
      played: how many of them in each round.

    Raises:
      ValueError: if it is no number of them.
    """

    people: Arrays
    played: int

    def __post_init__(self):
        if not isinstance(self.people, Arrays):
            raise ValueError(f"people to play must be Arrays, got {got(self.people)}")
        object.__setattr__(self, "played", counted(self.played))
        if not (is_whole(self.played) and 1 <= self.played <= self.people.people):
            raise ValueError(
                "played must be a whole number from 1 to that of the people there are to play, "
                f"got {got(self.played)}"
            )

    def run(
        self,
        plan: Plan,
        learner: Learner,
        *,
        seed: int | None = None,
        checkpoint: Checkpoint | None = None,
        at_once: int | None = None,
        watch: Watching | None = None,
    ) -> Simulation:
        """Plays every round of `plan`, with so many people of each cohort.

        Args:
          plan: of the declared people and cohorts.
          learner: who asks.
          seed: of all that is drawn; the operating system's entropy without one.
          checkpoint: where to remember progress; a run of the same seed goes on from there, and so
            it does where a watch ended the run. No grant does.
          at_once, watch: as for a grant; a bar of `progress_bar` says that it is of a simulation.

        Raises:
          ValueError: if there is no plan, or its question is not a mean, cohorts are smaller than
            what is played, the plan does not fit the learner, the seed is no whole number, or a
            checkpoint is none or without a seed.
          CheckpointError: if the checkpoint cannot be written, or is of another run.
        """
        _refuse_not_gone_on_with(checkpoint, seed)
        run = self._staged(Experiment(plan, learner, whole_seed(seed)), checkpoint, at_once)
        if checkpoint is not None:
            hosts.alone(lambda: checkpoint.refuse_unusable(run.name, *run.staged.rounds.start))
        state, _ = run.played(of_simulation(watch))
        return Simulation(plan, self.played, state)

    def side_by_side(
        self, experiments: Sequence[Experiment], told: Callable[[int], object] = lambda done: None
    ) -> list[Simulation]:
        """Every experiment's simulation, all played by one program: for repetitions and sweeps.

        Args:
          experiments: which differ in seeds and in the numbers of plans and learners alone.
          told: of the rounds done, now and then; what it raises ends all of them.

        Raises:
          ValueError: as `run` does, or if one is no `Experiment` or experiments differ in more.
        """
        states = side_by_side(self._runs(experiments), told)
        pairs = zip(experiments, states, strict=True)
        return [Simulation(experiment.plan, self.played, state) for experiment, state in pairs]

    def refuse_unplayable(self, plan: Plan) -> None:
        """Raises a ValueError unless this is a plan that asks for means, of cohorts that are no
        smaller than what is played."""
        _refuse_no_means(plan)
        if isinstance(plan.device, NoiseSharing):
            raise ValueError(
                "a few devices cannot add the noise of many: simulate the mean under Central, "
                "whose server adds it, got devices that share it"
            )
        if not self.played <= plan.sums.cohort:
            raise ValueError(
                f"played must be at most the declared cohort of {plan.sums.cohort:,.6g}, got "
                f"{self.played}"
            )

    def _runs(self, experiments: Sequence[Experiment]) -> list[Run]:
        """Of every experiment; those that differ from the first in numbers are not staged anew."""
        refuse_no_experiments(experiments)
        runs: list[Run] = []
        for each in experiments:
            asked = self._as_played(each.plan)
            like = runs[0].staged.renumbered(asked, each.learner) if runs else None
            staged = like or Staged.of(asked, each.learner, self.people.data, None)
            name = f"{SIMULATED}{len(runs)}"
            runs.append(Run(staged, name, each.root(), None))
        return runs

    def _staged(
        self, experiment: Experiment, checkpoint: Checkpoint | None, at_once: int | None
    ) -> Run:
        plan, learner, seed = experiment
        of = learner, self.people.data, at_once
        staged = hosts.together(lambda: Staged.of(self._as_played(plan), *of))
        hosts.refuse_unlike({"plan": json.dumps(plain(plan)), **staged.bound})
        root = hosts.decided(experiment.root)
        name = _name(staged, plan, seed)
        return Run(staged, name, root, checkpoint)

    def _as_played(self, plan: Plan) -> Plan:
        """The plan of those who are played: the declared server's noise, and no promise."""
        self.refuse_unplayable(plan)
        sums = plan.sums
        everyone = self.played == self.people.people
        who = Everyone() if everyone else Fixed(self.played)
        asked = Mean(sums.contribution, who, sums.rounds, self.people.people)
        mean = plain_mean(plan.device, asked)
        server = PlayedMean(plan.server, mean, cast(Sum, plan.collect).within)
        return replace(plan, question=asked, server=server, guarantees=(), error=None)


def _refuse_no_means(plan: Plan) -> None:
    if not is_made(plan, Plan):
        raise ValueError(f"a simulation is of a plan that a trust model makes, got {got(plan)}")
    if not plan.question.of_means:
        raise ValueError(
            f"a simulation is of a Mean, Running or Uneven, got {type(plan.question).__name__}"
        )


def _refuse_not_gone_on_with(checkpoint: Checkpoint | None, seed: int | None) -> None:
    refuse_no_checkpoint(checkpoint)
    if checkpoint is not None and seed is None:
        raise ValueError("a simulation that is gone on with needs a seed, got none")


def _name(staged: Staged, plan: Plan, seed: int | None) -> str:
    """A run and all that it depends on: a checkpoint of another one is refused by it."""
    bound = json.dumps([staged.bound, plain(plan), plain(staged.plan), seed], sort_keys=True)
    return f"{SIMULATED}{hashlib.sha256(bound.encode()).hexdigest()[:32]}"
