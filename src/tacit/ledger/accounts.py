"""One account: its limit, its filter, what it has been charged, and whether more fits.

**Parallel composition.** Where a population has a partition, a charge may name a part, and what a
unit of that part has spent is what the whole was charged and what that part was charged. Releases
on the other parts have the same law on both neighbours, so they add nothing to the loss, whatever
was learnt from them; the filter's proof holds for the rest. It holds for neighbours that differ
within one part:

| relation | a charge on a part |
| --- | --- |
| add/remove | always: who joins or leaves is in one part |
| zero-out | always: a zeroed contribution is zero in every part |
| replace-one | only where a unit's part is fixed by something outside of its data |

An account is spent as far as its most spent part.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from tacit.accounting import decimals
from tacit.accounting.decimals import DOWN, UP, exact, printed
from tacit.accounting.relation import Relation
from tacit.accounting.upper import enough
from tacit.ledger.filters import Basic, Cost, Filter, Reading
from tacit.ledger.over_budget import Excess
from tacit.ledger.records import Charge

# Whom trust models promise something. No plan charges an account of anybody else.
OBSERVERS = ("public", "server", "shuffler")
WHOLE = ""
Key = tuple[str, str, str]


class LedgerError(Exception):
    """A ledger that cannot be used, or what it refuses whatever is left; nothing was charged.

    What is more than an account has left is an `OverBudget`, which is no `LedgerError`.
    """


class RefusedGrant(LedgerError):
    """What is asked of a ledger that can be used, and may not be granted; nothing was charged."""


@dataclass(frozen=True)
class Spent:
    """What one account reads: (epsilon, delta) so far, its limit, and each part by name.

    `epsilon` and `delta` are the largest of all parts; what they bound is said in `filters`.
    """

    observer: str
    unit: str
    relation: Relation
    epsilon: float
    delta: float
    limit_epsilon: float
    limit_delta: float
    filter: Filter = field(default_factory=Basic)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def room(self) -> float:
        """An epsilon that one more purely private release is sure to have left, rounded down."""
        if math.isinf(self.limit_epsilon):
            return math.inf
        left = DOWN.subtract(exact(self.limit_epsilon), exact(self.epsilon))
        near = max(0.0, float(left))
        return near if exact(near) <= max(left, Decimal(0)) else math.nextafter(near, 0.0)


@dataclass(frozen=True)
class Balance:
    """One account: a limit and its filter, with the sums of the whole and of every part so far."""

    key: Key
    epsilon: float
    delta: float
    filter: Filter
    sums: Mapping[str, Cost] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The account, as a refusal names it."""
        return name(self.key)

    def charged(
        self,
        asked: Iterable[tuple[str, Cost]],
        population: str,
        asking: str = "the grant asks",
    ) -> "Balance":
        """The account after these charges on the whole or on parts, if all of them fit.

        Args:
          population: whose account it is, for a refusal.
          asking: who asks, as a refusal says it.

        Raises:
          OverBudget: some part would exceed the limit.
        """
        sums = dict(self.sums)
        for part, cost in asked:
            sums[part] = decimals.add(sums.get(part, self.filter.nothing), cost)
        after = replace(self, sums=sums)
        for part in sorted({WHOLE, *sums}):
            self._admit(part, after, population, asking)
        return after

    def reading(self, part: str) -> Reading:
        """What a unit of `part` has spent: the whole's charges and the part's."""
        total = self.sums.get(WHOLE, self.filter.nothing)
        if part != WHOLE and part in self.sums:
            total = decimals.add(total, self.sums[part])
        return self.filter.reading(total, exact(self.epsilon), exact(self.delta))

    def spent(self, parts: Iterable[str]) -> Spent:
        """The account's reading, and that of each of these parts."""
        readings = {part: self.reading(part) for part in parts} or {WHOLE: self.reading(WHOLE)}
        shown = {part: (printed(e), printed(d)) for part, (e, d) in readings.items()}
        epsilon, delta = (max(numbers) for numbers in zip(*shown.values(), strict=True))
        observer, unit, relation = self.key
        shown.pop(WHOLE, None)
        whose = observer, unit, Relation(relation)
        return Spent(*whose, epsilon, delta, self.epsilon, self.delta, self.filter, shown)

    def _calls_for_all(self, population: str) -> tuple[str, str]:
        """What sets a limit that has room for what this account was charged, in Python and in the
        shell: with numbers, if sums tell them."""
        if not isinstance(self.filter, Basic):
            return "ledger.limit", "`tacit ledger create`"
        full = self.spent(self.sums)
        most = enough(max(self.epsilon, full.epsilon)), enough(max(self.delta, full.delta))
        roomy = replace(self, epsilon=most[0], delta=min(most[1], 1.0))
        options = f"--epsilon {roomy.epsilon:g} --delta {roomy.delta:g}"
        return opened_by(repr(population), roomy), f"`tacit ledger create` with {options}"

    def _admit(self, part: str, charged: "Balance", population: str, asking: str) -> None:
        before, after = self.reading(part), charged.reading(part)
        limit = exact(self.epsilon), exact(self.delta)
        if all(spent <= bound for spent, bound in zip(after, limit, strict=True)):
            return
        whose = f"part {part!r} of {self.name}" if part else self.name
        excess = Excess(f"{whose} in {population!r}", limit, before, after, asking)
        summed = isinstance(self.filter, Basic)
        raise excess.refused(charged._calls_for_all(population), summed=summed)


def fitting(asked: Iterable[Charge], times: int = 1) -> list[Balance]:
    """The accounts of these charges, with limits by plain sums that all of them together just fit.

    A limit is above zero, which a charge need not be.

    Args:
      times: how often each is charged.
    """
    sums: dict[Key, dict[str, Cost]] = {}
    for charge in asked:
        own, part = sums.setdefault(key_of(charge), {}), charge.part or WHOLE
        cost = tuple(UP.multiply(times, number) for number in Basic().cost(charge.guarantee))
        own[part] = decimals.add(own.get(part, Basic().nothing), cost)
    filled = [Balance(key, math.inf, 1.0, Basic(), own) for key, own in sums.items()]
    spent = [account.spent(account.sums) for account in filled]
    return [
        Balance(account.key, max(full.epsilon, math.ulp(0.0)), min(full.delta, 1.0), Basic())
        for account, full in zip(filled, spent, strict=True)
    ]


def opened_by(population: str, account: Balance) -> str:
    """The call that opens this account of what Python reads as a population, as Python."""
    observer, unit, relation = account.key
    whose = f"{population}, {observer!r}, tacit.{Relation(relation)}"
    limit = f"epsilon={account.epsilon}, delta={account.delta}"
    of = "" if unit == "person" else f", unit={unit!r}"
    return f"ledger.limit({whose}, {limit}{of})"


def key_of(charge: Charge) -> Key:
    """Which of a population's accounts a charge is on."""
    promise = charge.guarantee
    return promise.observer, promise.unit, promise.relation.value


def name(key: Key) -> str:
    """An account, as a refusal names it."""
    observer, unit, relation = key
    return f"the account of {observer} per {unit} under {relation}"


def write_cost(cost: Cost) -> str:
    """A cost as text, exactly."""
    return json.dumps([str(number) for number in cost])


def read_cost(text: str) -> Cost:
    """The cost that `write_cost` wrote."""
    return tuple(Decimal(number) for number in json.loads(text))
