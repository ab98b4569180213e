"""A fit that is refused leaves an estimator as it was.

Reading rows notes how many columns there are, before bounds, budgets and ledgers are asked. Of a
fit that is refused afterwards, or cut off, nothing is learnt: what an earlier one learnt, and paid
for, still goes with its own columns.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Fit = TypeVar("Fit", bound=Callable[..., Any])


def untouched(fit: Fit) -> Fit:
    """`fit`, all of whose attributes are kept, or none."""

    @functools.wraps(fit)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Fit, whole)
