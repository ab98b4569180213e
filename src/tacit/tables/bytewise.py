"""Text that is told apart by its bytes, whatever a column's collation.

By a collation an engine may take two texts for one, "Ward A" and "WARD a", and hand out either's
spelling for both, which would be one person's. Groups, people and rows of a public table are told
apart by more than it: by the digits of their bytes, which no collation takes for others.
"""

from collections.abc import Iterable
from typing import Any

from tacit.tables.language import ibis

# Engines without collations, to which text is its bytes.
_PLAIN = ("polars",)


def by_digits(own: Any) -> bool:
    """Whether values of this column are told apart by digits."""
    return own.type().is_string() and own.get_backend().name not in _PLAIN


def bytewise(own: Any) -> Any:
    """Text as the hexadecimal digits of its bytes in UTF-8; any other value as it is."""
    if not by_digits(own):
        return own
    if own.get_backend().name == "postgres":
        return _encode(convert_to(own, "UTF8"), "hex").upper()
    return _hex(own)


def alike(own: Any, values: Iterable[Any]) -> list[Any]:
    """Public values as `bytewise` has those of this column."""
    return list(map(digits_of, values) if by_digits(own) else values)


def digits_of(value: Any) -> Any:
    """The same of one value, here."""
    return value.encode(errors="surrogatepass").hex().upper() if isinstance(value, str) else value


def text_of(digits: str) -> str:
    """The text that has these digits."""
    return bytes.fromhex(digits).decode()


def _hex(text: Any) -> Any:
    @ibis().udf.scalar.builtin
    def hex(text: str) -> str: ...

    return hex(text)


def convert_to(text: Any, encoding: Any) -> Any:
    """A text's bytes, by PostgreSQL's own function."""

    @ibis().udf.scalar.builtin
    def convert_to(text: str, encoding: str) -> bytes: ...

    return convert_to(text, encoding)


def _encode(whole: Any, digits: str) -> Any:
    @ibis().udf.scalar.builtin
    def encode(whole: bytes, digits: str) -> str: ...

    return encode(whole, digits)
