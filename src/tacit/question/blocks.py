"""Any function of people's rows, asked of disjoint blocks of them; see `question.rows`.

One person is in one block, so they move one block's answers, whatever the function is.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from jaxtyping import ArrayLike

from tacit.argument import counted, got, is_whole
from tacit.contribution import Interval


@final
@dataclass(frozen=True)
class BlockMeans:
    """The noisy means, over disjoint blocks of people, of what a function says of a block's rows.

    Args:
      function: of the rows of one block, giving one number for each output. It must depend on
        nothing else.
      blocks: how many, at most the number of people.
      outputs: the public interval that each output is clipped to.
    """

    function: Callable[[Any], ArrayLike] = field(metadata={"recorded": False})
    blocks: int
    outputs: tuple[Interval, ...]

    def __post_init__(self):
        _check_blocks(self)

    @property
    def size(self) -> int:
        return len(self.outputs)

    @property
    def words(self) -> str:
        return f"means over {self.blocks:,} blocks of a function"


@final
@dataclass(frozen=True)
class BlockMedians:
    """The medians, over disjoint blocks of people, with noise of their smooth sensitivity.

    Like `BlockMeans`; a few blocks on which the function goes wrong do not move a median.
    """

    function: Callable[[Any], ArrayLike] = field(metadata={"recorded": False})
    blocks: int
    outputs: tuple[Interval, ...]

    def __post_init__(self):
        _check_blocks(self)

    @property
    def size(self) -> int:
        return len(self.outputs)

    @property
    def words(self) -> str:
        return f"medians over {self.blocks:,} blocks of a function"


OfBlocks = BlockMeans | BlockMedians


def _check_blocks(statistic: OfBlocks) -> None:
    if not callable(statistic.function):
        raise ValueError(f"function must be one of a block's rows, got {got(statistic.function)}")
    object.__setattr__(statistic, "blocks", counted(statistic.blocks))
    if not (is_whole(statistic.blocks) and statistic.blocks >= 1):
        raise ValueError(
            f"blocks must be a whole number of at least 1, got {got(statistic.blocks)}"
        )
    outputs = statistic.outputs
    several = isinstance(outputs, tuple | list)
    if not (several and all(isinstance(each, Interval) for each in outputs)):
        raise ValueError(f"outputs must be a tuple of Intervals, got {got(outputs)}")
    object.__setattr__(statistic, "outputs", tuple(outputs))
    if not outputs:
        raise ValueError("a function of blocks needs at least one output, got none")
