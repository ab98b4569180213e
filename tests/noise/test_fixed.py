"""Sums on a grid are exact, whatever the order, and one person moves them by their own term."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hasty import hasty
from tacit.noise.fixed import LIMB, MOST_AT_ONCE, FixedPoint, Tall, step_for


def exact(number: FixedPoint) -> np.ndarray:
    """The numbers as integers, in units of the step."""
    return np.asarray(number.high, np.int64) * LIMB + np.asarray(number.low, np.int64)


def grid(shape=(), step=2.0**-30) -> FixedPoint:
    return FixedPoint.zero(shape, jnp.asarray(step, jnp.float32))


def test_terms_are_cut_towards_zero_exactly():
    """Against rational arithmetic, for both signs and ten orders of magnitude."""
    values = np.random.default_rng(0).normal(size=2000) * 10.0 ** np.linspace(-9, 1, 2000)
    values = values.astype(np.float32)
    expected = [math.trunc(Fraction(float(v)) * 2**30) for v in values]

    assert expected == exact(grid().terms(jnp.asarray(values))).tolist()


def test_whole_steps_are_what_they_say():
    """Of either sign, up to 2^44 where float32 holds them, on any step."""
    counts = [0, 1, -1, 32767, -32768, 2**24, -(2**24), 3 * 2**30, -(2**44)]

    for step in (1.0, 2.0**-30, 0.1):
        assert counts == exact(grid(step=step).whole(jnp.asarray(counts, jnp.float32))).tolist()


def test_a_shift_is_exact_and_keeps_the_low_limb_in_its_place():
    """Against Python's integers, where both numbers are negative, and where the limbs carry."""
    generator = np.random.default_rng(4)
    first, second = generator.integers(-(2**44), 2**44, (2, 1000))
    split = [
        (jnp.asarray(n >> 15, jnp.int32), jnp.asarray(n & 32767, jnp.int32))
        for n in (first, second)
    ]
    shifted = grid((1000,)).shifted(split[0]).shifted(split[1])

    assert (first + second).tolist() == exact(shifted).tolist()
    assert 0 <= int(shifted.low.min()) and int(shifted.low.max()) < LIMB


def test_a_sum_does_not_depend_on_its_order():
    """Sixty thousand terms, forwards, backwards and in pieces: the same integer."""
    values = np.random.default_rng(2).uniform(-1, 1, 60_000).astype(np.float32)
    step = step_for(1.0, 60_000, 0.0)
    summed = hasty(lambda some: grid(step=step).terms(some).sum())
    whole = exact(summed(values))
    pieces = summed(values[:777]).plus(summed(values[777:]))

    assert whole == exact(summed(values[::-1])) == exact(pieces)
    # The step is a power of two, and 64 bits hold each term's quotient.
    exactly = np.trunc(np.asarray(values, np.float64) / step).astype(np.int64)
    assert step == 2.0 ** round(math.log2(step)) and whole == exactly.sum()


def test_one_person_moves_a_sum_by_their_own_term():
    """Eighty thousand ones: where float32 sums can jump, the grid moves by exactly one."""
    people = 80_001
    step = step_for(1.0, people, 0.0)
    ones = grid(step=step).terms(jnp.ones(people - MOST_AT_ONCE))
    rest = grid(step=step).terms(jnp.ones(MOST_AT_ONCE)).sum()
    with_all, without_one = (
        rest.plus(ones.sum()),
        rest.plus(type(ones)(ones.high[1:], ones.low[1:], ones.step).sum()),
    )

    assert Fraction(1) == Fraction(int(exact(with_all) - exact(without_one))) * Fraction(step)


@pytest.mark.parametrize("people", [1, 1000, 2**14, 10**6, 10**9])
@pytest.mark.parametrize("noise", [0.0, 1.0, 1e4])
def test_limbs_have_room(people, noise):
    """At the bound, for everybody, and ten deviations of noise: no limb overflows."""
    step = step_for(1.0, people, noise)
    largest = (people * 1.0 + 10 * noise) / step / LIMB

    assert largest < 2**31
    assert math.log2(step) == int(math.log2(step))


