"""Which local randomiser runs on a device, for each shape of contribution.

One table, `devices`: every proved way to report a shape with one budget. Each is epsilon-locally
private as it stands, and states its exact worst error, the exact set its reports lie in (which is
what a server may scale noise to) and its blanket (which is what shuffling may build on). The local
model takes the way of the least error, `device_for`; the shuffled model asks each how far it can
go. Least is in the worst case, or for vectors of a declared typical norm at that norm; every way
holds its budget for all members of the shape either way.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast, final

from tacit.argument import got, is_number, keep_pythons
from tacit.contribution import (
    Ball,
    Contribution,
    Counts,
    Cube,
    Grid,
    Interval,
    L1Ball,
    OneHot,
    Outer,
    Product,
    Sphere,
)
from tacit.device.categories import OnCategory, OnCounts
from tacit.device.product import joint_device
from tacit.device.squares import OnSquares
from tacit.device.upload import Within, indices, within
from tacit.device.vectors import OnBall, OnCube, OnL1Ball, OnNumber, OnSphere
from tacit.mechanisms.frequency.lowest_error import oracles
from tacit.mechanisms.frequency.randomised_response import MOST_CATEGORIES, FrequencyOracle
from tacit.mechanisms.local.folded import Folded
from tacit.mechanisms.local.piecewise import Hybrid
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.privunit_infinity import LARGEST_EPSILON, PrivUnitInfinity
from tacit.mechanisms.local.sampled_vertex import VertexResponse, VertexSigns
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.separated import Separated
from tacit.mechanisms.local.shells import Shells
from tacit.plan import Device

Maker = Callable[[float], Device]


@final
@dataclass(frozen=True)
class Split:
    """The local budget of one report of a vector: so much for direction, so much for magnitude."""

    direction: float
    magnitude: float

    def __post_init__(self):
        keep_pythons(self, "direction", "magnitude")
        both = self.direction, self.magnitude
        if not all(is_number(part) and 0 < part < math.inf for part in both):
            raise ValueError(
                "both parts of a local budget must be positive and finite, got "
                f"direction {got(self.direction)} and magnitude {got(self.magnitude)}"
            )

    @property
    def epsilon(self) -> float:
        return self.direction + self.magnitude


def devices(contribution: Contribution, upload: int | None = None) -> list[Maker]:
    """Every way to report this shape, each as a function of one report's budget.

    Args:
      upload: how many bytes a report may have; None for any number.

    Raises:
      ValueError: for a shape that has no local randomiser, or a limit that no report keeps.
    """
    if upload is None:
        return _whole(contribution)
    ways = within(contribution, upload)
    rounded = [_around(way, make) for way in ways for make in _whole(way.shape)]
    return [*rounded, *indices(cast(Ball | Sphere, contribution), upload)]


def _around(way: Within, make: Maker) -> Maker:
    return lambda budget: way.around(make(budget))


def _whole(contribution: Contribution) -> list[Maker]:
    match contribution:
        case Interval(lower=lower, upper=upper):
            return _on_number(lower, upper)
        case Grid(least=least, most=most, step=step):
            return _on_number(step * least, step * most)
        case OneHot(categories=k):
            return [_on_category(oracle, k) for oracle in oracles(k)]
        case Counts(categories=k):
            return [_on_counts(oracle, contribution) for oracle in oracles(k + 1)]
        case Sphere(dim=dim):
            return [lambda budget: OnSphere(PrivUnit2.optimal(dim, budget))]
        case Ball():
            return _on_ball(contribution)
        case L1Ball(dim=dim, radius=radius):
            return _on_l1_ball(dim, radius)
        case Cube(dim=dim, side=side):
            centre, radius = (side.lower + side.upper) / 2, (side.upper - side.lower) / 2
            return [lambda budget: OnCube(centre, _signs(dim, budget, radius))]
        case Outer(dim=dim, radius=radius):
            return _on_squares(Ball(dim * (dim + 1) // 2, radius**2))
        case Product(parts=parts):
            _refuse_squares(parts)
            return [lambda budget: joint_device(contribution, budget, device_for)]
    raise ValueError(
        "a local report is one of an Interval, Grid, OneHot, Counts, Sphere, Ball, Cube, L1Ball, "
        f"Outer or a Product of them, got {type(contribution).__name__}"
    )


def device_for(contribution: Contribution, budget: float | Split) -> Device:
    """The device part for one report of `contribution` under a local `budget`.

    With a plain number, the way of the least error is taken: at the typical norm of a Ball that has
    one, and in the worst case otherwise.

    Raises:
      ValueError: for a shape that has no local randomiser, or a split of anything but a Ball.
    """
    return min(devices_for(contribution, budget), key=lambda device: device.facts.compared_error)


def devices_for(
    contribution: Contribution, budget: float | Split, upload: int | None = None
) -> list[Device]:
    """Every device for one report of `contribution` under a local `budget`.

    Args:
      upload: how many bytes a report may have; None for any number.

    Raises:
      ValueError: for a shape that has no local randomiser, a split of anything but a Ball, or a
        limit that no report keeps.
    """
    if not isinstance(budget, Split):
        return [make(budget) for make in devices(contribution, upload)]
    if not isinstance(contribution, Ball):
        raise ValueError(
            "a Split of the budget is for the direction and magnitude of a Ball, got "
            f"{type(contribution).__name__}"
        )
    if upload is None:
        return [_separately(contribution, budget)]
    ways = within(contribution, upload)
    return [way.around(_separately(cast(Ball, way.shape), budget)) for way in ways]


def _separately(ball: Ball, budget: Split) -> Device:
    unit = PrivUnit2.optimal(ball.dim, budget.direction)
    if ball.typical is None:
        # A report's squared norm weighs on its error: fewer levels than for a number alone.
        scalar = ScalarDP.best(budget.magnitude, ball.radius, 1 - unit.scale**-2)
    else:
        scalar = ScalarDP.best_at(budget.magnitude, ball.radius, ball.typical)
    return OnBall(ball.dim, Separated(unit, scalar), ball.typical)


def _on_ball(ball: Ball) -> list[Maker]:
    dim, radius, typical = ball.dim, ball.radius, ball.typical
    ways: list[Maker] = [
        lambda budget: OnBall(dim, Folded.best(dim, budget, radius), typical),
        lambda budget: OnBall(dim, Separated.split(dim, budget, radius), typical),
    ]
    # At the radius itself a sign is a sphere already.
    if typical is None or typical == radius:
        return ways
    return [*ways, lambda budget: OnBall(dim, Shells.best(dim, budget, radius, typical), typical)]


def _on_squares(ball: Ball) -> list[Maker]:
    return [lambda budget, make=make: OnSquares(ball, make(budget)) for make in _on_ball(ball)]


def _refuse_squares(parts: tuple[Contribution, ...]) -> None:
    if any(isinstance(part, Outer) for part in parts):
        raise ValueError(
            "a local report of an Outer is one by itself, got a Product with one: put a constant "
            "into its vector, whose squares and products are counts and sums"
        )


def _on_number(lower: float, upper: float) -> list[Maker]:
    return [
        lambda budget: OnNumber(lower, ScalarDP.best(budget, upper - lower)),
        lambda budget: OnNumber(lower, Hybrid.best(budget, upper - lower)),
    ]


def _signs(dim: int, budget: float, radius: float) -> PrivUnitInfinity:
    """Of a cube; a report has no use for more than the largest epsilon that it may have."""
    return PrivUnitInfinity.best(dim, min(budget, LARGEST_EPSILON), radius)


def _on_l1_ball(dim: int, radius: float) -> list[Maker]:
    signs: list[Maker] = [lambda budget: OnL1Ball(dim, VertexSigns.of(dim, budget, radius))]
    if 2 * dim > MOST_CATEGORIES:
        return signs
    return [*signs, lambda budget: OnL1Ball(dim, VertexResponse.of(dim, budget, radius))]


def _on_category(oracle: Callable[[float, int], FrequencyOracle], categories: int) -> Maker:
    return lambda budget: OnCategory(oracle(budget, categories))


def _on_counts(oracle: Callable[[float, int], FrequencyOracle], contribution: Counts) -> Maker:
    # One more category than there are, for a slot without a record.
    return lambda budget: OnCounts(contribution, oracle(budget, contribution.categories + 1))
