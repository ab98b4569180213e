"""What a release promises: one question, asked four ways, and an independent second opinion.

`epsilon`, `delta`, `profile` and `tradeoff` ask the same thing of an event: how much more likely
can an output be for one of two neighbours than for the other? Each answer is a certified bound, and
says which accountant gave it (`routes`) and by how much that can have overstated it. Which
neighbours are meant is the `relation`; a pair of event and relation without a proof is refused.

Where only pure events occur, the plain sum of their epsilons bounds them all, and is the promise at
delta = 0; where (epsilon, delta) events do, it does so above the sum of their deltas. The second
opinion is Renyi throughout.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.accounting.composition import Parts, parts
from tacit.accounting.loss.convolution import Bound
from tacit.accounting.loss.renyi import plain_sum, renyi_epsilon
from tacit.accounting.relation import Relation
from tacit.accounting.routes import Accountant, RenyiDivergences, accountants_of
from tacit.argument import got, is_number
from tacit.borrowed import DpEvent

# What a second bound may be below the first: ten times what the grid is found to add (`agree`).
_BELOW = 1e-3
# The least delta that a grid is made for: what it cuts off is 1e-7 of it, and still a float.
_SMALLEST = 1e-290
# Of a profile, where nobody says which: a decade each.
_DELTAS = tuple(10.0**-k for k in range(1, 13))
# Epsilons of a trade-off; each is a bound, and the best of all lies within a 4,000th of one.
_GRAINS = 4000
# A quarter of the most; an epsilon moves by about 0.01%.
FEW_CELLS = 2**17
# How many findings are kept: a search is of about ten, a plan of one to a hundred searches.
_KEPT = 4096
# Parts, as a key: what is found of them is found once.
Items = tuple[tuple[DpEvent, int], ...]


@dataclass(frozen=True)
class Certified:
    """What an accountant found of an event: it is (epsilon, delta)-private, certified.

    Args:
      slack: how far at most grid and transform have lifted the number above what the pairs'
        losses cost; the whole number where that is not known. Where those losses are a bound
        themselves (shuffling, samples of others than Gaussians), their own excess is not in it.
    """

    epsilon: float
    delta: float
    accountant: str
    slack: float = 0.0


@dataclass(frozen=True)
class Tradeoff:
    """Whoever raises a false alarm this often misses one person at least that often."""

    false_positive: float
    false_negative: float
    accountant: str


def epsilon(event: DpEvent, delta: float, relation: Relation) -> Certified:
    """The tightest certified epsilon of `event` at `delta` under `relation`.

    **Guarantee.** The release is (epsilon, delta)-private for people who are neighbours under
    `relation`. Losses are rounded up, and cut-off mass counts as failure.

    **Error.** Exact for Gaussians and for one kind of pure release; otherwise `slack` bounds what
    the grid adds; measured against finer ones it is about 0.01%.

    | delta | events | result |
    | --- | --- | --- |
    | 0 | pure ones only | the plain sum of their epsilons; of one kind, as floats multiply |
    | 0 | any other among them | refused |
    | not above the chance that one of (epsilon, delta) events fails | any | infinite |

    Raises:
      ValueError: delta is not in [0, 1), is 0 with an impure release, or the pair of event and
        relation is not proved.
    """
    return profile(event, relation, [delta])[0]


def rough_epsilon(event: DpEvent, delta: float, relation: Relation) -> float:
    """As `epsilon`, found sooner: for searches.

    **Guarantee.** As for `epsilon`.

    **Error.** A grid has at most `FEW_CELLS`, and there is no second opinion where it resolves
    nothing; with fewer, and where it does, this is what `epsilon` finds.
    """
    _refuse_no_delta(delta)
    return _rough(tuple(parts(event, relation).items()), delta)


def delta(event: DpEvent, epsilon: float, relation: Relation) -> Certified:
    """The smallest certified delta of `event` at `epsilon` under `relation`.

    **Guarantee.** As for `epsilon`; at most 1, where nothing is promised.

    Raises:
      ValueError: epsilon is not in [0, inf), or the pair of event and relation is not proved.
    """
    if not (is_number(epsilon) and 0 <= epsilon < math.inf):
        raise ValueError(f"epsilon must be at least 0 and finite, got {got(epsilon)}")
    found = parts(event, relation)
    if plain_sum(found, 0) <= epsilon:
        return Certified(epsilon, 0.0, "plain sum")
    coarse = min(each.delta(epsilon).value for each in accountants_of(found, 1e-12))
    finer = accountants_of(found, max(coarse, _SMALLEST))
    bounds = [(each.delta(epsilon), each.name) for each in finer]
    bound, name = min(bounds, key=_value)
    return Certified(epsilon, bound.value, name, bound.slack)


def profile(
    event: DpEvent,
    relation: Relation,
    deltas: Sequence[float] = _DELTAS,
) -> tuple[Certified, ...]:
    """The privacy profile: the certified epsilon at each of `deltas`, as `epsilon` gives it.

    Raises:
      ValueError: as `epsilon`; or `deltas` are not several.
    """
    if np.ndim(deltas) == 0:
        raise ValueError(f"deltas must be several numbers, e.g. [1e-6], got {got(deltas)}")
    for each in deltas:
        _refuse_no_delta(each)
    found = parts(event, relation)
    if not (all(deltas) or math.isfinite(plain_sum(found, 0))):
        raise ValueError("delta must be positive for a release that is not pure, got 0")
    return _profile(tuple(found.items()), tuple(deltas))


def tradeoff(event: DpEvent, false_positive: float, relation: Relation) -> Tradeoff:
    """How often a test of one person's data must miss, at a given rate of false alarms (f-DP).

    **Guarantee.** A lower bound on the false negatives of every test that tells two neighbours
    apart: the largest of 1 - delta(e) - e^e a and e^-e (1 - delta(e) - a) over epsilons e >= 0,
    with a the false positives.

    Raises:
      ValueError: false_positive is not in [0, 1], or the pair is not proved.

    References:
        Wasserman and Zhou (2010); Dong, Roth, Su (2022), Proposition 2.5.
    """
    if not (is_number(false_positive) and 0 <= false_positive <= 1):
        raise ValueError(f"false_positive must be in [0, 1], got {got(false_positive)}")
    found = parts(event, relation)
    accountant = accountants_of(found, 1e-9)[0]
    farthest = min(plain_sum(found, 0), accountant.epsilon(1e-6).value, 500.0)
    epsilons = np.linspace(0.0, farthest, _GRAINS)
    deltas = accountant.deltas(epsilons)
    steep = 1 - deltas - np.exp(epsilons) * false_positive
    flat = np.exp(-epsilons) * (1 - deltas - false_positive)
    missed = max(0.0, float(np.maximum(steep, flat).max()))
    return Tradeoff(false_positive, missed, accountant.name)


def cross_check(event: DpEvent, delta: float, relation: Relation) -> Certified:
    """A second certified epsilon, through Renyi divergences: looser, and independent.

    Raises:
      ValueError: as `epsilon`.
    """
    _refuse_no_delta(delta)
    return Certified(renyi_epsilon(parts(event, relation), delta), delta, "Renyi")


def agree(first: Certified, second: Certified) -> bool:
    """Whether two findings about one event can both be right.

    Both are upper bounds on one number, and the first is within its grid's error of it. So they
    agree when both are finite, speak of the same delta, and the second is not below the first by
    more than that error (0.1%); a second bound further below would prove the first one wrong or
    itself unsound.
    """
    finite = math.isfinite(first.epsilon) and math.isfinite(second.epsilon)
    return finite and first.delta == second.delta and second.epsilon >= first.epsilon * (1 - _BELOW)


# Plans that differ in what is asked, not in what it costs, search among the same events; and one
# plan is made to be looked at, and made again to be run.
@functools.lru_cache(maxsize=_KEPT)
def _rough(items: Items, delta: float) -> float:
    found = Parts(dict(items))
    plain = plain_sum(found, delta)
    if delta == 0:
        return plain
    accountants = accountants_of(found, delta, FEW_CELLS)
    return min(plain, *(each.epsilon(delta).value for each in accountants))


@functools.lru_cache(maxsize=_KEPT)
def _profile(items: Items, deltas: tuple[float, ...]) -> tuple[Certified, ...]:
    found = Parts(dict(items))
    positive = [each for each in deltas if each > 0]
    accountants = accountants_of(found, min(positive, default=0.5))
    return tuple(_certified(found, accountants, each) for each in deltas)


def _refuse_no_delta(delta: float) -> None:
    if not (is_number(delta) and 0 <= delta < 1):
        raise ValueError(f"delta must be in [0, 1), got {got(delta)}")


def _certified(found: Parts, accountants: list[Accountant], delta: float) -> Certified:
    """The smallest epsilon that the accountants and the plain sum certify.

    Where the first accountant resolved nothing, its slack is its answer, and Renyi is asked too.
    """
    plain = plain_sum(found, delta)
    if delta == 0:
        return Certified(plain, delta, "plain sum")
    bounds = [(each.epsilon(delta), each.name) for each in accountants]
    bound, name = min(bounds, key=_value)
    if bound.slack >= bound.value > 0:
        second = RenyiDivergences(found)
        bound, name = min((bound, name), (second.epsilon(delta), second.name), key=_value)
    if plain <= bound.value:
        return Certified(plain, delta, "plain sum", plain)
    return Certified(bound.value, delta, name, bound.slack)


def _value(answer: tuple[Bound, str]) -> float:
    return answer[0].value
