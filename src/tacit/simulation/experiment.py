"""What one simulated run is of, and where its random numbers come from."""

from collections.abc import Sequence
from typing import NamedTuple, final

from tacit.argument import counted, got, is_made, refuse_no_seed
from tacit.noise import keys
from tacit.plan import Plan
from tacit.population.learner import Learner


@final
class Experiment(NamedTuple):
    """What one run of several is of: its plan, who asks, and the seed of all that is drawn."""

    plan: Plan
    learner: Learner
    seed: int | None

    def root(self) -> bytes:
        """The root key of all that is drawn; without a seed another at every call."""
        seed = whole_seed(self.seed)
        return keys.fresh() if seed is None else keys.from_seed(seed)


def whole_seed(seed: int | None) -> int | None:
    """A seed as Python's own number: of equal seeds a run has one name, whoever counted them.

    Raises:
      ValueError: if it is no whole number that 64 bits hold.
    """
    if seed is None:
        return None
    refuse_no_seed(seed)
    return counted(seed)


def refuse_no_experiments(experiments: Sequence[Experiment]) -> None:
    """Raises a ValueError if one of these is something else."""
    for each in experiments:
        if not is_made(each, Experiment):
            raise ValueError(
                f"each must be an Experiment(plan, learner, seed), where seed may be None, got "
                f"{got(each)}"
            )
