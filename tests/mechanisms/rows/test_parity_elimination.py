"""The parity behind people's labels: its exact law, its promise, and how many people it takes."""

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.stats import chisquare

import host_keys
import quick_keys
from mechanisms.rows import small_people
from mechanisms.rows.every_parity import every_solution
from tacit.mechanisms.rows.parity_elimination import ParityElimination, failure_of
from tacit.noise.exact import WORD

ONE = 2**WORD
MOVED = {small_people.added: 1, small_people.changed: 2}


def law(mechanism: ParityElimination, rows: np.ndarray, slipped: tuple = (1, 1)) -> dict:
    """The chances of one part, over all outcomes of its coins, or of such that slipped."""
    kept, silent = mechanism.kept / ONE * slipped[0], mechanism.silent / ONE * slipped[1]
    found = dict.fromkeys(itertools.product((0, 1), repeat=mechanism.dim), 0.0) | {None: silent}
    for coins in itertools.product((False, True), repeat=len(rows)):
        chance = (1 - silent) * kept ** sum(coins) * (1 - kept) ** (len(rows) - sum(coins))
        said = every_solution(rows[np.array(coins, bool)], mechanism.dim) or [None]
        for each in said:
            found[each] += chance / len(said)
    return found


@pytest.mark.parametrize("worst", MOVED, ids=["added", "changed"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(("dim", "people"), [(1, 3), (2, 2)])
def test_the_promise_is_kept_and_met(worst, epsilon, dim, people):
    """Over all neighbouring data sets the worst log-ratio is epsilon, to 1e-9 and never above."""
    made = ParityElimination(dim, epsilon, MOVED[worst], 1)
    found = worst(lambda rows: law(made, rows), dim, people)

    assert epsilon - 1e-9 < found <= epsilon


@pytest.mark.parametrize("worst", MOVED, ids=["added", "changed"])
@pytest.mark.parametrize("slipped", [(1, 0.8), (1.2, 1)], ids=["rarely silent", "many kept"])
def test_slips_are_seen(worst, slipped):
    """Coins that are silent too rarely or keep too many break the promise by a tenth and more."""
    made = ParityElimination(1, 1.0, MOVED[worst], 1)

    assert worst(lambda rows: law(made, rows, slipped), 1, 3) > 1.1


def test_one_person_more_is_another_promise_than_one_changed():
    """The coins of the first, under the second, are beyond epsilon."""
    made = ParityElimination(1, 1.0, 1, 1)

    assert small_people.changed(lambda rows: law(made, rows), 1, 3) > 1.2


@pytest.mark.parametrize("moved", [1, 2])
@pytest.mark.parametrize("epsilon", [1e-30, 1e-9, 0.3, 40.0, 5_000.0])
def test_coins_are_rounded_to_the_side_of_privacy(epsilon, moved):
    """However small or large epsilon is, in a hundred digits: never kept more often nor silent more
    rarely, and by less than 2^-47 of them and one step."""
    made = ParityElimination(3, epsilon, moved, 1)
    with localcontext(prec=100):
        grown = Decimal(min(epsilon, 700.0)).exp()
        kept, silent = (grown - 1) / (grown + moved - 1) * ONE, ONE / (grown + moved)

    assert kept * Decimal(1 - 2.0**-47) - 1 <= made.kept <= kept and made.kept < ONE
    assert silent <= made.silent <= silent * Decimal(1 + 2.0**-47) + 1 and made.silent < ONE


def test_draws_follow_the_law():
    """Chi-square over 2,500 draws of one part at a tail of 1e-4, which other coins are beyond."""
    rows = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1], [0, 1, -1]], np.float32)
    made = ParityElimination(2, 1.0, 1, 1)
    drawn = [made.sample(key, rows) for key in host_keys.several(0, 2_500)]
    said = [None if each is None else tuple(each.astype(int)) for each in drawn]

    def tail(kept):
        chances = law(made, rows[:-1], (kept, 1))
        return chisquare(
            *zip(*((said.count(e), 2_500 * p) for e, p in chances.items()), strict=True)
        ).pvalue

    assert tail(1) > 1e-4
    assert tail(2 / 3) < 1e-6


def test_where_hardly_anything_may_be_told_a_part_is_silent_by_its_coin_alone():
    """People contradict each other, and nobody is kept: of 64 parts about a half say something,
    outside of which limits are but for a chance of 1e-5."""
    rows = np.array([[1, 0, 1], [1, 0, 0]], np.float32)
    made = ParityElimination(2, 1e-9, 1, 1)
    said = sum(made.sample(quick_keys.key(seed), rows) is not None for seed in range(64))

    assert 14 < said < 50


