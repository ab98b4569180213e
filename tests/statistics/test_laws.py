"""Hypotheses: their cells, what they give to them, and what is none."""

import numpy as np
import pytest
from scipy import stats

from tacit.statistics import LawsOfCategories, LawsOfNumbers

NORMAL = {"one": stats.norm(0, 1), "two": stats.norm(1, 2)}


def test_a_law_gives_each_cell_what_it_has_between_its_ends():
    """An end is in the lower cell, with a law that has masses on ends, too."""
    ends = (0.0, 1.0, 3.0)
    laws = LawsOfNumbers({"normal": stats.norm(0, 1), "counts": stats.poisson(1.0)}, ends)
    normal, counts = laws.asked.masses

    np.testing.assert_allclose(normal, np.diff(stats.norm.cdf([-np.inf, *ends, np.inf])))
    pmf = stats.poisson(1.0).pmf([0, 1, 2, 3])
    np.testing.assert_allclose(counts[:3], [pmf[0], pmf[1], pmf[2] + pmf[3]])
    found = laws.cells([-9, 0.0, 0.5, 1.0, 1.5, 3.0, 3.1, np.nan, np.inf, -np.inf])
    assert found.tolist() == [0, 0, 1, 1, 2, 2, 3, -1, 3, 0]


def test_people_of_a_law_are_in_cells_as_it_says():
    """Shares of 20,000 people in default cells, to five standard deviations each."""
    laws = LawsOfNumbers({**NORMAL, "counts": stats.poisson(4.0)})
    for law, masses in zip(laws.laws.values(), laws.asked.masses, strict=True):
        drawn = law.rvs(20_000, random_state=np.random.default_rng(1))
        shares = np.bincount(laws.cells(drawn), minlength=laws.asked.cells) / 20_000
        assert np.all(np.abs(shares - masses) <= 5 * np.sqrt(masses / 20_000) + 3e-4)


def test_default_cells_keep_the_distances_of_laws():
    """Of two normal laws to one part in a thousand; and there are at most 2,049 of them."""
    laws = LawsOfNumbers(NORMAL)
    fine = np.linspace(-20, 20, 400_001)
    exact = np.trapezoid(np.abs(NORMAL["one"].pdf(fine) - NORMAL["two"].pdf(fine)), fine) / 2
    kept = np.abs(np.diff(laws.asked.masses, axis=0)).sum() / 2
    many = LawsOfNumbers({str(mean): stats.norm(mean, 1) for mean in range(250)})

    assert exact * 0.999 <= kept <= exact + 1e-6
    assert len(laws.ends) == 1_024 and len(many.ends) <= 2_048


def test_categories_are_numbered_as_listed():
    """Labels that are none are one past the last."""
    laws = LawsOfCategories({"fair": [0.5, 0.5], "bent": np.array([0.9, 0.1])}, ("heads", "tails"))

    assert laws.cells(["tails", "heads", "edge", None]).tolist() == [1, 0, 2, 2]
    assert laws.labels == ("fair", "bent")
    np.testing.assert_allclose(laws.asked.masses, [[0.5, 0.5], [0.9, 0.1]])


def test_whole_numbers_beside_a_density_need_ends_of_their_own():
    """Else the density is as far from them as can be, and it is not that of a year for a year."""
    listed = {"density": stats.uniform(18, 72), "counts": stats.poisson(50)}
    ages = np.repeat(np.arange(18, 90), 10)

    def distance(ends) -> float:
        laws = LawsOfNumbers(listed, ends)
        shares = np.bincount(laws.cells(ages), minlength=laws.asked.cells) / len(ages)
        return np.abs(laws.asked.masses[0] - shares).sum() / 2

    assert distance(None) > 0.5
    assert distance(range(121)) < 1.01 / 72


def test_ends_that_nobody_gave_are_not_printed():
    """There may be two thousand of them."""
    assert len(repr(LawsOfNumbers(NORMAL))) < 300


class Falling:
    """A cdf that is none."""

    def cdf(self, numbers):
        return 1 - stats.norm.cdf(numbers)


@pytest.mark.parametrize(
    "laws, ends, said",
    [
        (None, None, "laws must be at least two by their labels"),
        ([stats.norm()] * 2, None, "laws must be at least two by their labels"),
        ({"one": stats.norm()}, None, "at least two .* got 1"),
        ({"one": stats.norm(), "two": 3.0}, None, "law 'two' must have a cdf"),
        ({"one": stats.norm(), "two": Falling()}, None, "law 'two' must have a ppf"),
        ({"one": stats.norm(), "two": Falling()}, (0, 1), "law 'two' must have a cdf that rises"),
        ({"one": stats.norm(), "two": stats.norm(0, -1)}, (0, 1), "law 'two' must have a cdf that"),
        (NORMAL, (), "ends must be finite numbers, at least one"),
        (NORMAL, "ab", "ends must be finite numbers"),
        (NORMAL, (0.0, np.inf), "ends must be finite numbers"),
        (NORMAL, (0.0, np.nan), "ends must be finite numbers"),
        (NORMAL, (1.0, 1.0), "ends must rise"),
    ],
)
def test_what_is_no_law_of_numbers_is_refused(laws, ends, said):
    """As it is written down."""
    with pytest.raises(ValueError, match=said):
        LawsOfNumbers(laws, ends)


@pytest.mark.parametrize(
    "laws, said",
    [
        (
            {"a": [0.5, 0.5], "b": [1.0]},
            "law 'b' must have a share for each of 2 categories, got 1",
        ),
        ({"a": [0.5, 0.5], "b": 1.0}, "law 'b' must list shares, got 1.0"),
        ({"a": [0.5, 0.5], "b": ["x", "y"]}, "masses must be a table of numbers"),
        ({"a": [0.5, 0.5], "b": {"yes": 0.5, "no": 0.5}}, "law 'b' must list shares, got dict"),
        ({"a": [0.5, 0.5], "b": [0.6, 0.6]}, "those of a law sum to one"),
    ],
)
def test_what_is_no_law_of_categories_is_refused(laws, said):
    """As it is written down."""
    with pytest.raises(ValueError, match=said):
        LawsOfCategories(laws, ("yes", "no"))
