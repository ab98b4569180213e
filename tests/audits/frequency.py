"""Local reports of a category: those of two people, by which of two categories they support.

The outcome is 2 [supports category 0] + [supports category 1]. For every oracle the reports that
support 0 and not 1 are e^epsilon times as likely from category 0 as from category 1.
"""

from dataclasses import replace
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np

from audits.row import CLOSE, Row
from tacit.mechanisms.frequency import (
    hadamard_response,
    local_hashing,
    projective_geometry,
    randomised_response,
    rappor,
    subset_selection,
    unary_encoding,
)
from tacit.noise import words

EPSILON, CATEGORIES = 1.0, 31
LISTED = 10


def _bits(reports):
    """The outcomes of vectors of bits."""
    first = np.asarray(reports[:, 0])
    return 2 * (first & 1) + (first >> 1 & 1)


def _named(reports):
    """The outcomes of reports of one category."""
    return np.asarray(2 * (reports == 0) + (reports == 1))


def _looked_up(table):
    """The outcomes of reports that are the number of a row of supported categories."""
    return lambda reports: (2 * table[:, 0] + table[:, 1])[np.asarray(reports)]


def _pair(report, outcomes):
    """Both people's outcomes, each report made by `report(key, values)`."""

    def of(value):
        return lambda key, draws: outcomes(report(key, jnp.full(draws, value, jnp.int32)))

    return of(0), of(1)


def _row(oracle, outcomes, planted) -> Row:
    bugs = {what: _pair(report, outcomes) for what, report in planted.items()}
    own = _pair(oracle.sample, outcomes)
    return Row("frequency", type(oracle).__name__, EPSILON, *own, planted=bugs)


