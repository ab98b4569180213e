"""Names of columns: told apart whatever the case of their letters.

An engine that ignores case takes "Person" for "person", and answers about whichever comes first:
other units would be protected than was stated. Others do not, so such names are refused in all.
Which they are is not said: where a file has no header they are somebody's values.
"""

from collections.abc import Iterable


def refuse_but_for_case(names: Iterable[str]) -> None:
    """Raises the ValueError of two names that some engines take for one."""
    own = [each.casefold() for each in names]
    if not len(set(own)) == len(own):
        raise ValueError(
            "columns must have names that differ by more than the case of their letters, which "
            "some engines ignore: rename one of two that do not"
        )
