"""A device's ledger: never over its cap, never two reports of a round, whatever happens between."""

import math
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

from tacit.live import own_ledger
from tacit.live.cap import Cap
from tacit.live.link import SENT_WITHIN
from tacit.live.own_ledger import Cost, OverCap, OwnLedger

DAY = 86_400.0
CAP = Cap(1.0, 7.0, 1e-9)


class Clock:
    """One that is set."""

    def __init__(self):
        self.now = 20_000 * DAY

    def __call__(self):
        return self.now


def charged(book, number, epsilon=0.25, distance=0.0, asked="a"):
    cost = Cost(epsilon, distance)
    return book.charge(bytes([number]) * 32, asked, cost, "phones", "round")


def renewed(book):
    """Something more of the first round is sent."""
    book.renew(bytes(32))


def test_the_cap_is_met_and_never_passed(tmp_path):
    """Four quarters fit, exactly; a thousandth more does not, and nothing is spent by asking."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    for number in range(4):
        charged(book, number)
    with pytest.raises(OverCap, match="epsilon 1 and delta 1e-09 in any 7 days"):
        charged(book, 4, 0.001)

    assert (1.0, 0.0) == book.spent() and 4 == len(book.lines())


@pytest.mark.parametrize("cap", ["epsilon 5 a week", 5.0, None, Cap], ids=str)
def test_what_is_no_cap_is_refused_when_a_ledger_is_made(tmp_path, cap):
    """Words, for one: the sentence says what reads them. No file is made."""
    with pytest.raises(ValueError, match=r'must be a Cap, as Cap.read\("epsilon 50 a week"\)'):
        OwnLedger(tmp_path / "own.db", cap)

    assert not list(tmp_path.iterdir())


def test_whether_a_round_was_answered_can_be_asked(tmp_path):
    """For nothing: it counts no longer for that."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    assert not book.answered(bytes(32))
    charged(book, 0)
    assert not book.answered(bytes(32))
    book.keep(bytes(32), b"report")
    clock.now += 6 * DAY
    assert book.answered(bytes(32))
    clock.now += 2 * DAY

    assert 0.0 == book.spent()[0]


def test_sums_are_exact(tmp_path):
    """Ten tenths are more than one, as floats are: the tenth is refused."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    for number in range(9):
        charged(book, number, 0.1)
    with pytest.raises(OverCap):
        charged(book, 9, 0.1)


def test_delta_has_a_cap_too(tmp_path):
    """What samplers are off by adds up, and takes 1 + e of it each, at the cap's epsilon of one."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    charged(book, 0, 0.1, 2e-10)
    with pytest.raises(OverCap):
        charged(book, 1, 0.1, 1e-10)

    assert (0.1, pytest.approx((1 + math.e) * 2e-10)) == book.spent()


def test_a_sampler_off_by_hardly_anything_is_refused_at_a_large_epsilon(tmp_path):
    """e^50 times 1e-28 is more than the cap's delta."""
    with pytest.raises(OverCap):
        charged(OwnLedger(tmp_path / "own.db", Cap(50.0, 7.0)), 0, 1.0, 1e-28)


def test_what_is_sent_late_counts_when_it_is_sent(tmp_path):
    """Again within its stretch it counts from then on; after it, it is sent no more, nor drawn."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 0.5), charged(book, 1, 0.5)
    book.keep(bytes(32), b"report")
    clock.now += 6 * DAY
    assert b"report" == charged(book, 0, 0.5).report
    clock.now += 2 * DAY
    with pytest.raises(OverCap, match="no longer kept"):
        charged(book, 1, 0.5)
    with pytest.raises(OverCap, match="cap"):
        charged(book, 2, 0.75)
    charged(book, 2, 0.5)


def test_a_report_that_is_kept_late_counts_from_then_on(tmp_path):
    """It was charged six days before it was drawn: six days later there is no room for another."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 1.0)
    clock.now += 6 * DAY
    assert b"report" == book.keep(bytes(32), b"report")
    clock.now += 6 * DAY
    assert 1.0 == book.spent()[0]
    with pytest.raises(OverCap, match="would exceed"):
        charged(book, 1, 0.25)
    clock.now += DAY
    charged(book, 1, 1.0)


