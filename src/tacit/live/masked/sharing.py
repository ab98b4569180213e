"""How devices report under masks, as public values: the question, and the promise of its sums.

A device makes the plan itself, by its own library, and reads off it what it adds of noise, on which
grid, and what the run promises. Both sides compare a digest of the noise that they made.

**How many must answer.**

1. With n asked and c colluding, `threshold` is the least cohort, or (n + c)/2 and more, whichever
   is larger. So many must answer, and so many must have signed who did, before a device helps to
   take masks off.
2. Among the n peers that a device knows, two lists of survivors that t signed each have at least
   2t - n signers in common: more than c, so an honest one.
3. An honest device signs one list a round. So there are no two.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Self, final

from jaxtyping import PyTree

from tacit.accounting.relation import Relation
from tacit.contribution import Contribution
from tacit.device.noise_sharing import NoiseSharing
from tacit.live.charge import Cost
from tacit.live.masked.packed import Layout
from tacit.live.message import MessageError
from tacit.live.order import read_number
from tacit.live.reporting import read_shape, refuse_many_parts
from tacit.noise.fixed import FixedPoint
from tacit.plan import Device, Plan
from tacit.population.loop import traced
from tacit.question.dropouts import DropOuts, whom_asks
from tacit.question.participation import AtMost, Available, Cyclic, Everyone, Participation
from tacit.question.sums import Mean
from tacit.record import plain
from tacit.server.aggregated_mean import AggregatedMean
from tacit.server.means import JointMean
from tacit.trust.aggregated import Aggregated, least_cohort

_ASKED: dict[str, Any] = {each.__name__: each for each in (Everyone, AtMost, Cyclic, Available)}


@final
@dataclass(frozen=True)
class Sharing:
    """A question to devices whose sums alone are seen.

    Args:
      trust: what the sums promise.
      question: what is asked of everybody.
      run: 256 bits of the run's own; the promise is of all rounds that say the same.
    """

    trust: Aggregated
    question: Mean
    run: bytes

    @classmethod
    def of(cls, plan: Plan, run: bytes) -> Self:
        """How the devices of a plan report, in the run that has this number.

        Raises:
          ValueError: if they would not.
        """
        refuse_many_parts(plan.sums.contribution)
        match plan.trust:
            case {"type": "Aggregated", **rest}:
                if rest["relation"] != Relation.REPLACE_ONE.value:
                    raise ValueError(
                        "devices join sums that hide that one person is replaced by another: "
                        f"relation must be tacit.Relation.REPLACE_ONE, got {rest['relation']}"
                    )
                numbers = (float(rest[name]) for name in ("epsilon", "delta", "colluding"))
                epsilon, delta, colluding = numbers
                trust = Aggregated(epsilon, delta, Relation.REPLACE_ONE, colluding)
                return cls(trust, plan.sums, run)
        raise ValueError("sums under masks are asked as Aggregated has them")

    @classmethod
    def read(cls, said: Any) -> Self:
        """What `text` says.

        Raises:
          MessageError: if it is none of it, or has a number that there cannot be.
        """
        match said:
            case {"trust": dict(trust), "question": dict(question), "run": str(run), **others}:
                if not others:
                    return cls(
                        _read_trust(trust), _read_question(question), read_number(run, "a run")
                    )
        raise MessageError("a sum under masks has a trust, a question and a run")

    @property
    def text(self) -> dict[str, Any]:
        """As a message has it."""
        trust, question = plain(self.trust), plain(self.question)
        return {"trust": trust, "question": question, "run": self.run.hex()}

    @property
    def epsilon(self) -> float:
        """What its run is asked to spend."""
        return self.trust.epsilon

    @property
    def shape(self) -> Contribution:
        return self.question.contribution

    @cached_property
    def plan(self) -> Plan:
        """As this side's own library makes it.

        Raises:
          MessageError: if there is no such plan.
        """
        try:
            return _plan(self.trust, self.question)
        except (ValueError, TypeError, ArithmeticError) as error:
            raise MessageError(f"no sums are asked like this: {error}") from None

    def device(self) -> NoiseSharing:
        """What devices do."""
        device = self.plan.device
        assert isinstance(device, NoiseSharing)
        return device

    def cost(self, device: Device) -> Cost:
        """What all rounds of the run spend together, as the plan of this side promises it."""
        del device
        promise, said = self.plan.guarantees[0], json.dumps(self.text, sort_keys=True)
        # A server chooses the run: all that the promise is of is in the name that is charged.
        run = hashlib.sha256(b"tacit run" + said.encode()).digest()
        return Cost(promise.epsilon, 0.0, promise.delta, run, self.question.times)

    @property
    def empty(self) -> PyTree[FixedPoint]:
        """The sum of nobody."""
        return self.shape.empty(traced(self.plan.server).grid)

    @property
    def layout(self) -> Layout:
        """Of a report."""
        server = self.plan.server
        parts = server.parts if isinstance(server, JointMean) else (server,)
        assert all(isinstance(part, AggregatedMean) for part in parts)
        bits = [part.bits for part in parts if isinstance(part, AggregatedMean)]
        return Layout.of(self.empty, bits)

    @property
    def colluding(self) -> int:
        """How many of those who are asked in a round are not counted on."""
        return self.trust.colluders(self.question)

    @property
    def threshold(self) -> int:
        """How many must answer."""
        asked = self.question.capacity
        return max(least_cohort(self.question), (asked + self.colluding) // 2 + 1)

    @property
    def smallest(self) -> int:
        """The fewest who are asked in a round."""
        asked = whom_asks(self.question.participation)
        return (
            least_cohort(replace(self.question, participation=asked))
            if isinstance(asked, AtMost | Cyclic)
            else self.question.capacity
        )


# A run asks for one in every round.
@lru_cache(maxsize=16)
def _plan(trust: Aggregated, question: Mean) -> Plan:
    return trust.plan(question)


def _read_trust(said: Mapping[str, Any]) -> Aggregated:
    match said:
        case {
            "type": "Aggregated",
            "epsilon": int() | float() as epsilon,
            "delta": int() | float() as delta,
            "relation": Relation.REPLACE_ONE.value,
            "colluding": int() | float() as colluding,
            **others,
        } if not others:
            try:
                return Aggregated(float(epsilon), float(delta), colluding=float(colluding))
            except (ValueError, OverflowError) as error:
                raise MessageError(str(error)) from None
    raise MessageError("sums under masks promise to hide that one person is replaced by another")


def _read_question(said: Mapping[str, Any]) -> Mean:
    match said:
        case {
            "type": "Mean",
            "contribution": shape,
            "participation": dict(who),
            "rounds": int(rounds),
            "people": int(people),
            **others,
        } if not others:
            try:
                return Mean(read_shape(shape), _read_who(who), rounds, people)
            except (ValueError, OverflowError) as error:
                raise MessageError(f"no mean is asked like this: {error}") from None
    raise MessageError("a question under masks is a mean, with its shape, cohorts and rounds")


def _read_who(said: Mapping[str, Any]) -> Participation:
    match said:
        case {"type": "DropOuts", "asked": dict(asked), "rate": float(rate), "least": int(least)}:
            if len(said) == 4:
                return DropOuts(_read_who(asked), rate, least)
        case {"type": str(name), **fields} if name in _ASKED and _numbers(fields):
            try:
                return _ASKED[name](**fields)
            except TypeError as error:
                raise ValueError(str(error)) from None
    raise MessageError("devices under masks are asked as Everyone, AtMost, Cyclic or Available are")


def _numbers(fields: Mapping[str, Any]) -> bool:
    return all(type(each) in (int, float) for each in fields.values())