def test_people_are_dealt_by_coins_of_their_own():
    """Two parts of four people: chi-square over 800 draws at a tail of 1e-4 against the law over
    all dealings, which dealing by place is beyond."""
    rows = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]], np.float32)
    made = ParityElimination(2, 1.0, 1, 2)
    drawn = [made.sample(key, rows) for key in host_keys.several(1, 800)]
    said = [None if each is None else tuple(each.astype(int)) for each in drawn]

    def tail(dealings: list[tuple[int, ...]]) -> float:
        chances = dict.fromkeys(law(made, rows), 0.0)
        for dealing in dealings:
            one, two = (law(made, rows[np.array(dealing) == part]) for part in (0, 1))
            for each in chances:
                heard = one[None] * two[each] + (one[each] if each is not None else 0.0)
                chances[each] += heard / len(dealings)
        counts = ((said.count(each), 800 * chance) for each, chance in chances.items())
        return chisquare(*zip(*counts, strict=True)).pvalue

    assert tail(list(itertools.product((0, 1), repeat=4))) > 1e-4
    assert tail([(0, 1, 0, 1)]) < 1e-6


def test_an_epsilon_that_takes_too_many_people_is_refused():
    """By its own name."""
    with pytest.raises(ValueError, match="an epsilon of 1e-09 takes more than"):
        ParityElimination.for_failure(64, 1e-9, 1, 0.05)


@pytest.mark.parametrize(("dim", "epsilon"), [(20, 1.0), (20, 0.3)])
def test_as_many_people_as_stated_are_enough(dim, epsilon):
    """95 of 100 runs and more find the parity of so many people: 88 has a tail of .003 at 95; with
    a quarter of them less than half do."""
    made = ParityElimination.for_failure(dim, epsilon, 1, 0.05)
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
    made = ParityElimination(3, 1.0, 1, 1)
    kept, silent = made.kept / ONE, made.silent / ONE
    ranks = [math.prod(1 - 2.0 ** (i - m) for i in range(3)) if m >= 3 else 0 for m in range(9)]
    found = sum(
        math.comb(8, m) * kept**m * (1 - kept) ** (8 - m) * full for m, full in enumerate(ranks)
    )

    assert made.failure(8) == pytest.approx(1 - (1 - silent) * found, abs=1e-12)
    assert made.failure(8) == failure_of(3, 8, kept, silent, 1)


@pytest.mark.parametrize("failure", [0.3, 0.05, 1e-6])
@pytest.mark.parametrize("dim", [1, 30])
def test_no_other_number_of_parts_needs_fewer_people(dim, failure):
    """Of any up to forty; of one bit, the fewest that may do are not the best."""
    made = ParityElimination.for_failure(dim, 0.05, 1, failure)
    others = [ParityElimination(dim, 0.05, 1, parts) for parts in range(1, 41)]
    people = [each.people_for(failure) for each in others if each.silence < failure]

    assert made.people_for(failure) == min(people)


def test_six_hundred_people_are_enough_for_a_hundred_bits():
    """At an epsilon of 1, 95 times of 100."""
    assert ParityElimination.for_failure(100, 1.0, 1, 0.05).people_for(0.05) <= 600


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((3, 0.0, 1, 1), "epsilon must be positive and finite"),
        ((3, -1.0, 1, 1), "epsilon must be positive and finite"),
        ((3, math.nan, 1, 1), "epsilon must be positive and finite"),
        ((3, math.inf, 1, 1), "epsilon must be positive and finite"),
        ((3, 1.0, 0, 1), "moved must be 1 or 2"),
        ((3, 1.0, 3, 1), "moved must be 1 or 2"),
        ((3, 1.0, 1, 0), "parts must be a whole number of at least 1"),
        ((3, 1.0, 1, 1.5), "parts must be a whole number of at least 1"),
    ],
)
def test_other_numbers_are_refused(numbers, message):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=message):
        ParityElimination(*numbers)


def test_a_failure_that_no_number_of_parts_reaches_is_refused():
    """At a small epsilon half of all parts say nothing."""
    with pytest.raises(ValueError, match="out of reach"):
        ParityElimination.for_failure(3, 1e-6, 1, 1e-20)
    with pytest.raises(ValueError, match="must be above"):
        ParityElimination(3, 1.0, 1, 1).people_for(0.2)


def test_nobody_and_large_epsilons():
    """Any parity, of nobody; and at a huge epsilon."""
    empty = np.zeros((0, 4), np.float32)
    said = ParityElimination(3, 50.0, 1, 1).sample(quick_keys.key(0), empty)
    huge = ParityElimination(3, 5_000.0, 2, 1).sample(quick_keys.key(0), empty)

    for each in (said, huge):
        assert each is not None and set(each) <= {0.0, 1.0}
