"""Lengths' logarithms: their interval holds people, and their mean tells how long they are."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.statistics.log_lengths import LogLengths, part_of, white_of


@pytest.mark.parametrize("dim", [1, 2, 5, 40])
def test_their_mean_tells_the_variance_of_white_people(dim):
    """Wherever they are between the shortest and the longest, within a few hundredths."""
    lengths = LogLengths.between(dim, 1e-4, 1.0)
    rows = np.random.default_rng(0).normal(size=(200_000, dim))
    for variance in (1e-4, 0.03, 1.0):
        squares = jnp.asarray(variance * np.square(rows).sum(axis=1), jnp.float32)
        part = part_of(squares, jnp.asarray(lengths.low), jnp.asarray(lengths.span))
        mean = np.asarray(part, np.float64).mean()
        log = lengths.low + lengths.span * mean - lengths.white
        assert log == pytest.approx(np.log(variance), abs=0.05)


def test_who_has_no_length_or_too_much_counts_as_an_end():
    """And a NaN as one, whom the question counts as zero."""
    squares = jnp.asarray([0.0, 1e-30, np.inf, 1e30, np.nan])
    parts = np.asarray(part_of(squares, jnp.asarray(-3.0), jnp.asarray(4.0)))

    np.testing.assert_array_equal(parts[:4], [0, 0, 1, 1])
    assert np.isnan(parts[4])


def test_a_second_interval_is_as_wide_as_the_first_is_unsure():
    """About one; of more noise wider, and of none no wider than people themselves."""
    first = LogLengths.between(6, 1e-6, 1.0)
    exact, noisy = first.after(0.0, 10**9), first.after(0.05, 10**9)
    alone = LogLengths.between(6, 1.0, 1.0)

    assert exact.span == pytest.approx(alone.span, rel=1e-2) and exact.span < noisy.span
    assert noisy.span - alone.span == pytest.approx(6 * 0.05 * first.span, rel=1e-2)
    assert noisy.low + noisy.span / 2 == pytest.approx(alone.low + alone.span / 2, abs=1e-6)


@pytest.mark.parametrize("noise", [0.4, 1e3, 1e30])
def test_a_second_interval_is_no_wider_than_what_the_first_leaves_open(noise):
    """A noisy answer is clipped to the first, so after any noise the second is as far to each side
    as the first is long."""
    first = LogLengths.between(5, 1e-3, 1.0)
    alone = LogLengths.between(5, 1.0, 1.0)
    second = first.after(noise, 1)

    assert second.span == pytest.approx(2 * first.span + alone.span, rel=1e-9)


def test_how_far_off_a_level_is_follows_from_noise_and_people():
    """Of 2,000 sets of people, and of noise: what is foreseen."""
    host, people, dim = np.random.default_rng(0), 50, 3
    lengths = LogLengths.between(dim, 1e-3, 1.0)
    rows = np.sqrt(0.03) * host.normal(size=(2_000, people, dim))
    parts = (np.log(np.square(rows).sum(axis=2)) - lengths.low) / lengths.span
    logs = lengths.span * (parts.mean(axis=1) + 0.02 * host.normal(size=2_000)) + lengths.low

    assert np.std(logs) == pytest.approx(lengths.off(0.02, people), rel=0.06)
    assert np.mean(logs) - white_of(dim) == pytest.approx(np.log(0.03), abs=0.03)