def test_a_report_whose_stretch_is_over_is_not_kept(tmp_path):
    """Nor is one handed over that another process kept: what it was charged counts no more."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 0.5), charged(book, 1, 0.5)
    book.keep(bytes(32), b"report")
    clock.now += 7 * DAY
    for number in range(2):
        with pytest.raises(OverCap, match="begun too long ago"):
            book.keep(bytes([number]) * 32, b"report")
    charged(book, 2, 1.0)


def test_a_report_that_was_never_charged_is_not_kept(tmp_path):
    """Of a ledger that was put in another's place, for one: the sentence says so."""
    with pytest.raises(OverCap, match="was never begun"):
        OwnLedger(tmp_path / "own.db", CAP).keep(bytes(32), b"report")


def test_a_clock_that_is_set_back_while_a_report_is_drawn_gives_nothing_back(tmp_path):
    """It is kept at the time of its charge, and counts for a stretch after that."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 1.0)
    clock.now -= 30 * DAY
    assert b"report" == book.keep(bytes(32), b"report")
    clock.now += 37 * DAY - 1
    with pytest.raises(OverCap, match="would exceed"):
        charged(book, 1)
    clock.now += 1
    charged(book, 1)


def test_a_clock_that_was_ahead_while_a_report_was_drawn_loses_nothing(tmp_path):
    """What was refused then was not written: it is kept when the clock is right again."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 1.0)
    for now in (20_100 * DAY, math.nan):
        clock.now = now
        with pytest.raises(OverCap):
            book.keep(bytes(32), b"report")
    clock.now = 20_001 * DAY

    assert b"report" == book.keep(bytes(32), b"report")


def walked(book, clock, rng):
    """When, by the ledger's time, and which report was handed over; and what each of them costs."""
    costs, sent, latest = [], [], 0.0
    for _ in range(200):
        clock.now += rng.choice([-3.0, 0.0, 1.0, 2.0, 6.0, 6.9]) * DAY
        which = max(0, len(costs) - int(rng.integers(5)))
        number, way = bytes([which]) * 32, rng.choice(["keep", "again", "renew"])
        with suppress(OverCap):
            if new := which == len(costs):
                way, cost = "charge", float(rng.choice([0.25, 0.5, 1.0]))
                charged(book, which, cost), costs.append(cost)
            elif way == "keep":
                book.keep(number, b"report")
            elif way == "renew":
                book.renew(number)
            elif charged(book, which, costs[which]).report is None:
                new = True
            latest = max(latest, clock.now)
            if not new:
                sent.append((latest, which))
    return sent, costs


@pytest.mark.parametrize("seed", range(3))
def test_no_stretch_has_more_than_the_cap_whenever_the_clock_moves(tmp_path, seed):
    """Between a charge and its report, before it is sent again, and back: for any stretch, what was
    handed over in it has room; and some stretch is full."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    sent, costs = walked(book, clock, np.random.default_rng(seed))
    stretches = [{which for then, which in sent if end - 7 * DAY < then <= end} for end, _ in sent]

    assert 1.0 == max(sum(costs[which] for which in stretch) for stretch in stretches)


def test_of_two_who_draw_one_report_the_first_is_heard(tmp_path):
    """Two processes with other data have one key: one report leaves."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    assert charged(book, 0).key == charged(book, 0).key

    assert b"first" == book.keep(bytes(32), b"first") == book.keep(bytes(32), b"second")


@pytest.mark.parametrize("epsilon", [float("nan"), float("inf")])
def test_an_epsilon_that_is_no_number_is_not_charged(tmp_path, epsilon):
    """It fits under no cap."""
    with pytest.raises((OverCap, ValueError, OverflowError)):
        charged(OwnLedger(tmp_path / "own.db", CAP), 0, epsilon)