def test_compiled_and_plain_agree():
    """The same integers under jit."""
    values = jnp.asarray(np.random.default_rng(3).normal(size=(50, 4)), jnp.float32)
    plain = grid().terms(values).sum()
    compiled = jax.jit(lambda x: grid().terms(x).sum())(values)

    np.testing.assert_array_equal(exact(plain), exact(compiled))


def tall(exact: int) -> Tall:
    """A sum of so many steps, added up from numbers of two limbs."""
    total = Tall.of(FixedPoint.zero((), jnp.float32(1.0)))
    most = 2**44
    while exact:
        part = max(-most, min(most, exact))
        total, exact = total.plus(split(part)), exact - part
    return total


def split(steps: int) -> FixedPoint:
    high, low = divmod(steps, LIMB)
    return FixedPoint(jnp.int32(high), jnp.int32(low), jnp.float32(1.0))


def steps_of(number: FixedPoint) -> int:
    return int(number.high) * LIMB + int(number.low)


EDGES = [0, 1, 2**15, 2**30, 2**44, 2**45 - 1, 2**45, 2**45 + 1, 2**46, 2**47, 2**47 + 5, 3 * 2**46]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("exact", EDGES)
def test_a_tall_sum_never_wraps(exact, sign):
    """Beyond two limbs it is cut to the nearest number that they hold, on either side."""
    held = tall(sign * exact)
    value = (int(held.top) * LIMB + int(held.rest.high)) * LIMB + int(held.rest.low)

    assert sign * exact == value
    assert max(-(2**45), min(2**45 - 1, sign * exact)) == steps_of(held.cut())


@pytest.mark.parametrize("exact", [0, 1, 2**15 - 1, 2**30 + 7, 2**44 - 1])
@pytest.mark.parametrize("factor", [0, 1, 255, 2**15])
def test_tall_sums_are_multiplied_exactly(exact, factor):
    """Also from below zero; as a float it is within its rounding, and a few steps."""
    for sign in (1, -1):
        found = tall(sign * exact).times(factor)
        value = (int(found.top) * LIMB + int(found.rest.high)) * LIMB + int(found.rest.low)

        assert sign * exact * factor == value
        assert float(found.value()) == pytest.approx(value, rel=2**-22, abs=2**7)
        assert float(found.on(0.5).exact()) == pytest.approx(value / 2, rel=2**-50)


def test_a_tall_sum_is_that_of_two_limbs_while_these_hold_it():
    """Whatever is added, in whatever order, also through negative numbers."""
    numbers = np.random.default_rng(5).integers(-(2**40), 2**40, 200)
    held, plain = tall(0), FixedPoint.zero((), jnp.float32(1.0))
    for number in numbers.tolist():
        held, plain = held.plus(split(number)), plain.plus(split(number))

    assert int(numbers.sum()) == steps_of(held.cut()) == steps_of(plain)


def test_differences_of_tall_sums_are_exact_beyond_two_limbs():
    """Two sums that no two limbs hold are as far apart as they are."""
    far = 7 * 2**46
    sums = jax.tree.map(lambda *each: jnp.stack(each), tall(far), tall(far + 3), tall(far - 2**44))
    held = Tall(sums.top, FixedPoint(sums.rest.high, sums.rest.low, jnp.float32(1.0)))
    apart = held.less_first().cut()

    assert [0, 3, -(2**44)] == [
        high * LIMB + low for high, low in zip(apart.high.tolist(), apart.low.tolist(), strict=True)
    ]


def test_the_hosts_numbers_are_cut_and_read_back_exactly():
    """In 64 bits: where float32 has lost the step, below zero, and of any shape."""
    step = 2.0**-10
    values = np.array([[2.0**30 + 5 * step, -(2.0**30) - 5 * step], [1.5 * step, -1.5 * step]])
    expected = [[2.0**30 + 5 * step, -(2.0**30) - 5 * step], [step, -step]]

    assert expected == FixedPoint.of(values, step).exact().tolist()
    assert [3.0, -1.0] == FixedPoint.of([3, -1], 1.0).exact().tolist()
    assert step == float(FixedPoint.of(values, step).step)
