"""What is said to whoever types a command that there is not."""

import shlex

import pytest

from tacit.cli import aggregates
from tacit.cli.aggregate_words import typed
from tacit.cli.main import COMMANDS
from tacit.cli.nearest import STATISTICS, no_command


@pytest.mark.parametrize(
    "name, near",
    [("attk", "tacit attack?"), ("Ask", "tacit ask?"), ("simulat", "tacit simulate?")],
)
def test_the_nearest_command_is_named(name, near):
    """Of those that there are."""
    assert f"No such command {name!r}: did you mean {near}" == no_command(name, COMMANDS)


@pytest.mark.parametrize("name", ["sum", "mean", "Histogram", "quantile", "cuont"])
def test_a_statistic_is_what_ask_answers(name):
    """By the option that asks for it."""
    assert ": tacit ask FILE --person COLUMN --" in no_command(name, COMMANDS)


def test_what_is_near_to_nothing_is_told_to_be_none():
    """And nothing is made up."""
    assert "No such command 'forget'." == no_command("forget", COMMANDS)


def test_every_option_that_is_named_is_one_of_ask():
    """And every aggregate of one word is found by its name."""
    options = {typed(each.name) for each in aggregates.OPTIONS} | {"--sql"}

    assert options >= {shlex.split(each)[0] for each in STATISTICS.values()}
    assert STATISTICS.keys() >= {each.name for each in aggregates.OPTIONS if "_" not in each.name}
