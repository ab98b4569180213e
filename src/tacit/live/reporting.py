"""How a device reports, as public values: never the randomiser itself.

Whoever is sent the numbers of a randomiser has to believe the epsilon that stands beside them. So
they are not sent. What travels is what they follow from: the shape of a term, the budget of one
report, the bytes it may have, and which of the proved ways to report it is taken, by its number. A
device makes the randomiser itself, by its own library, and reads the epsilon off what it made.

A device searches for no shares of a product: that would take it minutes where a server chooses the
parts. The server sends those that it has found. Nor does it compile a product of many parts.

Ways are numbered as `device.choose.devices_for` lists them. Both sides compare a digest of what
they made, so two versions that list or round differently are told apart before anything is spent.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self, cast, final

from tacit.accounting.calibration import even_share
from tacit.argument import is_number
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
from tacit.device.choose import Split, device_for, devices, devices_for
from tacit.device.product import JointDevice, shares_of
from tacit.live.charge import Cost
from tacit.live.message import MessageError
from tacit.plan import Device, Plan
from tacit.record import plain

_SHAPES: dict[str, Any] = {
    shape.__name__: shape for shape in (Ball, Counts, Grid, Interval, L1Ball, OneHot, Outer, Sphere)
}
# Each part of a product, whatever its shape, is a randomiser of its own in the device's program:
# what it costs to compile grows with their number. Of a product of products nobody has a use here.
MOST_PARTS = 8
_FEW = f"a product that devices report is of at most {MOST_PARTS} parts that are none themselves"


@final
@dataclass(frozen=True)
class Reporting:
    """One of the proved ways to report a shape.

    Args:
      shape: of a person's term.
      budget: the local epsilon of one report, or a split of it.
      upload: how many bytes a report may have; None for any number.
      way: the number of the way.
    """

    shape: Contribution
    budget: float | Split
    upload: int | None
    way: int

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """How the devices of a plan report.

        Raises:
          ValueError: if they do not randomise by themselves, in a way that is listed; or it is of
            a product that no device reports.
        """
        budget, upload = _budget(plan), plan.trust.get("upload")
        shape, device = _declared(plan, budget)
        ways = [plain(way) for way in devices_for(shape, budget, upload)]
        if plain(device) not in ways:
            raise ValueError(
                "devices on a network report in one of the listed ways, and a plan with tables of "
                "its own is for people in memory: ask a Mean"
            )
        return cls(shape, budget, upload, ways.index(plain(device)))

    @classmethod
    def read(cls, said: Any) -> Self:
        """What `text` says.

        Raises:
          MessageError: if it is none of it, or has a number that a shape or budget cannot have.
        """
        match said:
            case {"shape": shape, "budget": budget, "upload": upload, "way": way, **others}:
                whole = type(way) is int and (upload is None or type(upload) is int)
                if whole and way >= 0 and not others:
                    own = _with_shares(read_shape(shape))
                    return cls(own, _read_budget(budget), upload, way)
        raise MessageError("a way to report has a shape, a budget, an upload and a number")

    @property
    def epsilon(self) -> float:
        """What a report is asked to spend; what it spends, the randomiser says."""
        return self.budget.epsilon if isinstance(self.budget, Split) else self.budget

    @property
    def text(self) -> dict[str, Any]:
        """As a message has it."""
        budget = plain(self.budget)
        return {
            "shape": plain(self.shape),
            "budget": budget,
            "upload": self.upload,
            "way": self.way,
        }

    def device(self) -> Device:
        """The randomiser, made by this side's own library.

        Raises:
          MessageError: if there is no such way.
        """
        try:
            return _device(self)
        except (ValueError, IndexError, OverflowError) as error:
            raise MessageError(f"no device reports like this: {error}") from None

    def cost(self, device: Device) -> Cost:
        """What one report of this device spends."""
        facts = device.facts
        return Cost(facts.epsilon, facts.tv_distance)


def digest(device: Device) -> str:
    """Of all numbers of a randomiser."""
    return hashlib.sha256(json.dumps(plain(device), sort_keys=True).encode()).hexdigest()


def read_shape(said: Any) -> Contribution:
    """The shape whose plain form this is.

    Raises:
      MessageError: if it is that of no shape that a device reports.
    """
    match said:
        case {"type": "Cube", "dim": dim, "side": side, **others} if not others:
            return _made(Cube, {"dim": dim, **_side(side)})
        case {"type": "Product", "parts": list(parts), "shares": shares, **others} if not others:
            return _product(parts, shares)
        case {"type": str(name), **fields} if name in _SHAPES:
            return _made(_SHAPES[name], cast(Mapping[str, Any], fields))
    every = ", ".join([*_SHAPES, "Cube", "Product"])
    raise MessageError(f"a shape is one of {every}, with the entries of that and no other")


def refuse_many_parts(shape: Contribution) -> None:
    """Raises a MessageError of a product whose program would keep devices busy for long."""
    if isinstance(shape, Product):
        flat = not any(isinstance(part, Product) for part in shape.parts)
        if not (flat and len(shape.parts) <= MOST_PARTS):
            raise MessageError(_FEW)


def _declared(plan: Plan, budget: float | Split) -> tuple[Contribution, Device]:
    """What a plan's devices report about, and how; a product's shares are said."""
    shape, device = plan.sums.contribution, plan.device
    refuse_many_parts(shape)
    if isinstance(shape, Product) and isinstance(device, JointDevice):
        shares = shares_of(shape, cast(float, budget), device_for)
        shape = Product(*shape.parts, shares=shares)
        device = JointDevice(shape, device.devices)
    return shape, device


def _with_shares(shape: Contribution) -> Contribution:
    """The same; raises a MessageError if a device would search for long how it is reported."""
    if isinstance(shape, Product) and shape.shares is None:
        raise MessageError("a product that devices report has its shares")
    return shape


# A run asks for one in every round, and finding it takes longer than a report.
@lru_cache(maxsize=16)
def _device(ways: Reporting) -> Device:
    if isinstance(ways.budget, Split):
        return devices_for(ways.shape, ways.budget, ways.upload)[ways.way]
    return devices(ways.shape, ways.upload)[ways.way](ways.budget)


def _side(said: Any) -> Mapping[str, Any]:
    match said:
        case {"type": "Interval", "lower": lower, "upper": upper, **others} if not others:
            return {"lower": lower, "upper": upper}
    raise MessageError("the side of a Cube is an Interval, with its entries and no other")


def _product(parts: list[Any], shares: Any) -> Contribution:
    flat = all(isinstance(part, dict) and part.get("type") != "Product" for part in parts)
    if not (flat and len(parts) <= MOST_PARTS):
        raise MessageError(_FEW)
    each = tuple(shares) if isinstance(shares, list) else shares
    try:
        return Product(*map(read_shape, parts), shares=each)
    except (TypeError, ValueError) as error:
        raise MessageError(f"there is no such product: {error}") from None


def _made(kind: Any, fields: Mapping[str, Any]) -> Contribution:
    if any(isinstance(value, dict | list | str) for value in fields.values()):
        raise MessageError(f"the fields of a {kind.__name__} are numbers")
    try:
        return kind(**fields)
    except (TypeError, ValueError, OverflowError) as error:
        raise MessageError(f"there is no such {kind.__name__}: {error}") from None


def _budget(plan: Plan) -> float | Split:
    match plan.trust:
        case {"type": "Local", "epsilon": epsilon}:
            return even_share(epsilon, plan.sums.times)
        case {"type": "Federated", "local": {"direction": direction, "magnitude": magnitude}}:
            return Split(direction, magnitude)
        case {"type": "Federated", "local": local}:
            return local
    raise ValueError(
        "devices on a network randomise by themselves, as Local and Federated have them do, got "
        f"{plan.trust.get('type', 'no trust model')}"
    )


def _read_budget(said: Any) -> float | Split:
    match said:
        case {
            "type": "Split",
            "direction": float(direction),
            "magnitude": float(magnitude),
            **others,
        } if not others:
            try:
                return Split(direction, magnitude)
            except ValueError as error:
                raise MessageError(str(error)) from None
        case int() | float() if is_number(said) and said > 0:
            return float(said)
    raise MessageError("a report's budget is a positive number, or two in a Split")
