"""Laws as questions: what is one, how it is held, and what of it is recorded."""

import numpy as np
import pytest

from tacit.contribution import Interval, OneHot
from tacit.question.laws import NearestLaw
from tacit.question.rows import OfRows
from tacit.record import plain

MASSES = [[0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]]


def test_masses_are_whole_units_that_sum_to_one():
    """Of 2^-32, each to half of one but for the largest, whatever a thousand floats sum to."""
    many = np.random.default_rng(0).dirichlet(np.ones(1_000), 3)
    units = NearestLaw(many * (1 + 5e-7)).units

    assert units.sum(axis=1).tolist() == [2**32] * 3 and units.min() >= 0
    off = np.abs(units - many * 2**32)
    assert off.max() <= 500 and np.sort(off, axis=1)[:, -2].max() <= 0.51


def test_a_record_holds_a_digest_for_the_masses():
    """The same for the same masses, and another one for masses that differ by 1e-6."""
    asked, other = NearestLaw(MASSES), NearestLaw([[0.5, 0.25 + 1e-6, 0.25 - 1e-6], MASSES[1]])

    assert plain(asked) == {"type": "NearestLaw", "digest": asked.digest}
    assert asked == NearestLaw(np.array(MASSES)) != other
    assert NearestLaw([[0.5, 0.5]] * 3).digest != NearestLaw([[0.5, 0, 0.5]] * 2).digest


@pytest.mark.parametrize(
    "masses, said",
    [
        ("ab", "masses must be a table of numbers, a row for each law, got 'ab'"),
        ([["a", "b"], ["c", "d"]], "masses must be a table of numbers"),
        ([[0.5, 0.5], [1.0]], "masses must be a table of numbers"),
        ([[10**400, 0.5], [0.5, 0.5]], "masses must be a table of numbers"),
        ([0.5, 0.5], "of 2 to 256 laws"),
        ([[0.5, 0.5]], "of 2 to 256 laws"),
        ([[1.0], [1.0]], "2 to 2.16 cells"),
        ([[1.5, -0.5], [0.5, 0.5]], "must be at least 0"),
        ([[0.5, 0.4], [0.5, 0.5]], "a sum of 0.9"),
        ([[np.nan, 0.5], [0.5, 0.5]], "must be at least 0"),
        ([[np.inf, 0.5], [0.5, 0.5]], "must be at least 0"),
    ],
)
def test_what_is_no_law_is_refused(masses, said):
    """With what it would have to be."""
    with pytest.raises(ValueError, match=said):
        NearestLaw(masses)


@pytest.mark.parametrize("shape", [OneHot(4), Interval(0, 1)])
def test_laws_are_about_as_many_categories(shape):
    """Those of their cells."""
    with pytest.raises(ValueError, match=r"NearestLaw of these masses is about OneHot\(3\)"):
        OfRows(shape, 10, NearestLaw(MASSES))

    assert OfRows(OneHot(3), 10, NearestLaw(MASSES)).size == 1
