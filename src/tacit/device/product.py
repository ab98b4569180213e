"""A product's local report: each part's own, side by side, with a share of the budget each.

Where no shares are declared they are chosen by exact error: the sum over parts of the error that
reports are compared by (the worst, or that at a typical norm), in units of the part's squared
bound, is smallest among all splits into twentieths (or, for more than five parts, into four times
as many shares as parts).
"""

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import final

import equinox as eqx
import jax
from jaxtyping import Array, Bool, Num, PRNGKeyArray, PyTree

from tacit.accounting.calibration import BELOW_ONE
from tacit.accounting.relation import Relation
from tacit.contribution import Contribution, Product
from tacit.facts import ReportFacts
from tacit.noise.fixed import FixedPoint
from tacit.plan import Device

# Twentieths: the search makes a device for each of them, of each part.
SHARES = 20
# Of so many shares over some parts the least error, and each part's own.
Splits = dict[int, tuple[float, tuple[int, ...]]]


@final
class JointReports(eqx.Module):
    """One report of each part; a tuple, because a part's report may be words or numbers.

    Args:
      parts: the set of each part's report.
      noise_shares: of the budget of noise on their sums, one for each part.
    """

    parts: tuple[Contribution, ...]
    noise_shares: tuple[float, ...] = eqx.field(static=True)

    @property
    def shape(self) -> tuple[int, ...]:
        return (sum(math.prod(part.shape) for part in self.parts),)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (sum(math.prod(part.answer_shape) for part in self.parts),)

    @property
    def bound(self) -> float:
        return math.hypot(*(part.bound for part in self.parts))

    @property
    def unit(self) -> float:
        return 0.0

    def project(self, terms: tuple[Num[Array, "people *report"], ...]) -> tuple:
        return tuple(part.project(own) for part, own in zip(self.parts, terms, strict=True))

    def empty(self, grid: tuple[PyTree, ...]) -> tuple[PyTree[FixedPoint], ...]:
        return tuple(part.empty(own) for part, own in zip(self.parts, grid, strict=True))

    def add(self, total: tuple, terms: tuple, present: Bool[Array, " people"]) -> tuple:
        each = zip(self.parts, total, terms, strict=True)
        return tuple(part.add(own, reports, present) for part, own, reports in each)

    def sensitivity(self, relation: Relation) -> float:
        return math.hypot(*(part.sensitivity(relation) for part in self.parts))

    def l1_sensitivity(self, relation: Relation) -> float:
        return math.fsum(part.l1_sensitivity(relation) for part in self.parts)


@final
class JointDevice(eqx.Module):
    """Each part's device on its own slice; budgets and errors add up, blankets multiply."""

    contribution: Product
    devices: tuple[Device, ...]

    @property
    def facts(self) -> ReportFacts:
        parts = [device.facts for device in self.devices]
        sets = tuple(part.report_set for part in parts)
        return ReportFacts(
            epsilon=math.fsum(part.epsilon for part in parts),
            report_set=JointReports(sets, self.contribution.noise_shares),
            worst_error=math.fsum(part.worst_error for part in parts),
            typical_error=_typical(parts),
            report_bits=sum(part.report_bits for part in parts),
            # Rounded down, whatever its products are rounded to.
            blanket=math.prod(part.blanket for part in parts) * (1 - len(parts) * 2.0**-52),
            tv_distance=math.fsum(part.tv_distance for part in parts),
        )

    def sample(
        self, key: PRNGKeyArray, terms: Num[Array, "people numbers"]
    ) -> tuple[Num[Array, "people *report"], ...]:
        keys = jax.random.split(key, len(self.devices))
        slices = self.contribution.split(terms)
        return tuple(
            device.sample(k, part.project(own))
            for device, k, (part, own) in zip(self.devices, keys, slices, strict=True)
        )


def joint_device(
    product: Product, epsilon: float, device_for: Callable[[Contribution, float], Device]
) -> JointDevice:
    """The device of a product: with its declared shares, or those of the least relative error."""
    shares = shares_of(product, epsilon, device_for)
    devices = [
        device_for(part, epsilon * share * BELOW_ONE)
        for part, share in zip(product.parts, shares, strict=True)
    ]
    return JointDevice(product, tuple(devices))


def shares_of(
    product: Product, epsilon: float, device_for: Callable[[Contribution, float], Device]
) -> tuple[float, ...]:
    """Those that are declared, or those of the least relative error, which are searched for."""
    return product.shares or _best_shares(product.parts, epsilon, device_for)


def _typical(parts: Sequence[ReportFacts]) -> float | None:
    """The worst error of parts without a typical norm counts; None if no part has one."""
    if all(part.typical_error is None for part in parts):
        return None
    return math.fsum(part.compared_error for part in parts)


def _best_shares(
    parts: Sequence[Contribution], epsilon: float, device_for: Callable
) -> tuple[float, ...]:
    """Dynamic programming: the best split of every number of shares over the first parts."""
    shares = max(SHARES, 4 * len(parts))
    best: Splits = {0: (0.0, ())}
    for index, part in enumerate(parts):
        left = len(parts) - index - 1
        budgets = {own: epsilon * own / shares for own in range(1, shares - len(parts) + 2)}
        cost = _costs(part, budgets, device_for)
        best = _with_one_more(best, cost, range(index + 1, shares - left + 1))
    if shares not in best:
        raise ValueError(
            f"no split of a local epsilon of {epsilon} suits all parts of the product: declare its "
            "shares"
        )
    return tuple(own / shares for own in best[shares][1])


def _with_one_more(best: Splits, cost: Mapping[int, float], numbers: Iterable[int]) -> Splits:
    """The best splits of these numbers over one part more, of such costs; none where none suits."""
    found = {
        spent: [
            (best[spent - own][0] + cost[own], (*best[spent - own][1], own))
            for own in cost
            if spent - own in best
        ]
        for spent in numbers
    }
    return {spent: min(splits) for spent, splits in found.items() if splits}


def _costs(
    part: Contribution, budgets: Mapping[int, float], device_for: Callable
) -> dict[int, float]:
    """The error of a part's report at each budget that suits it, in units of its squared bound."""
    cost = {}
    for own, budget in budgets.items():
        # A share may be too little, or too much, for a part; another then has to do.
        with contextlib.suppress(ValueError):
            cost[own] = device_for(part, budget).facts.compared_error / part.bound**2
    return cost
