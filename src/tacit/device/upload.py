"""How a report of a vector fits a limit of bytes: fewer numbers, fewer bits a number, or an index.

A report of d numbers goes whole where four bytes a number fit. Otherwise each number may have 8 or
4 bits (`coded`), and as many numbers as then fit are kept of a random projection, with rows of the
round (`shared_rows`) or of each person (`own_rows`). Or a report is the index of a candidate near
the projection (`indexed`), in two bytes. Which of these has the least error depends on the budget,
on how many report, and on how much noise a server adds; all are listed, and whoever makes a plan
compares them.

An index takes thousands of times the work of rounding. From `_PLENTY` bytes on it is not listed: as
many numbers of 8 bits cost 0.8% of the error at epsilon 8, as an index does, and less at smaller
budgets; at larger ones they cost less than it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import final

from tacit.argument import got, is_whole
from tacit.contribution import Ball, Contribution, Sphere
from tacit.device.coded import Coded
from tacit.device.indexed import Indexed
from tacit.device.own_rows import OwnRows
from tacit.device.shared_rows import SharedRows
from tacit.mechanisms.local.projection import LARGEST_DIM, LEAST_KEPT, RandomProjection, padded
from tacit.plan import FLOAT_BITS, Device

# Bits of a number, the most first.
_BITS = (FLOAT_BITS, 8, 4)
# Bytes with which nothing is gained by an index.
_PLENTY = 512
# Numbers kept before one is chosen; fewer leave time for more candidates, for a large budget.
_INDEXED = (1024, 256)


@final
@dataclass(frozen=True)
class Within:
    """A way to keep a limit: what a device reports about, and what goes around that device."""

    shape: Contribution
    around: Callable[[Device], Device]


def within(contribution: Contribution, upload: int) -> list[Within]:
    """Every way to report this shape in so many bytes.

    Raises:
      ValueError: if no report fits, or the shape is not a Ball or Sphere.
    """
    if not isinstance(contribution, Ball | Sphere):
        raise ValueError(
            f"an upload limit is for a Ball or Sphere, got {type(contribution).__name__}: leave "
            "upload None"
        )
    dim = contribution.dim
    if FLOAT_BITS * dim <= 8 * upload:
        return [Within(contribution, lambda device: device)]
    ways = [way for bits in _BITS for way in _with_bits(contribution, 8 * upload // bits, bits)]
    if not ways:
        least = -(-min(dim, LEAST_KEPT) * min(_BITS) // 8)
        raise ValueError(f"upload must be at least the {least} bytes of a report, got {upload}")
    return ways


def indices(contribution: Ball | Sphere, upload: int) -> list[Callable[[float], Device]]:
    """The ways to report an index under this limit, each as a function of one report's budget."""
    dim = contribution.dim
    if upload >= _PLENTY or FLOAT_BITS * dim <= 8 * upload or dim > LARGEST_DIM:
        return []
    kept = sorted({min(each, padded(dim)) for each in _INDEXED})

    def make(numbers: int) -> Callable[[float], Device]:
        return lambda budget: Indexed.best(contribution, numbers, budget)

    return [make(each) for each in kept]


def _with_bits(shape: Ball | Sphere, numbers: int, bits: int) -> list[Within]:
    """The ways to report in so many numbers of so many bits."""
    if shape.dim <= numbers:
        return [Within(shape, partial(_coded, bits=bits))]
    if numbers < LEAST_KEPT or shape.dim > LARGEST_DIM:
        return []
    way = RandomProjection(shape.dim, min(2 ** math.floor(math.log2(numbers)), padded(shape.dim)))
    typical = shape.typical if isinstance(shape, Ball) else None

    def around(device: Device, kind: type[OwnRows] | type[SharedRows]) -> Device:
        return kind(way, _coded(device, bits), shape.bound, typical)

    short = replace(shape, dim=way.kept)
    return [Within(short, partial(around, kind=kind)) for kind in (OwnRows, SharedRows)]


def _coded(device: Device, bits: int) -> Device:
    return device if bits == FLOAT_BITS else Coded.best(device, bits)


def refuse_no_upload(upload: int | None) -> None:
    """Raises a ValueError unless this is a whole number of bytes, or None."""
    if upload is not None and not (is_whole(upload) and upload > 0):
        raise ValueError(
            f"upload must be a positive whole number of bytes, or None, got {got(upload)}"
        )
