"""What an attack found, beside what such noise gives away and what the promise allows.

The three together are what an attack is worth. One that finds less than is foreseen is played
badly; one that finds nothing where nothing is promised is no attack; and one that is proved to find
more than the promise allows has shown the promise to be broken.
"""

from dataclasses import dataclass
from typing import Protocol, TypeVar, final

from tacit.attacks.breach import BreachRate

Promise = TypeVar("Promise", contravariant=True)


@final
@dataclass(frozen=True)
class Outcome:
    """How many of those who were attacked were found.

    Args:
      of: what is looked for, in words.
      found: of so many, with the limits of the true rate.
      expected: the share that such noise gives away; None where nobody foresees it.
      allowed: the share that the promise allows, at the upper 97.5% limit of the rate of others;
        1 where nothing is promised.
      others: the share of others who are taken for them; None where there are no others.
    """

    of: str
    found: BreachRate
    expected: float | None
    allowed: float
    others: float | None = None

    def __str__(self) -> str:
        beside = "" if self.others is None else f", beside {self.others:.1%} of others"
        expected = "" if self.expected is None else f", {self.expected:.1%} expected"
        told = f"{self.found} of {self.of}{beside}{expected}"
        return f"{told}; the promise allows {self.allowed:.1%}"


class Attack(Protocol[Promise]):
    """An attack on people who were made, or on those it was given, under a kind of promise."""

    def run(self, trust: Promise, seed: int) -> Outcome:
        """What is found in one release under this promise, whose accounts nobody keeps."""
        ...
