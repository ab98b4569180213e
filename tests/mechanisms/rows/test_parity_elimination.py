"""The parity behind people's labels: its exact law, its promise, and how many people it takes."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from mechanisms.rows import small_people
from mechanisms.rows.every_parity import every_solution
from tacit.mechanisms.rows.parity_elimination import ParityElimination
from tacit.noise.exact import WORD

ONE = 2**WORD
MADE = {
    small_people.added: ParityElimination.add_remove,
    small_people.changed: ParityElimination.replace_one,
}


def law(mechanism: ParityElimination, rows: np.ndarray) -> dict:
    """The chances of one part, over all outcomes of its coins."""
    kept, silent = mechanism.kept / ONE, mechanism.silent / ONE
    found = dict.fromkeys(itertools.product((0, 1), repeat=mechanism.dim), 0.0) | {None: silent}
    for coins in itertools.product((False, True), repeat=len(rows)):
        chance = (1 - silent) * kept ** sum(coins) * (1 - kept) ** (len(rows) - sum(coins))
        said = every_solution(rows[np.array(coins, bool)], mechanism.dim) or [None]
        for each in said:
            found[each] += chance / len(said)
    return found


@pytest.mark.parametrize("worst", MADE, ids=["added", "changed"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(("dim", "people"), [(1, 3), (2, 2)])
def test_the_promise_is_kept_and_met(worst, epsilon, dim, people):
    """Over all neighbouring data sets the worst log-ratio is epsilon, to 1e-9 and never above."""
    one_part = replace(MADE[worst](2, epsilon, 0.05), dim=dim, parts=1)
    found = worst(lambda rows: law(one_part, rows), dim, people)

    assert epsilon - 1e-9 < found <= epsilon


@pytest.mark.parametrize(
    ("worst", "slip"),
    [
        (small_people.added, {"silent": 0.8}),
        (small_people.changed, {"silent": 0.8}),
        (small_people.added, {"kept": 1.2}),
        (small_people.changed, {"kept": 1.2}),
    ],
)
def test_slips_are_seen(worst, slip):
    """Coins that are silent too rarely or keep too many break the promise by a tenth and more."""
    made = replace(MADE[worst](2, 1.0, 0.05), dim=1, parts=1)
    slipped = replace(made, **{name: int(getattr(made, name) * by) for name, by in slip.items()})

    assert worst(lambda rows: law(slipped, rows), 1, 3) > 1.1


def test_one_person_more_is_another_promise_than_one_changed():
    """The coins of the first, under the second, are beyond epsilon."""
    made = replace(ParityElimination.add_remove(2, 1.0, 0.05), dim=1, parts=1)

    assert small_people.changed(lambda rows: law(made, rows), 1, 3) > 1.2


def test_draws_follow_the_law():
    """Chi-square over 2,500 draws of one part at a tail of 1e-4, which other coins are beyond."""
    rows = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1], [0, 1, -1]], np.float32)
    made = replace(ParityElimination.add_remove(2, 1.0, 0.05), parts=1)
    drawn = [made.sample(quick_keys.key(seed), rows) for seed in range(2_500)]
    said = [None if each is None else tuple(each.astype(int)) for each in drawn]

    def tail(mechanism):
        chances = law(mechanism, rows[:-1])
        return chisquare(
            *zip(*((said.count(e), 2_500 * p) for e, p in chances.items()), strict=True)
        ).pvalue

    assert tail(made) > 1e-4
    assert tail(replace(made, kept=made.kept * 2 // 3)) < 1e-6


def test_people_are_dealt_by_coins_of_their_own():
    """Two parts of four people: chi-square over 2,500 draws at a tail of 1e-4 against the law over
    all dealings, which dealing by place is beyond."""
    rows = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]], np.float32)
    made = replace(ParityElimination.add_remove(2, 1.0, 0.05), parts=2)
    drawn = [made.sample(quick_keys.key(seed), rows) for seed in range(2_500)]
    said = [None if each is None else tuple(each.astype(int)) for each in drawn]

    def tail(dealings: list[tuple[int, ...]]) -> float:
        chances = dict.fromkeys(law(made, rows), 0.0)
        for dealing in dealings:
            one, two = (law(made, rows[np.array(dealing) == part]) for part in (0, 1))
            for each in chances:
                heard = one[None] * two[each] + (one[each] if each is not None else 0.0)
                chances[each] += heard / len(dealings)
        counts = ((said.count(each), 2_500 * chance) for each, chance in chances.items())
        return chisquare(*zip(*counts, strict=True)).pvalue

    assert tail(list(itertools.product((0, 1), repeat=4))) > 1e-4
    assert tail([(0, 1, 0, 1)]) < 1e-6


def test_an_epsilon_that_takes_too_many_people_is_refused():
    """By its own name."""
    with pytest.raises(ValueError, match="an epsilon of 1e-09 takes more than"):
        ParityElimination.add_remove(64, 1e-9, 0.05)


@pytest.mark.parametrize("coins", [{"kept": ONE}, {"kept": 0}, {"silent": 0}, {"silent": ONE}])
def test_coins_that_always_fall_alike_are_refused(coins):
    """Nothing would be promised then, or nothing said."""
    with pytest.raises(ValueError, match="both ways"):
        replace(ParityElimination.add_remove(3, 1.0, 0.05), **coins)


@pytest.mark.parametrize(("dim", "epsilon"), [(20, 1.0), (20, 0.3)])
def test_as_many_people_as_stated_are_enough(dim, epsilon):
    """95 of 100 runs and more find the parity of so many people: 88 has a tail of .003 at 95; with
    a quarter of them less than half do."""
    made = ParityElimination.add_remove(dim, epsilon, 0.05)
    people, numbers = made.people_for(0.05), np.random.default_rng(3)

    def found(size: int, seed: int) -> bool:
        bits, parity = numbers.integers(0, 2, (size, dim)), numbers.integers(0, 2, dim)
        rows = np.column_stack([bits, bits @ parity % 2]).astype(np.float32)
        said = made.sample(quick_keys.key(seed), rows)
        return said is not None and np.array_equal(said, parity)

    assert made.failure(people) <= 0.05 < made.failure(people - 1)
    assert sum(found(people, seed) for seed in range(100)) >= 88
    assert sum(found(people // 4, seed) for seed in range(20)) < 10


def test_how_often_it_fails_is_the_exact_chance():
    """Of one part, against the sum over who is kept of the chance of a full rank."""
    made = replace(ParityElimination.add_remove(3, 1.0, 0.05), parts=1)
    kept, silent = made.kept / ONE, made.silent / ONE
    ranks = [math.prod(1 - 2.0 ** (i - m) for i in range(3)) if m >= 3 else 0 for m in range(9)]
    found = sum(
        math.comb(8, m) * kept**m * (1 - kept) ** (8 - m) * full for m, full in enumerate(ranks)
    )

    assert made.failure(8) == pytest.approx(1 - (1 - silent) * found, abs=1e-12)


def test_six_hundred_people_are_enough_for_a_hundred_bits():
    """At an epsilon of 1, 95 times of 100."""
    assert ParityElimination.add_remove(100, 1.0, 0.05).people_for(0.05) <= 600


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_no_other_epsilon(epsilon):
    """Positive and finite."""
    with pytest.raises(ValueError, match="positive and finite"):
        ParityElimination.add_remove(3, epsilon, 0.05)


def test_a_failure_that_no_number_of_parts_reaches_is_refused():
    """At a small epsilon half of all parts say nothing."""
    with pytest.raises(ValueError, match="out of reach"):
        ParityElimination.add_remove(3, 1e-6, 1e-20)
    with pytest.raises(ValueError, match="must be above"):
        replace(ParityElimination.add_remove(3, 1.0, 0.05), parts=1).people_for(0.2)


def test_nobody_and_large_epsilons():
    """Any parity, of nobody; every coin keeps, at a huge epsilon."""
    empty = np.zeros((0, 4), np.float32)
    said = ParityElimination.add_remove(3, 50.0, 0.05).sample(quick_keys.key(0), empty)
    huge = ParityElimination.replace_one(3, 5_000.0, 0.05)

    assert said is not None and set(said) <= {0.0, 1.0}
    assert huge.kept < ONE and huge.silent >= 1