def test_a_stretch_ends(tmp_path):
    """What was sent counts for the days of the cap, to the second, and no longer."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 1.0)
    clock.now += 7 * DAY - 1
    with pytest.raises(OverCap):
        charged(book, 1)
    clock.now += 1
    charged(book, 1)


def test_what_a_network_may_hold_up_counts_as_much_longer(tmp_path, monkeypatch):
    """Handed over at one end of a stretch and sent late, it is in one stretch with what follows."""
    monkeypatch.setattr(own_ledger, "SENT_WITHIN", SENT_WITHIN)
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 1.0)
    clock.now += 7 * DAY + SENT_WITHIN - 1
    with pytest.raises(OverCap):
        charged(book, 1)
    clock.now += 1
    charged(book, 1)


def test_a_clock_that_is_set_back_gives_nothing_back(tmp_path):
    """Time is the latest of all that was written: a year back gives no year back."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 0.5)
    clock.now -= 365 * DAY
    charged(book, 1, 0.5)
    with pytest.raises(OverCap):
        charged(book, 2)
    clock.now += 30 * DAY
    with pytest.raises(OverCap):
        charged(book, 2)


@pytest.mark.parametrize(
    "hand_over", [lambda book: charged(book, 0, 1.0), renewed], ids=["again", "renewed"]
)
def test_what_is_handed_over_by_a_clock_that_was_set_back_counts_as_before(tmp_path, hand_over):
    """A report that is asked for again, or gone on with, has no earlier time than it had."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 1.0)
    book.keep(bytes(32), b"report")
    clock.now -= 30 * DAY
    hand_over(book)
    clock.now += 30 * DAY
    with pytest.raises(OverCap, match="would exceed"):
        charged(book, 1, 1.0)


def test_a_round_that_died_is_drawn_from_the_same_key(tmp_path):
    """In another process too, and charged once; with something else asked it is refused."""
    first = charged(OwnLedger(tmp_path / "own.db", CAP), 0)
    book = OwnLedger(tmp_path / "own.db", CAP)

    assert first == charged(book, 0) and (0.25, 0.0) == book.spent()
    with pytest.raises(OverCap, match="something else"):
        charged(book, 0, asked="b")


def test_a_report_that_was_kept_is_sent_again(tmp_path):
    """Its key is gone; what else is asked in its round is refused."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    key = charged(book, 0).key
    book.keep(bytes(32), b"report")
    again = charged(book, 0)

    assert (None, b"report") == (again.key, again.report)
    assert key is not None and key not in (tmp_path / "own.db").read_bytes()
    with pytest.raises(OverCap, match="something else"):
        charged(book, 0, asked="b")


def test_two_who_open_it_share_one_cap(tmp_path):
    """Both want three quarters of it, and each was there before the other asked: one has them."""
    one, other = (OwnLedger(tmp_path / "own.db", CAP) for _ in range(2))
    charged(one, 0, 0.75)
    with pytest.raises(OverCap):
        charged(other, 1, 0.75)


def test_two_processes_share_one_cap(tmp_path):
    """Both want three quarters of it: one has them."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    charged(book, 0, 0.75)
    other = (
        "import sys; from tacit.live.own_ledger import *; from tacit.live.cap import Cap\n"
        "book = OwnLedger(sys.argv[1], Cap(1.0, 7.0))\n"
        "try: book.charge(b'1' * 32, 'a', Cost(.75, 0.0), 'phones', 'round')\n"
        "except OverCap: print('refused')"
    )
    ran = [sys.executable, "-c", other, str(tmp_path / "own.db")]

    assert "refused\n" == subprocess.run(ran, capture_output=True, text=True, check=True).stdout


def in_run(book, number, times=2, run=b"r" * 32, epsilon=0.5, delta=1e-10):
    cost = Cost(epsilon, 0.0, delta, run, times)
    return book.charge(bytes([number]) * 32, "a", cost, "phones", "round")


def test_a_run_is_spent_once(tmp_path):
    """However many of its rounds there were, and beside reports of no run."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    in_run(book, 0)
    in_run(book, 1)
    charged(book, 2, 0.25)

    assert (0.75, 1e-10) == book.spent()
    with pytest.raises(OverCap, match="would exceed"):
        in_run(book, 3, run=b"s" * 32)


def test_a_run_has_no_more_rounds_than_its_plan(tmp_path):
    """For this device: its promise is of so many."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    in_run(book, 0)
    in_run(book, 1)
    with pytest.raises(OverCap, match="had all the rounds"):
        in_run(book, 2)

    assert 2 == len(book.lines())


def test_a_run_has_had_its_rounds_for_good(tmp_path):
    """Also those that count no longer: its promise is of so many, whenever they are."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    in_run(book, 0)
    in_run(book, 1)
    clock.now += 30 * DAY
    with pytest.raises(OverCap, match="had all the rounds"):
        in_run(book, 2)


