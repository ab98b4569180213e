"""The shape a learner's own sums are made for: any other is refused before anything is charged.

`ask` gives one term, and the loop brings it into whatever shape was asked for. A learner that sums
terms itself has to do that itself, and knows how for one kind of shape: L2 for a ball, a number's
size for a cube. With another shape its sums could move further than noise was made for.
"""

from typing import TypeVar

from tacit.contribution import Contribution

Shape = TypeVar("Shape", bound=Contribution)


def admitted(bound: Contribution, kind: type[Shape]) -> Shape:
    """`bound`, known to be of this kind.

    Raises:
      ValueError: if it is not.
    """
    if not isinstance(bound, kind):
        raise ValueError(
            f"this learner's terms are of a {kind.__name__}, got {type(bound).__name__}: ask what "
            "its `question` asks"
        )
    return bound
