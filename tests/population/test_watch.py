"""The bar of rounds: drawn where somebody looks, a line for a whole run."""

import io
import re
from itertools import count
from types import SimpleNamespace

import pytest

import small
import tacit
from tacit.accounting.upper import upper
from tacit.population import watch
from tacit.population.so_far import epsilon_so_far
from tacit.population.watch import of_simulation, progress_bar


class Terminal(io.StringIO):
    """Somebody looks."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves ten seconds whenever it is read."""
    ticks = count(0, 10)
    # The module's own clock: other threads read the process's.
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: float(next(ticks))))


def test_a_run_draws_one_line_to_its_end(tmp_path):
    """Every round of four, in place, and one end of line."""
    plan, shown = small.plan(rounds=4), Terminal()
    grant = small.people().grant(plan, tacit.statistics.Average(), small.ledger(tmp_path))
    grant.run(watch=progress_bar(plan, shown))

    drawn = shown.getvalue()
    assert [f"{number} of 4 rounds" for number in (1, 2, 3, 4)] == [
        " ".join(line.split("·")[0].split()[1:]) for line in drawn.split("\r")[1:]
    ]
    assert 1 == drawn.count("\n") and drawn.endswith("\n")
    assert "█" * 40 in drawn.split("\r")[-1] and "░" * 30 in drawn.split("\r")[1]


def test_the_time_that_is_left_is_the_pace_so_far(clock):
    """Ten seconds a round since the first was drawn; at the end nothing is left."""
    shown = Terminal()
    bar = progress_bar(small.plan(rounds=99), shown)
    for done in (9, 10, 90, 99):
        bar(done, None)
    lines = shown.getvalue().split("\r")[1:]

    assert "left" not in lines[0] and "14:50 left" in lines[1]
    # After 81 rounds and twenty seconds.
    assert "0:02 left" in lines[2] and "left" not in lines[3]


def test_hours_are_said_as_hours(clock):
    """Ten seconds a round, a thousand rounds."""
    shown = Terminal()
    bar = progress_bar(small.plan(rounds=1001), shown)
    for done in (10, 20):
        bar(done, None)

    assert "0:16:21 left" in shown.getvalue() or "16:21 left" in shown.getvalue()


def test_the_bar_says_at_most_what_was_spent_so_far_and_what_was_charged():
    """Rounded up, at the end of the twentieth of all rounds that is being played."""
    plan, shown = small.plan(rounds=40), Terminal()
    bar, (promise,) = progress_bar(plan, shown), plan.guarantees
    for done in range(1, 41):
        bar(done, None)
    lines = shown.getvalue().split("\r")[1:]

    for done, line in enumerate(lines, 1):
        said, whole = re.search(r"ε (\S+) of (\S+)", line).groups()
        ends = done + done % 2
        assert said == upper(epsilon_so_far(promise, plan.sums, ends)) and whole == "1"
        assert float(said) >= epsilon_so_far(promise, plan.sums, done)


def test_where_nothing_is_promised_nothing_is_said_of_it():
    """A plan without privacy has rounds and time alone."""
    shown = Terminal()
    progress_bar(small.plan(trust=tacit.NonPrivate()), shown)(1, None)

    assert "ε" not in shown.getvalue()


def test_a_bar_of_a_simulation_says_so():
    """In place of what the plan would promise, and beside what is said; alone or among others."""
    shown = Terminal()
    bar = progress_bar(small.plan(), shown, said=lambda: "loss 0.1")
    for watching in (bar, [print, bar], (bar,)):
        made = of_simulation(watching)
        last = made[-1] if isinstance(made, list) else made
        last(1, None)
        line = shown.getvalue().split("\r")[-1]

        assert "1 of 4 rounds · a simulation, not private · loss 0.1" in line and "ε" not in line
    bar(1, None)
    assert "ε" in shown.getvalue().split("\r")[-1]


def test_who_draws_nothing_watches_a_simulation_as_it_is():
    """Other watches, nobody, and what is none, which the run refuses."""
    assert of_simulation(None) is None and of_simulation(print) is print
    assert of_simulation([print, 3]) == [print, 3] and of_simulation(3) == 3


def test_what_is_said_beside_it_stands_at_the_end_and_leaves_nothing_behind():
    """A shorter line covers a longer one."""
    shown, words = Terminal(), iter(["loss 0.123456789", "loss 0.1", ""])
    bar = progress_bar(small.plan(), shown, said=lambda: next(words))
    for done in (1, 2, 3):
        bar(done, None)
    first, second, third = shown.getvalue().split("\r")[1:]

    assert "loss 0.123456789" in first and second.rstrip().endswith("loss 0.1")
    assert len(second) >= len(first) and "loss" not in third and len(third) >= len(second.rstrip())


def test_a_run_that_is_ended_ends_its_line(tmp_path):
    """By somebody else who watches."""
    plan, shown = small.plan(rounds=4), Terminal()
    grant = small.people().grant(plan, tacit.statistics.Average(), small.ledger(tmp_path))
    grant.run(watch=[progress_bar(plan, shown), lambda rounds, state: rounds == 2])

    assert "2 of 4 rounds" in shown.getvalue().split("\r")[-1]
    assert shown.getvalue().endswith("\n")


def test_many_rounds_are_drawn_a_hundred_times(tmp_path):
    """A line for each per cent, whatever the number of rounds."""
    shown = Terminal()
    bar = progress_bar(small.plan(rounds=100_000), shown)
    for done in range(1, 100_001):
        bar(done, None)

    assert bar.every == 1000 and shown.getvalue().count("\r") <= 102
    assert "100,000 of 100,000 rounds" in shown.getvalue().split("\r")[-1]


def test_nothing_is_drawn_into_a_file():
    """What is kept in a log is what went wrong."""
    shown = io.StringIO()
    bar = progress_bar(small.plan(), shown)
    bar(4, None)
    bar.ended(4)

    assert "" == shown.getvalue()