def test_a_run_counts_as_long_as_one_of_its_rounds_does(tmp_path):
    """Its last one is six days after its first, and ten days later there is none."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    in_run(book, 0)
    clock.now += 6 * DAY
    in_run(book, 1)
    clock.now += 6 * DAY
    assert 0.5 == book.spent()[0]
    clock.now += 4 * DAY

    assert 0.0 == book.spent()[0]


def test_deltas_of_runs_have_a_cap(tmp_path):
    """Ten of a tenth of it are too many, as floats are."""
    book = OwnLedger(tmp_path / "own.db", Cap(10.0, 7.0, 1e-9))
    for number in range(9):
        in_run(book, number, run=bytes([number]) * 32, delta=1e-10)
    with pytest.raises(OverCap):
        in_run(book, 9, run=b"s" * 32, delta=1.1e-10)


@pytest.mark.parametrize("cheaper", [{"epsilon": 0.001}, {"delta": 1e-12}], ids=str)
def test_a_run_has_one_price(tmp_path, cheaper):
    """One that is cheaper in the name of a dear one is refused, and erases nothing."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    in_run(book, 0, epsilon=0.9)
    spent = book.spent()
    with pytest.raises(OverCap, match="this run was another one before"):
        in_run(book, 1, **{"epsilon": 0.9, **cheaper})

    assert spent == book.spent()


def test_no_run_has_the_name_of_a_report(tmp_path):
    """A server chooses both numbers."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    charged(book, 5, 0.9)
    # Nine tenths and one are hardly more than one, as floats are.
    for epsilon in (0.2, 0.1):
        with pytest.raises(OverCap, match="would exceed"):
            in_run(book, 1, epsilon=epsilon, run=bytes([5]) * 32)

    assert 0.9 == book.spent()[0]


def test_what_is_gone_on_with_counts_from_then_on(tmp_path):
    """And what was begun too long ago is not: runs of many weeks are not seen in one."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    for week in range(3):
        in_run(book, week, run=bytes([week]) * 32, epsilon=0.9)
        clock.now += 8 * DAY
    clock.now -= 2 * DAY
    for week in range(2):
        with pytest.raises(OverCap, match="begun too long ago"):
            book.renew(bytes([week]) * 32)
    book.renew(bytes([2]) * 32)
    clock.now += 6 * DAY

    assert 0.9 == book.spent()[0]
    with pytest.raises(OverCap, match="begun too long ago"):
        book.renew(b"x" * 32)


def test_a_clock_that_runs_ahead_forgets_and_does_not_take_back(tmp_path):
    """By a year: what it writes then counts when the clock is right again, and for a year more."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 1.0)
    clock.now += 365 * DAY
    charged(book, 1, 1.0)
    clock.now -= 365 * DAY
    with pytest.raises(OverCap):
        charged(book, 2, 0.25)
    clock.now += 371 * DAY
    assert 1.0 == book.spent()[0]
    clock.now += 2 * DAY

    assert 0.0 == book.spent()[0]


@pytest.mark.parametrize(
    "now", [math.inf, -math.inf, math.nan, 1e300, 253_402_300_800.0, 100 * DAY, -1.0, None, "7"]
)
def test_a_clock_that_tells_no_time_is_refused(tmp_path, now):
    """At the end of all time every stretch is over, so nothing would count, and what a machine that
    has just begun writes in 1970 is forgotten once it knows the time: it is not charged, and not
    written, so that the ledger goes on when the clock is right again."""
    clock = Clock()
    book = OwnLedger(tmp_path / "own.db", CAP, clock)
    charged(book, 0, 0.75)
    clock.now = now
    with pytest.raises(OverCap, match="clock must be between 2020 and the year 10,000, got"):
        charged(book, 1, 0.25)
    with pytest.raises(OverCap, match="clock"):
        book.spent()
    clock.now = 20_000 * DAY

    assert (0.75, 0.0) == book.spent() and 1 == len(book.lines())
