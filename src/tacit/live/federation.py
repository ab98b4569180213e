"""People whose data stay on their own devices: a population that is asked over a network.

It is one population beside `Arrays` and `Table`, with the same door: `grant` refuses what can be
refused, charges the ledger for everybody who may be asked, and only then is anybody asked.

**What a network changes.** Whoever looks at it sees who takes part. So a plan whose promise counts
on that being hidden is refused; people take part by a plan that everybody may know. A device that
does not answer is left out of the sum, and the divisor stays as it was declared: the answer shrinks
and is told so, and noise stays as planned. The ledger is charged for who is asked.

| participation | asked in a round |
| --- | --- |
| `Everyone`, `Available` | all who are enrolled |
| `Once`, `AtMost`, `Cyclic` | the plan's cohort of them |
| `DropOuts(asked, rate, least)` | whom `asked` asks; of fewer than `least` reports none counts |
| `Poisson`, `Fixed` | refused: their promise is for an observer who cannot see who was drawn |
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

from tacit.accounting.guarantee import PERSON
from tacit.argument import got, refuse_no_name, refuse_not_positive
from tacit.ledger.ledger import LedgerOrPath
from tacit.live.beforehand import asked_beforehand
from tacit.live.function import Function, refuse_no_list
from tacit.live.gathering import Network
from tacit.live.link import Link
from tacit.live.order import LONGEST_NAME
from tacit.live.replies import Replies
from tacit.live.rounds import LiveRounds
from tacit.plan import Comparing, Plan, Sum
from tacit.population import hosts
from tacit.population.charging import granted
from tacit.population.checkpoint import Checkpoint
from tacit.population.cohorts import Cohorts
from tacit.population.grant import Grant
from tacit.population.learner import Learner, refuse_ungrantable
from tacit.population.staged import Staged
from tacit.question.dropouts import whom_asks
from tacit.question.participation import Available, Everyone, Fixed, Poisson

_log = logging.getLogger("tacit.live")
# That a round waits for answers, where nobody says how long: all of it where one device is silent;
# who needs longer is not counted. A choice, not measured.
_SECONDS = 60.0
# What a grant's data are here, after "was opened with other".
_KNOWN = "devices, or these in another order"


def _warn_of_nobody(heard: Replies) -> None:
    if not (heard.reported and heard.counted):
        _log.warning("%s: what is released of it is noise", heard)


@final
@dataclass(frozen=True, eq=False)
class Federation:
    """The people whose devices a link reaches, known to their ledger by `name`.

    Args:
      link: carries the messages; it says who is enrolled.
      name: whose budget this is.
      functions: what devices have on their lists; a learner has to be one of these.
      seconds: how long a round waits for answers.
      heard: is told what came back in each round, `print` for one. Where nobody is told, a round
        in which no report counts is warned of, in the log `tacit.live`.
      unit: what a device is, where it is no person: a household, a clinic.

    Raises:
      ValueError: if nobody is enrolled, or two under one name; a name is none, the functions are no
        list of some, the seconds are not positive, or nobody can be told.
    """

    link: Link = field(repr=False)
    name: str
    functions: Sequence[Function]
    seconds: float = _SECONDS
    heard: Callable[[Replies], Any] = field(default=_warn_of_nobody, repr=False)
    unit: str = PERSON

    def __post_init__(self):
        refuse_no_name("name", self.name)
        if not (self.name.isprintable() and len(self.name) <= LONGEST_NAME):
            raise ValueError(f"a federation's name is of {LONGEST_NAME} printable letters at most")
        refuse_no_name("unit", self.unit)
        refuse_not_positive("seconds", self.seconds)
        refuse_no_list(self.functions)
        if not isinstance(self.link, Link):
            raise ValueError(
                f"a federation needs a link that reaches its devices, got {got(self.link)}"
            )
        _refuse_names(self.link.devices)
        if not callable(self.heard):
            raise ValueError(f"heard is told of each round, as print is, got {got(self.heard)}")

    @property
    def people(self) -> int:
        """How many are enrolled: public, as whoever looks at the network can see them."""
        return len(self.link.devices)

    def grant(
        self,
        plan: Plan,
        learner: Learner,
        ledger: LedgerOrPath,
        *,
        part: str | None = None,
        grant_id: str | None = None,
        checkpoint: Checkpoint | None = None,
        seed: int | None = None,
        note: str = "",
    ) -> Grant:
        """Charges the ledger for everything `plan` will release, all or nothing.

        Arguments are those of `Arrays.grant`; a seed makes the server's noise alone, and devices
        draw their own, but two runs of one seed are one to them: they send what they sent. A run
        that was cut off is gone on with from its checkpoint alone, after the last round that was
        kept: others may answer the second time (`rounds`). Without a checkpoint it is not, and what
        is charged stays so.

        Raises:
          ValueError: if the plan does not fit these devices, or no function is the learner's.
          CheckpointError, OverBudget, Finished, LedgerError: as `Arrays.grant`.
          Nothing is charged, and nobody asked, in any of these cases.
        """

        def prepared() -> Staged:
            rounds = self._rounds(plan, learner)
            names = np.frombuffer("\n".join(self.link.devices).encode(), np.uint8)
            cohorts = Cohorts(_asking(plan), self.people, 1, False)
            return Staged(plan, rounds, cohorts, names, called=_KNOWN)

        named = {"grant_id": grant_id, "part": part, "seed": seed, "note": note}
        return granted(self.name, prepared, ledger, checkpoint=checkpoint, **named)

    def dry_run(self, plan: Plan, learner: Learner) -> Replies:
        """Whether devices would report, asked of all who are enrolled: nothing is charged anywhere.

        Each says that it would, as often as the plan may ask it and as its cap is now, or why not.

        Raises:
          ValueError: as `grant`.
        """
        rounds = self._rounds(plan, learner)
        return asked_beforehand(self._network, rounds.gathering, rounds.first)

    @property
    def _network(self) -> Network:
        return Network(self.link, self.name, self.seconds, self.heard)

    def _rounds(self, plan: Plan, learner: Learner) -> LiveRounds:
        refuse_ungrantable(plan, learner)
        _refuse_others(plan)
        _refuse_other_people(plan, self)
        listed = self._listed(learner)
        _refuse_other_terms(plan, listed)
        return LiveRounds.of(self._network, self.link.devices, plan, learner, listed)

    def _listed(self, learner: Learner) -> Function:
        found = [each for each in self.functions if each.does(learner)]
        if not found:
            names = ", ".join(map(str, self.functions))
            raise ValueError(
                "devices run functions from their own lists, and this learner asks for none of "
                f"those that were given: {names}"
            )
        return found[0]


def _refuse_names(devices: tuple[str, ...]) -> None:
    if not devices:
        raise ValueError("a federation needs at least one device that is enrolled")
    if len(set(devices)) != len(devices):
        raise ValueError("every device of a federation has a name of its own")


def _refuse_other_terms(plan: Plan, function: Function) -> None:
    shape = plan.sums.contribution
    if shape.shape != function.term:
        raise ValueError(
            f"{function} asks people for terms of shape {function.term}, and the plan is for "
            f"{type(shape).__name__} terms of shape {shape.shape}"
        )


def _asking(plan: Plan) -> Plan:
    """The plan with the participation of those who are asked: who answers is not drawn here."""
    asked = whom_asks(plan.sums.participation)
    whom = Everyone() if isinstance(asked, Available) else asked
    return replace(plan, question=replace(plan.sums, participation=whom))


def _refuse_others(plan: Plan) -> None:
    if hosts.several():
        raise ValueError("devices are asked by one process alone, and several play this run")
    if isinstance(whom_asks(plan.sums.participation), Poisson | Fixed):
        raise ValueError(
            "who takes part can be seen on a network, and what Poisson and Fixed promise counts on "
            "that being hidden: ask Everyone, Once, AtMost, Cyclic, Available or DropOuts of these"
        )
    if not isinstance(plan.collect, Sum) or isinstance(plan.server, Comparing):
        raise ValueError("devices on a network report to a Mean or a Running mean")


def _refuse_other_people(plan: Plan, federation: Federation) -> None:
    if {each.unit for each in plan.guarantees} - {federation.unit}:
        raise ValueError(
            f"a device of {federation.name!r} is one {federation.unit}: ask with "
            f"plan.per({federation.unit!r})"
        )
    if plan.sums.people != federation.people:
        raise ValueError(
            f"the number of devices is public on a network: this plan is for {plan.sums.people} "
            f"people, and {federation.people} devices are enrolled"
        )
