"""Choosing between settings privately: each is tried on people of its own, others pick the best.

Trying k settings on everybody and keeping the best spends k budgets, and says too little if only
the winner's is counted. Here people are divided, by something that is not their data, into k + 1
parts. Setting j is trained on part j; then the people of the last part, who trained nothing, say of
each trained model whether it is right about them, and one `Select` names the model that is right
most often.

**Guarantee**: nobody is in two parts, so nobody is in two releases. The ledger charges disjoint
parts side by side (`tacit.ledger.accounts`): a choice of k settings costs what its dearest part
does, once, however large k is. All trained models are public, the chosen one among them; each has
its receipt.

**Error**: with probability 1 - b the chosen model is right about at most n s fewer of the n people
held out than the best is, s the selection plan's `server.shortfall(b)`: n s is about
ln(k/b)/epsilon people under add/remove and twice that under replace-one. What is paid is data: each
setting is trained on a part of the people.

The alternative where settings are many is to try a random number of them, drawn at random, each on
everybody, and to keep the best, for a few times the price of one (Liu and Talwar; Papernot and
Steinke). It is not implemented.

References:
    Chaudhuri, Monteleoni and Sarwate 2011, "Differentially private empirical risk minimization"
        (Algorithm 3).
    Liu and Talwar 2019, "Private selection from private candidates".
    Papernot and Steinke 2022, "Hyperparameter tuning with Rényi differential privacy".
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree

from tacit.argument import got, is_whole, refuse_no_seed, refuse_not_counted
from tacit.contribution import Counts
from tacit.ledger.ledger import Charge, Ledger, LedgerOrPath, opened
from tacit.ledger.rehearsal import rehearsed
from tacit.ledger.unnamed import closed_if_cut_off
from tacit.plan import Plan
from tacit.population.arrays import Arrays
from tacit.population.learner import Learner
from tacit.population.release import Release
from tacit.question.participation import Everyone
from tacit.question.sums import Mean, Select

Correct = Callable[[PyTree, PyTree], Bool[Array, ""]]


@final
@dataclass(frozen=True)
class Setting:
    """One way to train, to be tried on a part of the people.

    Args:
      plan: of the training, for as many people as its part has or is declared to have.
      learner: who trains.
      correct: of a final state and one person of the last part: whether the model is right.
    """

    plan: Plan
    learner: Learner
    correct: Correct


@final
@dataclass(frozen=True)
class Chosen:
    """Which setting was chosen, and everything that was released on the way.

    Args:
      number: of the setting, from zero.
      trained: every setting's release, in order.
      selection: the release that chose.
    """

    number: int
    trained: tuple[Release, ...]
    selection: Release

    @property
    def state(self) -> PyTree:
        """The chosen setting's final state."""
        return self.trained[self.number].state

    def receipts(self) -> list[dict[str, Any]]:
        """Of every release: the trainings, in order, and the selection."""
        return [release.receipt() for release in (*self.trained, self.selection)]


def part_of(person: str, parts: int, salt: str) -> int:
    """The number of a person's part, from a digest of what they are called.

    It depends on nobody else, so whoever joins or leaves moves nobody, and on no data, so it is
    fixed for replace-one too (`fixed_by` in `Ledger.divide`).

    Args:
      person: an identifier that is nobody else's and never changes.
      parts: how many there are, at least one.
      salt: any public text, chosen before the identifiers are looked at.
    """
    refuse_not_counted("parts", parts)
    digest = hashlib.sha256(f"{len(salt)}:{salt}{person}".encode()).digest()
    return int.from_bytes(digest) % parts


def question(settings: int, people: int) -> Select:
    """What the last part is asked: about which of the trained models they agree most.

    Args:
      settings: how many are compared, at least two.
      people: the declared number of people held out.
    """
    if not (is_whole(settings) and settings >= 2):
        raise ValueError(f"a choice is between at least two settings, got {got(settings)}")
    return Select(Mean(Counts(settings, settings, 1), Everyone(), 1, people))


