"""What an argument is: a number, a whole number, a thing that was made; and what was got instead.

Words compare to no number, True is one to Python, and a class has all the names that its instances
have. So a check asks here first, and its own sentence says what is allowed. Counts are kept as
Python's own numbers: a NumPy integer overflows, and JSON does not know it.
"""

import inspect
import math
import sys
from collections.abc import Callable
from functools import wraps
from numbers import Real
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

# Bits of a whole number that is said as it is.
_LONGEST = 128


def is_number(value: Any) -> bool:
    """Whether it is one real number, of Python's or NumPy's, in a float's range or not finite."""
    too_long = isinstance(value, int) and abs(value) > sys.float_info.max
    return isinstance(value, Real) and not (isinstance(value, bool) or too_long)


def is_whole(value: Any) -> bool:
    """Whether it is a whole number; 3.0 is."""
    return is_number(value) and float(value).is_integer()


def counted(value: float) -> int:
    """A whole number as Python's own; anything else as it is, for a check to refuse."""
    return int(value) if is_whole(value) else cast(int, value)


def pythons(value: Any) -> Any:
    """A number as Python's own: NumPy's shorter ones round what is made of them, and no fraction
    takes them; anything else as it is, for a check to refuse."""
    if isinstance(value, np.generic) and is_number(value):
        return value.item() if isinstance(value, np.integer) else float(value)
    return value


def keep_pythons(made: Any, *names: str) -> None:
    """Of a frozen dataclass these fields, as Python's own numbers, before they are checked."""
    for name in names:
        object.__setattr__(made, name, pythons(getattr(made, name)))


def takes_numpys(made: Callable[P, T]) -> Callable[P, T]:
    """What is called with numbers, told Python's own of whatever NumPy's were given."""

    @wraps(made)
    def told(*given: P.args, **named: P.kwargs) -> T:
        own: Any = made
        return own(*map(pythons, given), **{name: pythons(each) for name, each in named.items()})

    return told


def listed(value: Any) -> list[Any] | None:
    """What a tuple, a list or an array holds, in order, or None of anything else.

    Keys, members of a set, letters of a word and columns of a table come one by one too, but in an
    order that says nothing of what they stand for.
    """
    if hasattr(value, "__array_namespace__") and np.ndim(value) >= 1:
        return list(np.asarray(value))
    return list(value) if isinstance(value, tuple | list) else None


def is_power_of_two(value: float) -> bool:
    """Whether it is one, whole or not: what is divided by it in floats is divided exactly."""
    return math.frexp(value)[0] == 0.5


def is_made(value: Any, kind: Any) -> bool:
    """Whether it is one of this kind, and not a class of it that nobody called, or something that
    has whatever name it is asked for, such as an expression of a table's columns."""
    made = isinstance(value, kind) and not isinstance(value, type)
    return made and not hasattr(value, "a name of nothing")


def refuse_not_positive(name: str, value: Any) -> None:
    """Raises a ValueError unless this is a positive, finite number."""
    if not (is_number(value) and 0 < value < math.inf):
        raise ValueError(f"{name} must be positive and finite, got {got(value)}")


def refuse_none_positive(made: Any, *names: str) -> None:
    """Raises a ValueError unless these fields are positive, finite numbers."""
    for name in names:
        refuse_not_positive(name, getattr(made, name))


def refuse_not_counted(name: str, value: Any, least: int = 1) -> None:
    """Raises a ValueError unless this is a whole number of at least so many."""
    if not (is_whole(value) and value >= least):
        raise ValueError(f"{name} must be a whole number of at least {least}, got {got(value)}")


def refuse_negative(name: str, value: Any) -> None:
    """Raises a ValueError unless this is a finite number of at least zero."""
    if not (is_number(value) and 0 <= value < math.inf):
        raise ValueError(f"{name} must be at least 0 and finite, got {got(value)}")


def refuse_no_share(name: str, value: Any) -> None:
    """Raises a ValueError unless this is a number above zero and below one."""
    if not (is_number(value) and 0 < value < 1):
        raise ValueError(f"{name} must be between 0 and 1, got {got(value)}")


def refuse_outside(name: str, value: Any, least: float, most: float) -> None:
    """Raises a ValueError unless this is a number between these two, or one of them."""
    if not (is_number(value) and least <= value <= most):
        limits = " and ".join(map(_limit, (least, most)))
        raise ValueError(f"{name} must be between {limits}, got {got(value)}")


def refuse_not_whole(name: str, value: Any, least: int, most: int) -> None:
    """Raises a ValueError unless this is a whole number between these two, or one of them."""
    refuse_outside(name, value, least, most)
    if not is_whole(value):
        raise ValueError(f"{name} must be a whole number, got {got(value)}")


def refuse_no_seed(seed: Any) -> None:
    """Raises a ValueError unless this is a whole number that 64 bits hold."""
    if not (is_whole(seed) and 0 <= seed < 2**64):
        raise ValueError(f"seed must be a whole number from 0 and below 2^64, got {got(seed)}")


def refuse_no_name(what: str, name: Any) -> None:
    """Raises a ValueError if this is no text, or an empty one."""
    if not (isinstance(name, str) and name):
        raise ValueError(f"{what} must be text of at least one character, got {got(name)}")


def shape_of(shape: Any) -> tuple[int, ...]:
    """An array's shape, in Python's own numbers; one number is that of an array of one axis.

    Raises:
      ValueError: if it is none, or has no room for anything.
    """
    axes = [shape] if is_number(shape) else listed(shape)
    if axes is None or not all(is_whole(each) and each >= 1 for each in axes):
        raise ValueError(
            "shape must be of whole numbers of at least 1, such as (3,), or () for one number, got "
            + (got(shape) if axes is None or is_number(shape) else f"({', '.join(map(got, axes))})")
        )
    return tuple(map(counted, axes))


def single(value: Any) -> Any:
    """The number of an array without axes, of NumPy or JAX; anything else as it is."""
    return value.item() if getattr(value, "shape", None) == () else value


def got(value: Any) -> str:
    """What was got, as a refusal says it: a number or word as it is, of all else only the type."""
    if isinstance(value, type | FunctionType):
        name = value.__name__
        return f"{name} without parentheses: write {name}({', '.join(_arguments(value))})"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, int) and value.bit_length() > _LONGEST:
        return f"a whole number of {value.bit_length():,} bits"
    plain = value is None or isinstance(value, Real)
    shape = getattr(value, "shape", None)
    alone = hasattr(value, "dtype") and isinstance(shape, tuple) and not shape
    return str(value) if plain or alone else type(value).__name__


def _limit(number: float) -> str:
    """As it is written in a sentence: 1e-6 and 1000, and a whole number with all its digits."""
    return str(number) if isinstance(number, int) else f"{number:g}".replace("e-0", "e-")


def _arguments(made: Any) -> list[str]:
    """Those that have to be given."""
    try:
        named = inspect.signature(made).parameters.values()
    except ValueError:
        return ["..."]
    return [each.name for each in named if each.default is inspect.Parameter.empty]
