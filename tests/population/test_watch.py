"""The bar of rounds: drawn where somebody looks, a line for a whole run."""

import io

import small
import tacit
from tacit.population.watch import progress_bar


class Terminal(io.StringIO):
    """Somebody looks."""

    def isatty(self) -> bool:
        return True


def test_a_run_draws_one_line_to_its_end(tmp_path):
    """Every round of four, in place, and one end of line."""
    plan, shown = small.plan(rounds=4), Terminal()
    grant = small.people().grant(plan, tacit.statistics.Average(), small.ledger(tmp_path))
    grant.run(watch=progress_bar(plan, shown))

    drawn = shown.getvalue()
    assert [f"{number} of 4 rounds" for number in (1, 2, 3, 4)] == [
        " ".join(line.split()[1:]) for line in drawn.split("\r")[1:]
    ]
    assert 1 == drawn.count("\n") and drawn.endswith("\n")
    assert "█" * 40 in drawn.split("\r")[-1] and "░" * 30 in drawn.split("\r")[1]


def test_many_rounds_are_drawn_a_hundred_times(tmp_path):
    """A line for each per cent, whatever the number of rounds."""
    shown = Terminal()
    watch = progress_bar(small.plan(rounds=100_000), shown)
    for done in range(1, 100_001):
        watch(done, None)

    assert shown.getvalue().count("\r") <= 102
    assert shown.getvalue().endswith("100,000 of 100,000 rounds\n")


def test_nothing_is_drawn_into_a_file():
    """What is kept in a log is what went wrong."""
    shown = io.StringIO()
    progress_bar(small.plan(), shown)(4, None)

    assert "" == shown.getvalue()
