"""Adult, the census income table of the UCI repository, from its two published files.

    adult.data    39, State-gov, 77516, ..., 40, United-States, <=50K       one person a line
    adult.test    |1x3 Cross validator                                      one comment, then
                  25, Private, 226802, ..., 40, United-States, <=50K.       the same and a dot

Fifteen fields, separated by commas and blanks; `?` is a value that is missing. Which values a
category may have is part of the format: `CATEGORIES` and the fields' names are the published
description's, `adult.names`, and nothing is read off the people. So a line is a whole record or the
file is refused, by name, line and field. What stands there is a person's and is not repeated.

References: B. Becker, R. Kohavi, "Adult", UCI Machine Learning Repository, 1996.
"""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np
from jaxtyping import Bool, Float64, Shaped

from tacit.data import packed
from tacit.data.dataset import DataError
from tacit.unquoted import unquoted

MISSING = "?"
_CONTINUOUS = "continuous"
_DESCRIPTION = """
age: continuous
workclass: Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov, \
Without-pay, Never-worked
fnlwgt: continuous
education: Bachelors, Some-college, 11th, HS-grad, Prof-school, Assoc-acdm, Assoc-voc, 9th, \
7th-8th, 12th, Masters, 1st-4th, 10th, Doctorate, 5th-6th, Preschool
education-num: continuous
marital-status: Married-civ-spouse, Divorced, Never-married, Separated, Widowed, \
Married-spouse-absent, Married-AF-spouse
occupation: Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, Prof-specialty, \
Handlers-cleaners, Machine-op-inspct, Adm-clerical, Farming-fishing, Transport-moving, \
Priv-house-serv, Protective-serv, Armed-Forces
relationship: Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried
race: White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black
sex: Female, Male
capital-gain: continuous
capital-loss: continuous
hours-per-week: continuous
native-country: United-States, Cambodia, England, Puerto-Rico, Canada, Germany, \
Outlying-US(Guam-USVI-etc), India, Japan, Greece, South, China, Cuba, Iran, Honduras, \
Philippines, Italy, Poland, Jamaica, Vietnam, Mexico, Portugal, Ireland, France, \
Dominican-Republic, Laos, Ecuador, Taiwan, Haiti, Columbia, Hungary, Guatemala, Nicaragua, \
Scotland, Thailand, Yugoslavia, El-Salvador, Trinadad&Tobago, Peru, Hong, Holand-Netherlands
"""
_PAIRS = (line.partition(": ") for line in _DESCRIPTION.strip().splitlines())
_VALUES: dict[str, str] = {name: values for name, _, values in _PAIRS}
NUMBERS = tuple(name for name, values in _VALUES.items() if values == _CONTINUOUS)
CATEGORIES = {
    name: tuple(values.split(", ")) for name, values in _VALUES.items() if values != _CONTINUOUS
}
_FIELDS = (*_VALUES, "income")
_INCOMES = ("<=50K", ">50K")
# More than ten times what is published.
_MOST_BYTES = 1 << 26
# More digits need not fit a float64.
_MOST_DIGITS = 15

Column = Float64[np.ndarray, " people"] | Shaped[np.ndarray, " people"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class AdultPart:
    """People in the order of their file.

    Args:
      columns: By the names of `NUMBERS`, float64 with NaN where missing, and of `CATEGORIES`,
        text with `MISSING` where missing.
      rich: Whose income is above 50,000 dollars.
    """

    columns: dict[str, Column]
    rich: Bool[np.ndarray, " people"]

    def __repr__(self) -> str:
        return f"AdultPart(columns={list(self.columns)}, people={self.rich.size})"


@final
@dataclass(frozen=True)
class Adult:
    """The published division into two parts; nothing may be tuned on `test`."""

    train: AdultPart
    test: AdultPart


def load(directory: Path) -> Adult:
    """`adult.data` and `adult.test` of `directory`, each packed by gzip or xz or not.

    | case | result |
    | --- | --- |
    | a file is absent, damaged, empty or no ASCII text | `DataError` |
    | `adult.test` does not begin with a line of `|`, or `adult.data` has one | `DataError` |
    | a line of more or fewer fields, an empty line before the last person | `DataError` |
    | a number that is no whole one, a category or an income that is not published | `DataError` |
    | an income with a dot in `adult.data`, or without one in `adult.test` | `DataError` |
    | `?` | NaN or `MISSING`; `DataError` for an income |

    Raises:
      DataError: as said, with the file, the line (from 1) and the field.
    """
    train, test = directory / "adult.data", directory / "adult.test"
    comment, *people = _lines(test)
    if not comment.startswith("|"):
        raise DataError(f"{test}, line 1 must begin with |")
    return Adult(_table(train, 1, _lines(train), ""), _table(test, 2, people, "."))


def _lines(path: Path) -> list[str]:
    """At least one, without the empty ones at the end."""
    data = packed.whole(packed.located(path), _MOST_BYTES)
    text = unquoted(partial(data.decode, "ascii"), DataError, partial(_said, path))
    if not text.strip():
        raise DataError(f"{path} must hold at least one line, got none")
    return text.rstrip().split("\n")


def _said(path: Path, wrong: Any) -> str:
    return f"{path} must be ASCII text, got byte {wrong.start} outside it"


def _table(path: Path, first: int, lines: list[str], mark: str) -> AdultPart:
    if not lines:
        raise DataError(f"{path} must hold at least one person, got none")
    records = [_fields(path, line, text) for line, text in enumerate(lines, first)]
    text = dict(zip(_FIELDS, zip(*records, strict=True), strict=True))
    rich = _chosen(path, first, "income", text["income"], tuple(i + mark for i in _INCOMES))
    numbers = {name: _numbers(path, first, name, text[name]) for name in NUMBERS}
    named = {
        name: _chosen(path, first, name, text[name], (*values, MISSING))
        for name, values in CATEGORIES.items()
    }
    columns = numbers | named
    return AdultPart({name: columns[name] for name in _VALUES}, rich == _INCOMES[1] + mark)


def _fields(path: Path, line: int, text: str) -> list[str]:
    fields = [field.strip() for field in text.split(",")]
    if len(fields) != len(_FIELDS):
        raise DataError(f"{path}, line {line} must have {len(_FIELDS)} fields, got {len(fields)}")
    return fields


def _numbers(
    path: Path, first: int, name: str, values: tuple[str, ...]
) -> Float64[np.ndarray, " people"]:
    for line, value in enumerate(values, first):
        if value != MISSING and not (value.isdigit() and len(value) <= _MOST_DIGITS):
            raise DataError(
                f"{path}, line {line}: {name} must be a whole number of at most {_MOST_DIGITS} "
                f"digits, or {MISSING}"
            )
    return np.array([math.nan if value == MISSING else float(value) for value in values])


def _chosen(
    path: Path, first: int, name: str, values: tuple[str, ...], allowed: tuple[str, ...]
) -> Shaped[np.ndarray, " people"]:
    known = frozenset(allowed)
    for line, value in enumerate(values, first):
        if value not in known:
            raise DataError(f"{path}, line {line}: {name} must be one of {', '.join(allowed)}")
    return np.array(values)
