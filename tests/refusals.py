"""What is no number, in the place of each number of a call that is right otherwise.

Words compare to no number, None is none, True is one to Python, and a whole number may be beyond
all floats. Each is refused in a sentence, as NaN is, and never by an error from inside.
"""

import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import equinox as eqx
import pytest

NO_NUMBERS = "many", None, True, [1, 2], object(), math.nan, 10**400


def refuse_no_numbers(call: Callable[..., Any], right: Mapping[str, Any]) -> None:
    """Asserts that the call takes what is right, and in place of its numbers nothing but numbers.

    Args:
      call: what is called.
      right: what it takes, by name; of its numbers each is replaced in turn.
    """
    call(**right)
    for name, value in right.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            for other in NO_NUMBERS:
                with pytest.raises(ValueError, match=", got "):
                    call(**{**right, name: other})


def traced(call: Callable[..., Any]) -> Callable[..., Any]:
    """The same call, of which JAX computes nothing and compiles nothing: it refuses as much."""

    @wraps(call)
    def asked(**given: Any) -> Any:
        return eqx.filter_eval_shape(lambda: call(**given))

    return asked
