"""A function that devices run: named, versioned, and told by what it computes.

Code never crosses the network. What is asked of people is on every device's own list, put there by
whoever runs it; a server names it. A name is no proof, so a function has a digest: of the program
that its `ask` becomes, as the compiler is given it, with every constant in it. Two sides that have
one digest compute one thing, whatever else their learners differ in: rates, optimisers and starting
points are the server's own, and no part of it.

The digest is of one version of JAX, and for people of one shape: an order says both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import jax
import numpy as np
from jaxtyping import PyTree

from tacit.argument import counted, got, is_whole, listed, refuse_no_name
from tacit.live.message import Kinds, Message, MessageError, kinds_of
from tacit.population.learner import Learner
from tacit.population.placement import placed
from tacit.population.program import Program
from tacit.population.rounds import shapes_of


@final
@dataclass(frozen=True, eq=False)
class Function:
    """What a learner asks of one person, as devices and servers name it.

    Args:
      name, version: a new version for anything that computes another thing.
      learner: of which devices run `ask`, from any of its states.
      person: arrays of the shapes and types that one person's data have, of any values.

    Raises:
      ValueError: if the name is none, or the version no whole number from 1 on.
    """

    name: str
    version: int
    learner: Learner = field(repr=False)
    person: PyTree = field(repr=False)

    def __post_init__(self):
        refuse_no_name("name", self.name)
        object.__setattr__(self, "version", counted(self.version))
        if not (is_whole(self.version) and self.version >= 1):
            raise ValueError(
                f"a version must be a whole number, at least 1, got {got(self.version)}"
            )

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def text(self) -> dict[str, Any]:
        """As an order has it."""
        return {"name": self.name, "version": self.version, "digest": self.digest}

    @cached_property
    def start(self) -> PyTree:
        """The learner's state before the first round: what every state looks like."""
        return placed(self.learner.init())

    @property
    def digest(self) -> str:
        """Of what it computes."""
        return self._program.digest

    @property
    def term(self) -> tuple[int, ...]:
        """The shape of what one person is asked for."""
        return self._program.returns.shape

    def does(self, learner: Learner) -> bool:
        """Whether it asks people what this learner does."""
        try:
            return digest_of(learner, placed(learner.init()), self.person) == self.digest
        except (TypeError, ValueError):
            return False

    def state(self, arrays: tuple[np.ndarray, ...]) -> PyTree:
        """A state of these arrays.

        Raises:
          MessageError: if they are those of another learner's state.
        """
        leaves, structure = jax.tree.flatten(self.start)
        if kinds_of(arrays) != kinds_of(leaves):
            raise MessageError(f"the state that {self} goes on from is of other arrays")
        return jax.tree.unflatten(structure, arrays)

    def takes(self, person: PyTree) -> bool:
        """Whether this is a person's data, by its shapes and types."""
        kinds: list[tuple[Any, Kinds]] = [
            (jax.tree.structure(each), kinds_of(jax.tree.leaves(placed(each))))
            for each in (person, self.person)
        ]
        return kinds[0] == kinds[1]

    @cached_property
    def _program(self) -> Program:
        return _program(self.learner, self.start, self.person)


def refuse_no_list(functions: Sequence[Function]) -> None:
    """Raises a ValueError unless these are functions, each of a name and version of its own."""
    listed_ = listed(functions)
    if not (listed_ and all(isinstance(each, Function) for each in listed_)):
        raise ValueError(f"functions must be a list of at least one Function, got {got(functions)}")
    if len(set(map(str, listed_))) != len(listed_):
        raise ValueError("every function of a device has a name and version of its own")


def digest_of(learner: Learner, state: PyTree, person: PyTree) -> str:
    """Of what a learner asks of such a person."""
    return _program(learner, state, person).digest


def _program(learner: Learner, state: PyTree, person: PyTree) -> Program:
    like = shapes_of(state), shapes_of(placed(person))
    return Program.of(learner.ask, *like)


def state_message(state: PyTree) -> Message:
    """What every device of a round is sent of the learner's state."""
    return Message({}, tuple(np.asarray(leaf) for leaf in jax.tree.leaves(state)))
