"""Mixtures meet pairs, and rows meet mixtures."""

import itertools

import numpy as np
import pytest

from tacit.synthesis.mixture import ProductMixture, _softmaxes, _through, fitted, quota

SIZES = (3, 4, 2)


def target() -> tuple[dict, list]:
    """Of a mixture of two components, whose pairs are tied."""
    shares = [np.array(each) for each in ([0.7, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.9, 0.1])]
    other = [each[::-1] for each in shares]
    own = ProductMixture(SIZES, np.stack([np.concatenate(shares), np.concatenate(other)]))
    pairs = {pair: own.pair(pair) for pair in itertools.combinations(range(3), 2)}
    return pairs, [(a + b) / 2 for a, b in zip(shares, other, strict=True)]


def test_a_mixture_meets_its_pairs():
    """Within a hundredth in total variation, from a start that is off by more than a tenth."""
    pairs, shares = target()
    found = fitted(SIZES, pairs, shares, np.random.default_rng(0), components=20)
    first = fitted(SIZES, pairs, shares, np.random.default_rng(0), components=20, steps=1)
    off, before = (
        max(np.abs(own.pair(pair) - pairs[pair]).sum() / 2 for pair in pairs)
        for own in (found, first)
    )

    assert off < 0.01 and before > 0.1
    np.testing.assert_allclose(found.shares[:, :3].sum(1), 1)


def test_slopes_are_those_of_the_loss():
    """In the free numbers, for any slopes in the shares: by differences."""
    rng = np.random.default_rng(0)
    free, slopes = rng.normal(size=(2, 9)), rng.normal(size=(2, 9))
    found, step = _through(_softmaxes(free, SIZES), slopes, SIZES), 1e-6
    for place in np.ndindex(*free.shape):
        moved = np.zeros_like(free)
        moved[place] = step
        above, below = (_softmaxes(free + sign * moved, SIZES) for sign in (1, -1))
        assert found[place] == pytest.approx(((above - below) * slopes).sum() / 2 / step, abs=1e-7)


def test_every_few_steps_lose_less():
    """From any start, as the slopes lead down."""
    pairs, shares = target()

    def loss(own: ProductMixture) -> float:
        weights = {p: np.outer(*(shares[i] for i in p)) ** -0.5 for p in pairs}
        return sum(float((weights[p] * (own.pair(p) - pairs[p]) ** 2).sum()) for p in pairs)

    runs = [
        loss(fitted(SIZES, pairs, shares, np.random.default_rng(3), components=8, steps=steps))
        for steps in (1, 2, 4, 8, 16, 32, 64)
    ]
    assert all(later < earlier for earlier, later in itertools.pairwise(runs))


def test_rows_have_the_mixtures_shares():
    """Each component has its part of the rows, and each category its own within one row of it."""
    pairs, shares = target()
    own = fitted(SIZES, pairs, shares, np.random.default_rng(0), components=5, steps=50)
    rows = own.rows(10_000, np.random.default_rng(1))
    for column in range(3):
        counted = np.bincount(rows[:, column], minlength=SIZES[column])
        mean = own.shares[:, sum(SIZES[:column]) : sum(SIZES[: column + 1])].mean(0)
        assert np.abs(counted - 10_000 * mean).max() <= 5
    assert rows.shape == (10_000, 3)
    assert len(own.rows(3, np.random.default_rng(0))) == 3


@pytest.mark.parametrize("many", [0, 1, 7, 1_000])
def test_a_quota_is_whole(many):
    """Each category has its share rounded down or up, and categories of no share have none."""
    shares = np.array([0.5, 0.0, 0.3, 0.2])
    counted = np.bincount(quota(shares, many, np.random.default_rng(many)), minlength=4)

    assert counted.sum() == many and counted[1] == 0
    assert (np.abs(counted - many * shares) < 1 + 1e-9).all()


def test_columns_are_independent_within_a_component():
    """Of 40,000 rows of one component each pair of values has its product, within six deviations
    of a hypergeometric number; in order, first values would go with first ones."""
    own = ProductMixture((2, 3), np.array([[0.5, 0.5, 0.2, 0.3, 0.5]]))
    rows, many = own.rows(40_000, np.random.default_rng(0)), 40_000
    counted = np.zeros((2, 3))
    np.add.at(counted, tuple(rows.T), 1)
    both = np.multiply.outer([0.5, 0.5], [0.2, 0.3, 0.5])
    left = np.multiply.outer([0.5, 0.5], [0.8, 0.7, 0.5])

    assert (np.abs(counted - many * both) <= 6 * np.sqrt(many * both * left) + 1).all()
