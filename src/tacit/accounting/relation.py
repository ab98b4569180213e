"""Which two data sets are neighbours, and the one convention of noise that goes with it.

Privacy is a promise about pairs of data sets that differ in one person. Which pairs are meant is
the *relation*, and the same noise protects differently under each: removing a vector of norm C
moves a sum by at most C, replacing it by another moves the sum by at most 2C.

**The one convention of tacit.** An event's noise multiplier is *the noise's standard deviation
over the L2 distance between the sums of two neighbouring data sets under the guarantee's own
relation*. The factor of two lives where the distance is computed, never in the accountant, so an
unsampled Gaussian event is the same pair N(0, 1) against N(1/z, 1) under every relation.
"""

import enum
from typing import Any

from tacit.argument import got


class Relation(enum.Enum):
    """Which data sets are neighbours of one another.

    | relation | neighbours | an unsampled sum of norms at most C moves by |
    | --- | --- | --- |
    | `ADD_REMOVE` | one person joins or leaves | C |
    | `REPLACE_ONE` | one person's data become any other data; the number of people is public | 2C |
    | `ZERO_OUT` | one person's contribution becomes zero; the number of people is public | C |

    Sampling changes the pair, and each scheme is proved for its own relations: Poisson sampling
    for `ADD_REMOVE` and `ZERO_OUT`, sampling without replacement for `REPLACE_ONE`.
    """

    ADD_REMOVE = "add/remove"
    REPLACE_ONE = "replace-one"
    ZERO_OUT = "zero-out"

    @property
    def people_moved(self) -> int:
        """How many bounded terms two neighbours' sums differ by: two where one is replaced."""
        return 2 if self is Relation.REPLACE_ONE else 1


def spelled(relation: Any) -> Any:
    """The relation of this word, as outputs write it; anything else as it is."""
    words = {each.value: each for each in Relation}
    return words.get(relation, relation) if isinstance(relation, str) else relation


def refuse_no_relation(relation: Any) -> None:
    """Raises the ValueError that names the relations, if this is none."""
    if not isinstance(relation, Relation):
        *others, last = (str(each) for each in Relation)
        allowed = f"{', '.join(others)} or {last}"
        raise ValueError(f"relation must be {allowed}, got {got(relation)}")
