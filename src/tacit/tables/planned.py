"""What asking a table would promise, and how wide its intervals would be, as a page."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from tacit.accounting.guarantee import Guarantee
from tacit.page import WIDTH, labelled
from tacit.plan import Plan, Server
from tacit.server.keyed import EveryKey, KeyedMean
from tacit.server.means import JointMean, NoisyMean

# What sums have room for, at a person's largest, where nobody says how many people there may be:
# they are held at the end beyond it.
MANY_PEOPLE = 10_000_000
# Of an aggregate beside its width: a longer one takes more.
NAME = 24
# With which a plan says how many people a key needs.
_CHANCES = (0.01, 0.5, 0.99)
# A mean over everybody, and what they send: of a table sums are released, which lie with a curator.
_OF_MEANS = ("error", "upload")


@final
@dataclass(frozen=True)
class TablePlan:
    """What asking would promise, and how wide intervals would be. Nothing is read or spent.

    Args:
      asked: the question, in words.
      plan: the promises and the noise.
      widths: of each aggregate, in words.
      kept: how much of a person's rows counts, in words.
      confidence: of each interval.
      noise: what is added to numbers, in words.
      keys: of keys that nobody declared, how many people they need, in words.
      missing: what cells of text count as missing, in words, whatever is in them.
    """

    asked: str
    plan: Plan
    widths: Mapping[str, str]
    kept: str
    confidence: float
    noise: str
    keys: str = ""
    missing: str = ""

    def __str__(self) -> str:
        sure = f"{100 * self.confidence:.6g}% intervals in each group, by noise alone"
        left = min(max(map(len, self.widths)), NAME) + 4
        each = [
            line
            for name, width in self.widths.items()
            for line in _wrapped(f"  {name:{left - 4}}  {width}", left)
        ]
        said = {"counted": self.kept, "missing": self.missing, "keys": self.keys}
        told = [labelled(name, words) for name, words in said.items() if words]
        return "\n".join([self._page(), *told, sure, *each])

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """Every promise, one for each observer x unit x relation."""
        return self.plan.guarantees

    def _page(self) -> str:
        """The plan's, in a table's words, but for what is of no table."""
        return replace(self.plan.page, asked=self.asked).without(*_OF_MEANS, noise=self.noise)


def servers_of(plan: Plan) -> tuple[Server, ...]:
    """Of each aggregate, what its sums get."""
    server = plan.server.sums if isinstance(plan.server, KeyedMean) else plan.server
    return server.parts if isinstance(server, JointMean) else (server,)


def told_of(plan: Plan) -> tuple[str, str]:
    """What is told of its noise, and of its keys."""
    return noise_in_words(servers_of(plan)), keys_in_words(plan)


def noise_in_words(servers: Sequence[Server]) -> str:
    """What kinds of noise numbers get; how far it moves them, each in its own unit, is a width."""
    drawn = (each.mechanism for each in servers if isinstance(each, NoisyMean))
    kinds = dict.fromkeys(type(each).__name__ for each in drawn)
    if not kinds:
        return "none"
    return f"{' and '.join(kinds)}, on each number of each group; how far it moves them is below"


def keys_in_words(plan: Plan) -> str:
    """How many people a key that nobody declared needs, in words."""
    if not isinstance(plan.server, KeyedMean):
        return ""
    most = f"at most {plan.server.most:,} of them"
    if isinstance(plan.server.choice, EveryKey):
        return f"all of {plan.server.choice.at_least:,} people or more are released, {most}"
    return f"nobody declared them: one {_needed(plan.server)} is released, {most}"


def none_in_words(plan: Plan) -> str:
    """Why an answer is of no key at all, in words: the draw is public, and so is what it needs."""
    none = "no key had enough people to be released"
    if not isinstance(plan.server, KeyedMean) or isinstance(plan.server.choice, EveryKey):
        return none
    return f"{none}: one {_needed(plan.server)} is released"


def _needed(server: KeyedMean) -> str:
    """With which chances a key is released."""
    needed = server.choice.needed
    return ", ".join(
        f"of {needed(chance):,} people with chance {chance:.0%}" for chance in _CHANCES
    )


def _wrapped(line: str, left: int) -> list[str]:
    """With the rest of it so far from the left."""
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * left)