def choose(
    people: Arrays,
    parts: Int[np.ndarray, " people"],
    settings: Sequence[Setting],
    selection: Plan,
    ledger: LedgerOrPath,
    *,
    seed: int | None = None,
) -> Chosen:
    """Trains each setting on its part, and has the last part choose.

    Every grant is rehearsed and the ledger asked whether all of them fit before the first is
    charged, so that what is refused for any part spends nothing on the others. (Should another
    process spend the room in between, some trainings can be charged and the next refused.) What is
    interrupted stays charged, and is closed.

    Args:
      people: all of them.
      parts: the number of each person's part, not taken from their data: `part_of`.
      settings: as many as the ledger's division of these people has parts, but one; in its order.
      selection: the plan of `question(len(settings), ...)`, for the people of the last part.
      ledger: the people's ledger, or its path, which has divided them (`Ledger.divide`).
      seed: for tests and benchmarks; the receipts then say that nothing is private.

    Raises:
      ValueError: if parts, settings and plans do not fit each other; nothing is charged.
      OverBudget: if any part has too little left; nothing is charged.
      LedgerError: if the ledger refuses for another reason; nothing is charged.
    """
    if seed is not None:
        refuse_no_seed(seed)
    if selection.question != question(len(settings), selection.sums.people):
        raise ValueError("the selection must be a plan of this module's question on all settings")
    ledger = opened(ledger)
    divided = _divided(people, parts, len(settings) + 1, ledger)
    tried = [(each.plan, each.learner) for each in settings]
    rules = tuple(each.correct for each in settings)
    untrained = _Best(rules, tuple(each.learner.init() for each in settings))
    _refuse_unaffordable(divided, [*tried, (selection, untrained)], ledger)
    trained = _released(divided[:-1], tried, ledger, seed)
    best = _Best(rules, tuple(release.state for release in trained))
    last = None if seed is None else seed + len(settings)
    (release,) = _released(divided[-1:], [(selection, best)], ledger, last)
    return Chosen(int(release.state), trained, release)


@final
class _Best(eqx.Module):
    """Asks a person which of the trained models are right about them; keeps the answer."""

    correct: tuple[Correct, ...] = eqx.field(static=True)
    states: tuple[PyTree, ...]

    def init(self) -> Int[Array, ""]:
        return jnp.zeros((), jnp.int32)

    def ask(self, state: Int[Array, ""], person: PyTree) -> Float[Array, " settings"]:
        pairs = zip(self.correct, self.states, strict=True)
        return jnp.stack([jnp.asarray(right(own, person), jnp.float32) for right, own in pairs])

    def tell(self, state: Int[Array, ""], answer: Int[Array, ""]) -> Int[Array, ""]:
        return answer


def _divided(
    people: Arrays, parts: Int[np.ndarray, " people"], wanted: int, ledger: Ledger
) -> list[tuple[str, Arrays]]:
    """Each part's name and people."""
    division = ledger.partition(people.name)
    if division is None or len(division.parts) != wanted:
        raise ValueError(
            f"{people.name!r} must be divided into {wanted} parts, one for each setting and one "
            "that chooses"
        )
    if parts.shape != (people.people,) or not np.isin(parts, range(wanted)).all():
        raise ValueError(f"everybody must be in one of the parts 0, ..., {wanted - 1}")
    own = (jax.tree.map(lambda leaf, at=at: leaf[parts == at], people.data) for at in range(wanted))
    return [
        (name, replace(people, data=data)) for name, data in zip(division.parts, own, strict=True)
    ]


def _refuse_unaffordable(
    divided: Sequence[tuple[str, Arrays]],
    tried: Sequence[tuple[Plan, Learner]],
    ledger: Ledger,
) -> None:
    """Refuses what any of these grants would be refused for, before any is charged."""

    def charges(part: str, people: Arrays, plan: Plan, learner: Learner) -> tuple[Charge, ...]:
        return rehearsed(lambda book: people.grant(plan, learner, book, part=part))

    asked = [charges(*own, *each) for own, each in zip(divided, tried, strict=True)]
    ledger.refuse_overspending(divided[0][1].name, asked)


def _released(
    divided: Sequence[tuple[str, Arrays]],
    tried: Sequence[tuple[Plan, Learner]],
    ledger: Ledger,
    seed: int | None,
) -> tuple[Release, ...]:
    """All are charged before the first is run."""
    seeds = [None if seed is None else seed + place for place in range(len(tried))]
    with closed_if_cut_off(ledger, len(tried)) as names:
        grants = [
            people.grant(plan, learner, ledger, part=part, grant_id=name, seed=own)
            for (part, people), (plan, learner), name, own in zip(
                divided, tried, names, seeds, strict=True
            )
        ]
        return tuple(grant.run() for grant in grants)
