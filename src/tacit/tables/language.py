"""The language that engines are asked in: Ibis, imported when a table is first looked at.

It takes half a second to import, and who asks nothing of a table should not wait for it. Its
expressions are checked by Ibis itself when they are made; here they are of any type.
"""

import importlib
from typing import Any

from tacit.uncollected import uncollected


def ibis() -> Any:
    """The module of expressions."""
    with uncollected():
        return importlib.import_module("ibis")


def operations() -> Any:
    """The module of what expressions are made of."""
    with uncollected():
        return importlib.import_module("ibis.expr.operations")


def refusals() -> tuple[type[Exception], ...]:
    """What is raised of an expression that an engine has no words for, whatever its rows are."""
    with uncollected():
        errors = importlib.import_module("ibis.common.exceptions")
    return errors.TranslationError, errors.MissingUDFError


def arrow() -> Any:
    """The module of columns as engines hand them over."""
    with uncollected():
        return importlib.import_module("pyarrow")


def duckdb() -> Any:
    """A connection to an engine of this process, of nothing yet."""
    with uncollected():
        return ibis().duckdb.connect()


def values_of(op: Any) -> list[Any]:
    """What an operation is of, one after the other."""
    flat = [each for arg in op.args for each in (arg if isinstance(arg, tuple) else (arg,))]
    return [each for each in flat if isinstance(each, operations().Value)]


def is_said(given: Any) -> bool:
    """Whether it can be a column: its name, or an expression."""
    return bool(given) if isinstance(given, str) else hasattr(given, "resolve")


def exactly(number: float) -> Any:
    """A number in double precision, to its last digit.

    In an engine's text 0.1 is a decimal, whose thirds end early, and which some round wrongly to
    double precision; what is read from a text of its own is the nearest, in all of them.
    """
    return ibis().literal(repr(float(number))).cast("float64")


def hashed(own: Any) -> Any:
    """A whole number of 64 bits of a value, by the engine's own hash; Spark's `hash` has 32, and
    for PostgreSQL's of UUIDs Ibis has no word, but for that of their texts."""
    own = own.cast("string") if own.type().is_uuid() else own
    if own.get_backend().name != "pyspark":
        return own.hash()

    @ibis().udf.scalar.builtin(signature=((own.type(),), "int64"))
    def xxhash64(value): ...

    return xxhash64(own)


def as_number(truth: Any) -> Any:
    """1 where a condition holds, 0 where it does not, missing where that is not known.

    Not every engine turns truth values into numbers by a cast.
    """
    return ibis().cases((truth, 1), (~truth, 0), else_=None)
