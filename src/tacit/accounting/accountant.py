"""What a release promises: the tightest certified epsilon, and an independent second opinion.

Every number here is an upper bound, because each route is one:

| event | first accountant | second accountant |
| --- | --- | --- |
| Gaussians | exact: z_i composed are one Gaussian of 1/z^2 = sum 1/z_i^2 | Renyi |
| Poisson-sampled Gaussians | privacy loss distribution | Renyi |
| Gaussians on a sample of fixed size | privacy loss distribution of C_q(G_mu) | Renyi |
| one kind of local report | exact randomised response | Renyi of randomised response |
| shuffled passes | privacy loss distribution of the clone pair | Renyi of the clone pair |
| any mixture | one composed privacy loss distribution | Renyi |

Where the first accountant cannot resolve the delta (below the rounding of a convolution), the
second one's bound is the promise. Where only local and shuffled events occur, the plain sum of
local epsilons bounds them all.
"""

import math
from collections import Counter
from dataclasses import dataclass

from dp_accounting import (
    DpEvent,
    GaussianDpEvent,
    PoissonSampledDpEvent,
    SampledWithoutReplacementDpEvent,
)

from tacit.accounting import local, pld, sampling, shuffling
from tacit.accounting.composition import parts, sampled_gaussian, total_multiplier
from tacit.accounting.events import LocalDpEvent, ShuffledDpEvent
from tacit.accounting.gaussian import gaussian_epsilon
from tacit.accounting.relation import Relation
from tacit.accounting.renyi import renyi_epsilon

_BELOW = 1e-3


@dataclass(frozen=True)
class Account:
    """A promise: `epsilon` is certified at `delta`, by the named accountant."""

    epsilon: float
    delta: float
    accountant: str


def epsilon(event: DpEvent, delta: float, relation: Relation) -> Account:
    """The tightest certified epsilon of `event` at `delta` under `relation`.

    **Guarantee.** The release is (epsilon, delta)-private for people who are neighbours under
    `relation`. Losses are rounded up, and cut-off mass counts as failure.

    **Error.** Exact for Gaussians and for one kind of local report; about 0.1% above the pair's own
    epsilon where a grid is used.

    | delta | events | result |
    | --- | --- | --- |
    | 0 | local and shuffled only | the plain sum of local epsilons |
    | 0 | any Gaussian among them | refused |

    Raises:
        ValueError: delta is not in [0, 1), is 0 with a Gaussian release, or the pair of event and
            relation is not proved.
    """
    events = _checked(event, delta, relation)
    if all(isinstance(part, GaussianDpEvent) for part in events):
        exact = gaussian_epsilon(total_multiplier(events), delta)
        return Account(exact, delta, "exact Gaussian")
    if delta == 0:
        return Account(local.plain_sum(events), delta, "plain sum")
    return min(_numerical(events, delta, relation), key=lambda account: account.epsilon)


def cross_check(event: DpEvent, delta: float, relation: Relation) -> Account:
    """A second certified epsilon, through Renyi divergences: looser, and independent.

    Raises:
        ValueError: as `epsilon`.
    """
    events = _checked(event, delta, relation)
    return Account(renyi_epsilon(events, delta, relation), delta, "Renyi")


def agree(first: Account, second: Account) -> bool:
    """Whether two accounts of one event can both be right.

    Both are upper bounds on one number, and the first is within its grid's error of it. So they
    agree when both are finite, speak of the same delta, and the second is not below the first by
    more than that error (0.1%); a second bound further below would prove the first one wrong or
    itself unsound.
    """
    finite = math.isfinite(first.epsilon) and math.isfinite(second.epsilon)
    return finite and first.delta == second.delta and second.epsilon >= first.epsilon * (1 - _BELOW)


def _checked(event: DpEvent, delta: float, relation: Relation) -> Counter:
    if not 0 <= delta < 1:
        raise ValueError(f"delta must be in [0, 1), got {delta}")
    events = parts(event, relation)
    if delta == 0 and not _is_pure(events):
        raise ValueError("delta must be positive for a release with Gaussian noise, got 0")
    return events


def _is_pure(events: Counter) -> bool:
    return all(isinstance(part, LocalDpEvent | ShuffledDpEvent) for part in events)


def _numerical(events: Counter, delta: float, relation: Relation) -> list[Account]:
    """Every bound worth having; the Renyi one only where the first cannot resolve delta."""
    accounts = [_composed(events, delta)]
    if _is_pure(events):
        accounts.append(Account(local.plain_sum(events), delta, "plain sum"))
    if not math.isfinite(accounts[0].epsilon):
        accounts.append(Account(renyi_epsilon(events, delta, relation), delta, "Renyi"))
    return accounts


def _composed(events: Counter, delta: float) -> Account:
    (only, count), *others = events.items()
    if isinstance(only, LocalDpEvent) and not others:
        exact = local.repeated_epsilon(only.epsilon, count, delta)
        return Account(exact, delta, "exact randomised response")
    total = pld.compose(_losses(events))
    bound = pld.epsilon_at(total, delta, sum(events.values()))
    return Account(bound, delta, "privacy loss distribution")


def _losses(events: Counter) -> list[tuple[pld.Directions, int]]:
    """Each kind of event's losses on one common grid; Gaussians first become one."""
    gaussians = Counter[DpEvent](
        {e: k for e, k in events.items() if isinstance(e, GaussianDpEvent)}
    )
    others = [(e, k) for e, k in events.items() if not isinstance(e, GaussianDpEvent)]
    interval = min(_interval(part) for part, _ in others)
    terms = [(_one(part, interval), count) for part, count in others]
    if gaussians:
        terms.append((sampling.poisson_losses(1.0, total_multiplier(gaussians), interval), 1))
    return terms


def _interval(part: DpEvent) -> float:
    """The grid one kind of event asks for: fine beside its own loss, and of bounded size."""
    match part:
        case PoissonSampledDpEvent() | SampledWithoutReplacementDpEvent():
            rate, multiplier = sampled_gaussian(part)
            fine = pld.interval_for(sampling.spread(rate, multiplier))
            return max(fine, sampling.finest_interval(rate, multiplier))
        case ShuffledDpEvent():
            return pld.interval_for(shuffling.spread(part))
    return 1e-4


def _one(part: DpEvent, interval: float) -> pld.Directions:
    match part:
        case PoissonSampledDpEvent():
            return sampling.poisson_losses(*sampled_gaussian(part), interval)
        case SampledWithoutReplacementDpEvent():
            return sampling.without_replacement_losses(*sampled_gaussian(part), interval)
        case ShuffledDpEvent():
            return shuffling.losses(part, interval)
        case LocalDpEvent():
            return local.losses(part, interval)
    raise ValueError(f"no privacy losses are known for {type(part).__name__}")
