"""What a run is: a grant's, which was charged for, or a simulation, which releases nothing.

Both play the same rounds and remember them in files of one form. A simulation's state is of a few
people under noise that was made for many, so no grant may ever go on from it. Therefore names that
begin with `SIMULATED` are simulations' alone, and a file of one kind is sealed with a key that a
run of the other kind never makes, even from the same root.
"""

import enum
from typing import final

from tacit.noise import keys

SIMULATED = "simulation "


@final
class KindOfRun(enum.Enum):
    """A grant's run or a simulation.

    Args:
      word: what it is called.
      purpose: of the key that seals its checkpoints.
    """

    GRANT = "grant", "checkpoint"
    SIMULATION = "simulation", "checkpoint of a simulation"

    def __init__(self, word: str, purpose: str) -> None:
        self.word, self.purpose = word, purpose

    @classmethod
    def of(cls, name: str) -> "KindOfRun":
        """By the name of a run."""
        return cls.SIMULATION if name.startswith(SIMULATED) else cls.GRANT

    def seal(self, root: bytes) -> bytes:
        """What the checkpoints of a run with this root key are sealed with; gone with that."""
        return keys.derive(root, self.purpose)
