"""The law of a device's report, where there are finitely many: the chance of each, by category.

Three ways to report a category cover all oracles. Write own for the chance that a report supports
the person's category.

| oracle | reports | law |
| --- | --- | --- |
| randomised response, Hadamard response, subsets, points of a geometry | a number | own, evenly \
among the reports that support the category; 1 - own among others |
| local hashing | a hash and a bucket of it | the same, own being the chance of the true bucket |
| unary encodings | a bit for each category | every bit by itself |
| a table of `device.workload` | a number | the table's |

Residues of 64-bit words are not quite even: by 2^-48 in all, which is left out here. What is proved
of a report's privacy rests on its own file and not on this law.
"""

from itertools import product
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float64

from tacit.argument import got
from tacit.device.categories import OnCategory
from tacit.device.number_law import number_law
from tacit.device.vectors import OnNumber
from tacit.device.workload import WORDS, OnWorkload
from tacit.mechanisms.frequency.hadamard_response import HadamardResponse
from tacit.mechanisms.frequency.local_hashing import LocalHashing
from tacit.mechanisms.frequency.projective_geometry import ProjectiveGeometry
from tacit.mechanisms.frequency.randomised_response import FrequencyOracle, RandomisedResponse
from tacit.mechanisms.frequency.rappor import Rappor, SymmetricUnary
from tacit.mechanisms.frequency.subset_selection import AllSubsets, SubsetSelection
from tacit.mechanisms.frequency.unary_encoding import UnaryEncoding
from tacit.plan import Device

Law = Float64[np.ndarray, "categories reports"]
# Of a thousand categories that is half a GiB of floats.
MOST_REPORTS = 2**16


def law_of(device: Device) -> Law:
    """The chance of each report, a row for each category; of a number as `number_law` has it.

    Raises:
      ValueError: if its reports are of something else, or there are more than 65,536.
    """
    match device:
        case OnWorkload(table=table):
            return np.asarray(table, np.float64).T / WORDS
        case OnCategory(oracle=UnaryEncoding() | SymmetricUnary() | Rappor() as oracle):
            return _bitwise(oracle)
        case OnCategory(oracle=oracle):
            return _listed(oracle)
        case OnNumber(scalar=scalar):
            return number_law(scalar)
    raise ValueError(
        "only reports of a category, and of a number on a grid, have a law that can be listed, got "
        f"{type(device).__name__}"
    )


def _bitwise(oracle: FrequencyOracle) -> Law:
    """Of vectors of bits, in the order of the numbers that they are."""
    _refuse_many(2 ** min(oracle.categories, 64))
    ones = np.array(list(product((0, 1), repeat=oracle.categories)))
    own = np.eye(oracle.categories, dtype=bool)
    support = oracle.support
    chance = np.where(own, float(support.own), float(support.other))[:, None, :]
    return np.where(ones == 1, chance, 1 - chance).prod(axis=2)


def _listed(oracle: FrequencyOracle) -> Law:
    reports, own = _reports(oracle), float(oracle.support.own)
    inside = np.asarray(jax.vmap(lambda one: _supported(oracle, one))(reports)).T > 0
    near = inside.sum(axis=1, keepdims=True)
    return np.where(inside, own / near, (1 - own) / (len(reports) - near))


def _supported(oracle: FrequencyOracle, report: jax.Array) -> jax.Array:
    return oracle.supporters(report[None], jnp.ones(1, bool))


def _reports(oracle: FrequencyOracle) -> jax.Array:
    """All that there are, as the oracle sends them."""
    if isinstance(oracle, LocalHashing):
        hashes = oracle.prime * (oracle.prime - 1)
        _refuse_many(hashes * oracle.buckets)
        pairs = np.array(list(product(range(hashes), range(oracle.buckets))), np.uint32)
        return jnp.asarray(pairs)
    many = _many(oracle)
    _refuse_many(many)
    return jnp.arange(many, dtype=jnp.uint32)


def _many(oracle: FrequencyOracle) -> int:
    match oracle:
        case RandomisedResponse():
            return oracle.categories
        case HadamardResponse():
            return 2**oracle.report_bits
        case AllSubsets():
            return len(oracle.members)
        case SubsetSelection():
            return oracle.prime * (oracle.prime - 1)
    return cast(ProjectiveGeometry, oracle).space.points


def _refuse_many(reports: int) -> None:
    if not reports <= MOST_REPORTS:
        raise ValueError(f"at most 65,536 reports can be listed, got {got(reports)}")
