"""Others' code at work on people's values: what it raises is not kept, and not quoted.

Beside an exception Python keeps the one that was handled when it was raised, with all that it
holds: of a driver's, the database's own words, in which a person's value stands. `from None` hides
that from what is printed, and leaves it there. So here nothing is raised while anything is handled:
what was raised becomes a sentence of the caller's and is let go, and then that sentence is raised.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def unquoted(
    work: Callable[[], T],
    refused: type[Exception],
    told: Callable[[Exception], str | None],
) -> T:
    """What the work gives.

    Args:
      work: at which others' code may stop.
      refused: what is raised where it does.
      told: the sentence of that, of what was raised; none where it may go on as it is.

    Raises:
      Exception: of the type `refused`, with no other beside it.
    """
    try:
        return work()
    except Exception as error:
        said = told(error)
        if said is None:
            raise
    raise refused(said)