def _fewer(misses: int) -> words.Word:
    """Two thirds of a probability in units of 2^-64."""
    return words.word(misses * 2 // 3)


def _randomised_response() -> Row:
    oracle = randomised_response.RandomisedResponse(EPSILON, CATEGORIES)

    def next_is_never_named(key, values):
        reports = randomised_response.respond(key, values, CATEGORIES, words.word(oracle.lies))
        return jnp.where(reports == values + 1, values, reports)

    return _row(
        oracle,
        _named,
        {
            "lies x 2/3": lambda key, values: randomised_response.respond(
                key, values, CATEGORIES, _fewer(oracle.lies)
            ),
            "lies one category off": next_is_never_named,
        },
    )


def _subset_selection() -> Row:
    oracle = subset_selection.SubsetSelection(EPSILON, CATEGORIES)
    p, w = oracle.prime, oracle.size
    a, b = np.divmod(np.arange(p * (p - 1)), p)

    def outcomes(size):
        table = ((a + 1)[:, None] * np.arange(2) + b[:, None]) % p < size
        return _looked_up(table.astype(int))

    def made(size, misses):
        return lambda key, values: subset_selection.choose(key, values, CATEGORIES, p, size, misses)

    row = _row(oracle, outcomes(w), {"misses x 2/3": made(w, _fewer(oracle.misses))})
    fewer = _pair(made(w - 1, words.word(oracle.misses)), outcomes(w - 1))
    planted = {**row.planted, "blocks of w - 1": fewer}
    return replace(row, planted=planted, quick=CLOSE)


def _all_subsets() -> Row:
    oracle = subset_selection.AllSubsets(EPSILON, LISTED)
    order = np.argsort(~oracle.members, axis=0, kind="stable").T.astype(np.uint32)
    inside = int(oracle.members[:, 0].sum())

    def made(misses):
        return lambda key, values: subset_selection.choose_listed(
            key, values, order, inside, misses
        )

    swapped = randomised_response.outside_words(EPSILON, order.shape[1] - inside, inside)
    return _row(
        oracle,
        _looked_up(oracle.members.astype(int)),
        {"misses x 2/3": made(_fewer(oracle.misses)), "sides swapped": made(words.word(swapped))},
    )


def _local_hashing() -> Row:
    oracle = local_hashing.LocalHashing(EPSILON, CATEGORIES)
    p, g = oracle.prime, oracle.buckets

    def hashed(seed, x):
        return g * (((seed // p + 1) * x + seed % p) % p) // p

    def outcomes(reports):
        seed, bucket = np.asarray(reports).T
        return 2 * (hashed(seed, 0) == bucket) + (hashed(seed, 1) == bucket)

    def made(buckets, lies):
        return lambda key, values: local_hashing.respond_hashed(
            key, values, CATEGORIES, p, buckets, lies
        )

    def next_is_never_named(key, values):
        reports = oracle.sample(key, values)
        truth = hashed(reports[:, 0], values.astype(jnp.uint32))
        wrong = reports[:, 1] == (truth + 1) % g
        return reports.at[:, 1].set(jnp.where(wrong, truth, reports[:, 1]))

    return _row(
        oracle,
        outcomes,
        {"lies x 2/3": made(g, _fewer(oracle.lies)), "lies one bucket off": next_is_never_named},
    )


def _projective_geometry() -> Row:
    oracle = projective_geometry.ProjectiveGeometry(EPSILON, CATEGORIES)
    space = oracle.space
    numbers = jnp.arange(space.points, dtype=jnp.uint32)
    code = projective_geometry._code(numbers, space.order, space.dimension)
    # Categories 0 and 1 are the points (1, 0, ...) and (0, 1, 0, ...).
    table = [d == 0 for d in projective_geometry._digits(code, space.order, 2)]

    def made(misses):
        return lambda key, values: projective_geometry.point(
            key, values, CATEGORIES, np.uint32(space.order), space.dimension, misses
        )

    swapped = randomised_response.outside_words(EPSILON, space.far, space.near)
    return _row(
        oracle,
        _looked_up(np.stack(table, axis=1).astype(int)),
        {"misses x 2/3": made(_fewer(oracle.misses)), "sides swapped": made(words.word(swapped))},
    )


def _hadamard_response() -> Row:
    oracle = hadamard_response.HadamardResponse(EPSILON, CATEGORIES)
    size = 2**oracle.report_bits
    table = [[(y & r).bit_count() % 2 == 0 for r in (1, 2)] for y in range(size)]

    def made(misses):
        return lambda key, values: hadamard_response.answer(
            key, values, CATEGORIES, np.uint32(size - 1), misses
        )

    exponential = words.word(int(words.SIZE / (1 + Fraction(np.exp(1.5 * EPSILON)))))
    return _row(
        oracle,
        _looked_up(np.array(table, int)),
        {"misses x 2/3": made(_fewer(oracle.misses)), "epsilon x 3/2": made(exponential)},
    )


def _unary_encoding() -> Row:
    oracle = unary_encoding.UnaryEncoding(EPSILON, CATEGORIES)
    ones = oracle.ones << (64 - oracle.digits)

    def made(numerator, digits):
        return lambda key, values: unary_encoding.encode(
            key, values, CATEGORIES, words.word(numerator), np.int32(digits)
        )

    def own_bit_sent(key, values):
        return oracle.sample(key, values) | (1 << values[:, None]).astype(jnp.uint32)

    return _row(
        oracle, _bits, {"ones x 2/3": made(ones * 2 // 3, 64), "own bit as it is": own_bit_sent}
    )


def _symmetric_unary() -> Row:
    oracle = rappor.SymmetricUnary(EPSILON, CATEGORIES)
    whole = rappor.SymmetricUnary(2 * EPSILON, CATEGORIES)

    def fewer(key, values):
        units = rappor._units(values, CATEGORIES)
        chance = words.word(int(oracle.flip * words.SIZE) * 2 // 3)
        return rappor.flipped(key, units, CATEGORIES, chance, np.int32(64))

    return _row(oracle, _bits, {"flips x 2/3": fewer, "epsilon for each bit": whole.sample})


def _rappor() -> Row:
    """Two reports of one person, side by side, within the budget of a lifetime."""
    oracle = rappor.Rappor(0.75 * EPSILON, CATEGORIES, EPSILON)

    def outcomes(reports):
        return 4 * _bits(reports[0]) + _bits(reports[1])

    def remembered(key, values):
        for_permanent, *others = jax.random.split(key, 3)
        permanent = oracle.permanent(for_permanent, values)
        return [oracle.report(k, permanent) for k in others]

    def forgotten(key, values):
        return [oracle.sample(k, values) for k in jax.random.split(key)]

    bugs = {"drawn anew each time": _pair(forgotten, outcomes)}
    own = _pair(remembered, outcomes)
    return Row("frequency", "Rappor, two reports", EPSILON, *own, planted=bugs)


ROWS = [
    _randomised_response(),
    _subset_selection(),
    _all_subsets(),
    _local_hashing(),
    _projective_geometry(),
    _hadamard_response(),
    _unary_encoding(),
    _symmetric_unary(),
    _rappor(),
]
