"""Names of columns: told apart whatever the case of their letters.

An engine that ignores case takes "Person" for "person", and answers about whichever comes first:
other units would be protected than was stated. Others do not, so such names are refused in all.
Which they are is not said: where a file has no header they are somebody's values.
"""

import re
from collections.abc import Iterable

# Of words and what may join them; anything else may be an operator.
_NAME = re.compile(r"[\w.\-]*")


def refuse_but_for_case(names: Iterable[str]) -> None:
    """Raises the ValueError of two names that some engines take for one."""
    own = [each.casefold() for each in names]
    if not len(set(own)) == len(own):
        raise ValueError(
            "columns must have names that differ by more than the case of their letters, which "
            "some engines ignore: rename one of two that do not"
        )


def if_expression(text: str) -> str:
    """What follows the refusal of a name that no column has, where it may be an expression."""
    if _NAME.fullmatch(text):
        return ""
    return (
        "; text is no expression: write ibis._.days > 7, or the whole question in SQL, "
        'visits.sql("SELECT COUNT(*) FROM visits WHERE days > 7")'
    )
