"""What a device agrees to compute: an order, checked against everything the device has of its own.

The checks are made in this order, and the first that fails is the refusal. None of them looks at
the person's data, and none spends anything.

| refused | because |
| --- | --- |
| bytes that are no order | nothing is built from them |
| a function that is not on the list, or is another one here | code never comes from outside |
| a `reporting` that has no shape and no budget, or no question | only the library's own are read |
| a product of more than eight parts | its program would be compiled for long |
| a shape that the function's terms do not have | so no dimension is larger than the function's |
| a way to report that is none, or makes another randomiser here | its epsilon would be believed |
| a report whose epsilon is zero or infinite | it would be free, or is not randomised |
| a state that is not the one the order names, or is of other arrays | it is data, of known shapes |
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, final

from jaxtyping import PyTree

from tacit.contribution import Contribution
from tacit.live.cap import Cap
from tacit.live.charge import Cost, beyond
from tacit.live.function import Function
from tacit.live.masked.sharing import Sharing
from tacit.live.message import Message, MessageError
from tacit.live.order import RoundOrder, hashed
from tacit.live.reporting import Reporting, digest
from tacit.plan import Device


@final
@dataclass(frozen=True, eq=False)
class Agreement:
    """An order that may be answered, if the cap has room.

    Args:
      order: as it came.
      function: the device's own, of that name.
      ways: how it is reported.
      device: the randomiser, made by the device's own library.
      state: what the function goes on from.
    """

    order: RoundOrder
    function: Function
    ways: Reporting | Sharing
    device: Device
    state: PyTree

    @classmethod
    def to(cls, order: RoundOrder, state: bytes, functions: Sequence[Function], cap: Cap) -> Self:
        """What is agreed to of an order and the state that came with it.

        Args:
          cap: the device's own: a randomiser takes the longer to make the larger its epsilon is,
            and one that there is never room for is not made.

        Raises:
          MessageError: if nothing is; it says why.
          OverCap: if it asks for more than the cap.
        """
        function = _listed(order, functions)
        ways = _read(order.reporting)
        if ways.shape.shape != function.term:
            raise MessageError(f"{function} asks for terms of shape {function.term}")
        if not ways.epsilon <= cap.epsilon:
            raise beyond(cap)
        device = _made(order, ways)
        if hashed(state) != order.state:
            raise MessageError("the state that came is not the one that the order names")
        going_on = function.state(Message.read(state).arrays)
        return cls(order, function, ways, device, going_on)

    @property
    def cost(self) -> Cost:
        """What it spends, as the device finds it."""
        return self.ways.cost(self.device)

    @property
    def shape(self) -> Contribution:
        """Of a person's term."""
        return self.ways.shape

    def __str__(self) -> str:
        cost, which = self.cost, f"round {self.order.round} of {self.order.rounds}"
        of_run = "" if cost.run is None else " for the whole run, in sums under masks"
        return f"{which} of {self.function}, epsilon {cost.epsilon:.6g}{of_run}"


def _read(said: dict[str, Any]) -> Reporting | Sharing:
    """A report under masks says of which run it is."""
    return Sharing.read(said) if "run" in said else Reporting.read(said)


def _listed(order: RoundOrder, functions: Sequence[Function]) -> Function:
    named = f"{order.function['name']}@{order.function['version']}"
    mine = next((each for each in functions if str(each) == named), None)
    if mine is None:
        versions = [each for each in functions if each.name == order.function["name"]]
        which, known = ("version", versions) if versions else ("function", functions)
        raise MessageError(
            f"that {which} is not on this device's list: it has "
            f"{', '.join(map(str, known)) or 'none'}, and {named} is asked for"
        )
    if mine.digest != order.function["digest"]:
        raise MessageError(
            f"{mine} is another function here, by its digest, which is of its code and the numbers "
            "in it: install the same code, numbers and JAX on both"
        )
    return mine


def _made(order: RoundOrder, ways: Reporting | Sharing) -> Device:
    """The randomiser, if it is one, and the one that was meant."""
    device = ways.device()
    if digest(device) != order.randomiser:
        raise MessageError("this order makes another randomiser here: install the same versions")
    if not 0 < ways.cost(device).epsilon < math.inf:
        raise MessageError("a report is randomised, with an epsilon that is positive and finite")
    return device
