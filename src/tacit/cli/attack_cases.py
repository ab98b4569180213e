"""The attacks that `tacit attack` plays: what each looks for, on made people or on a file's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Bool

from tacit.attacks.all_bits import bits_found
from tacit.attacks.named_rows import KnownRows, NamedRows
from tacit.attacks.outcome import Attack, Outcome
from tacit.attacks.searched_pictures import SearchedPictures
from tacit.attacks.secret_bits import MOST_PEOPLE, SecretBits
from tacit.attacks.shadow_models import LabelledPeople, ShadowModels
from tacit.attacks.subset_sums import SubsetSums
from tacit.attacks.table_rows import Counted, TableRows
from tacit.attacks.tracing import AttributeLaw, Crowd, Tracing
from tacit.cli.given_people import Given
from tacit.estimators.logistic_regression import LogisticRegression
from tacit.trust.central import Central
from tacit.trust.local import Local

# Of one release, under this promise, with this seed.
Play = Callable[[Any, int], Outcome]
# What is promised of an answer where no delta is asked for.
DELTA = 1e-6


@final
@dataclass(frozen=True)
class AttackCase:
    """An attack by its name.

    Args:
      told: what it looks for and in what, a sentence.
      made: the attack on made people.
      of: the same on those of a file; `int` is the seed of who is drawn.
      promise: of an epsilon, and of a delta where one is asked for.
      epsilons: the promises that it is played under where none is asked for.
    """

    told: str
    made: Attack[Any]
    of: Callable[[Given, int], Play]
    promise: Callable[[float, float | None], Central | Local]
    epsilons: tuple[float, ...]


def answers(epsilon: float, delta: float | None) -> Central:
    """The promise of a curator's answer."""
    return Central(epsilon, DELTA if delta is None else delta)


def reports(epsilon: float, delta: float | None) -> Local:
    """The promise of a device's report."""
    if delta is not None:
        raise ValueError("--delta is of answers; what a device sends is promised without one")
    return Local(epsilon)


def _bits_of(given: Given, seed: int) -> Play:
    """Of the file's people as many as there is a matrix for, by lot."""
    bits, rarer = _drawn(given, seed)
    attack = SecretBits(min(MOST_PEOPLE, 2 ** int(np.log2(len(bits)))))
    return lambda trust, run: bits_found(attack, bits[: attack.people], trust, run, rarer)


def _subset_sums_of(given: Given, seed: int) -> Play:
    """Of up to 256 of the file's people, by lot, eight times as many subsets."""
    bits, rarer = _drawn(given, seed)
    chosen = bits[:256]
    attack = SubsetSums(len(chosen), 8 * len(chosen))
    return lambda trust, run: bits_found(attack, chosen, trust, run, rarer)


def _table_rows_of(given: Given, seed: int) -> Play:
    """Half of the file's people, at most 200, are counted, and the others are the others."""
    people = np.random.default_rng(seed).permutation(given.cells)
    many = min(len(people) // 2, 200)
    if not many:
        raise ValueError(f"a file must have at least 2 people, got {len(people)}")
    attack = TableRows(many, given.domain.sizes, min(3, len(given.domain.sizes)))
    counted = Counted(people[:many], people[many:])
    return lambda trust, run: attack.against(counted, trust, run)


def _shadows_of(given: Given, seed: int) -> Play:
    """Up to 400 of the file's people, whose secret is learnt from their other columns."""
    bits = given.bits()
    people = np.random.default_rng(seed).permutation(len(bits))[:400]
    data = LabelledPeople(given.besides()[people], bits[people].astype(np.float64))
    estimator = LogisticRegression(bounds=(0, 1), classes=[0, 1])
    attack = ShadowModels(estimator, *data.rows.shape)
    return lambda trust, run: attack.against(data, trust, run)


def _drawn(given: Given, seed: int) -> tuple[Bool[np.ndarray, " people"], float]:
    """Everybody's bit, in an order by lot, and the share of the rarer value."""
    bits = np.random.default_rng(seed).permutation(given.bits())
    if not len(bits) >= 4:
        raise ValueError(f"a file must have at least 4 people, got {len(bits)}")
    ones = float(np.mean(bits))
    return bits, min(ones, 1 - ones)


def _named_of(given: Given, seed: int) -> Play:
    """All of the file's people are known, by their secret and all their other columns."""
    del seed
    people = KnownRows(given.besides(), given.bits().astype(np.int32))
    return lambda trust, run: NamedRows().against(people, trust, run)


def _no_pictures(given: Given, seed: int) -> Play:
    """A file holds none."""
    del given, seed
    raise ValueError("searched-pictures is of digits that are here already, without a FILE")


def _traced_of(given: Given, seed: int) -> Play:
    """A third of the file's people are members, a third outsiders, and a third are the law."""
    records = np.random.default_rng(seed).permutation(given.attributes())
    members, others, known = np.array_split(records, 3)
    if not len(known) >= 2:
        raise ValueError(f"a file must have at least 6 people, got {len(records)}")
    attack = Tracing(*members.shape, false_alarms=0.05)
    crowd = Crowd(members, others, AttributeLaw.of(known))
    return lambda trust, run: attack.against(crowd, trust, run)


# Epsilons where none is asked for, a choice: of answers a usual one and a weak one; of reports
# weaker ones, each five times the last.
CURATOR, DEVICES = (1.0, 5.0), (10.0, 50.0, 250.0)
CASES = {
    "secret-bits": AttackCase(
        "Everybody's secret bit, from as many noisy sums as people (Dinur and Nissim 2003).",
        SecretBits(1024),
        _bits_of,
        answers,
        CURATOR,
    ),
    "subset-sums": AttackCase(
        "The same from random subsets, by least squares (Dinur and Nissim 2003).",
        SubsetSums(256, 2048),
        _subset_sums_of,
        answers,
        CURATOR,
    ),
    "tracing": AttackCase(
        "Who is in the data, from the means of many attributes (Homer and others 2008).",
        Tracing(100, 2000),
        _traced_of,
        answers,
        CURATOR,
    ),
    "table-rows": AttackCase(
        "Whole records of people, from all tables of three columns (Dick and others 2023).",
        TableRows(100),
        _table_rows_of,
        answers,
        CURATOR,
    ),
    "shadow-models": AttackCase(
        "Who is in a fit's data, by fits of others (Carlini and others 2022).",
        ShadowModels(LogisticRegression(bounds=(-1, 1), classes=[0, 1]), 200, 300),
        _shadows_of,
        answers,
        CURATOR,
    ),
    "named-rows": AttackCase(
        "Whose update a device sent, of people who are all known, by its direction.",
        NamedRows(),
        _named_of,
        reports,
        DEVICES,
    ),
    "searched-pictures": AttackCase(
        "The picture behind an update, pixel by pixel (Geiping and others 2020).",
        SearchedPictures(),
        _no_pictures,
        reports,
        DEVICES,
    ),
}
