"""What a fit would promise, and how wrong it would be: a page, before anybody is asked.

An estimator's `plan` and its `fit` get what is asked from one function of public numbers, which has
no data to look at. So what is printed is what is charged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from tacit.argument import got, is_whole
from tacit.plan import Plan
from tacit.statistics.between import dim_of
from tacit.trust.people import Trust, people_of


@final
@dataclass(frozen=True)
class FitPlan:
    """What a fit would promise, and how wrong it would be. Nothing is read or spent.

    Args:
      plan: the promises and the noise: `fit` charges for this plan, and keeps it as `plan_`.
      population: the name of the accounts that are charged; None without a ledger.
      way: how it is learnt, of all ways there are, and why so, in words.
      foreseen: what `fit` keeps as `foreseen_loss_`, `foreseen_rmse_`, `foreseen_shortfall_`,
        `noise_` or `settings_.lost`; None where nothing is.
      foreseen_in_words: the same in words and in the data's units.
      unknown: what no public number tells, in words.
    """

    plan: Plan
    population: str | None
    way: str
    foreseen: float | None
    foreseen_in_words: str
    unknown: str

    def __str__(self) -> str:
        own = {"error": self.foreseen_in_words, "unknown": f"before the data: {self.unknown}"}
        return self.plan.page.instead(**own, way=self.way, charged=self._charged)

    @property
    def _charged(self) -> str:
        if not self.plan.private:
            return "nothing, as nothing is promised"
        if self.population is None:
            return "to nobody, without ledger=: what several fits promise together is yours to add"
        return f"once, by a fit: all that is promised below, to the accounts of {self.population!r}"


class PublicNumbers(NamedTuple):
    """Of a linear model or a network, what its plan is made of beside its settings.

    Args:
      trust: the promise.
      features: how many numbers a row has, a constant apart.
      people: how many there are.
    """

    trust: Trust
    features: int
    people: int


def told(features: Any, people: Any, declared: int | None, trust: Trust) -> tuple[int, int]:
    """Of how many features a plan is, and of how many people.

    Args:
      features: as given to `plan`.
      people: likewise; None for those that were declared.
      declared: by the estimator.
      trust: the promise.

    Raises:
      ValueError: if one is no positive whole number (features: or their names), nobody says how
        many people there are, or what is given is not what was declared.
    """
    if people is None and declared is None:
        raise ValueError(
            "how many people there are must be declared before there are rows to count, e.g. "
            "plan(features=4, people=10_000)"
        )
    if not (people is None or declared is None or (is_whole(people) and people == declared)):
        raise ValueError(
            f"people was declared as {got(declared)}, got {got(people)}: leave it out, or change "
            "it by set_params"
        )
    own = declared if people is None else people
    return dim_of(columns_told(features)[0], "features"), people_of(own, trust, 0)


def columns_told(features: Any) -> tuple[Any, Sequence[str] | None]:
    """How many columns there are, and their names if these were told.

    Raises:
      ValueError: if it is neither a number nor different names.
    """
    if is_whole(features):
        return features, None
    # pandas' columns are no sequence of Python's, and an array is none.
    columns = features.tolist() if hasattr(features, "tolist") else features
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise ValueError(
            f"features must be how many columns there are, or their names, got {got(features)}"
        )
    names = list(columns)
    if not (all(isinstance(each, str) for each in names) and len(set(names)) == len(names) > 0):
        raise ValueError(f"features must be a number, or different names, got {got(features)}")
    return len(names), names
