"""Refusals: what is one, and what they are told of without."""

import importlib

import pytest
import typer

from tacit.cli.guard import HOMES, guarded
from tacit.ledger.ledger import OverBudget

# The errors of this library that are a refusal, and of its database.
REFUSALS = {"CheckpointError", "EngineError", "HostError", "KeptError", "LedgerError"}
REFUSALS |= {"OverBudget", "ReceiptError", "SQLAlchemyError"}


def test_every_refusal_has_a_home():
    """One without would be a defect's traceback."""
    assert REFUSALS == set(HOMES)


@pytest.mark.parametrize("name, home", HOMES.items())
def test_each_refusal_is_where_it_is_looked_for(name, home, capsys):
    """One sentence, and status 2."""
    refusal = vars(importlib.import_module(home))[name]

    @guarded
    def command() -> None:
        raise refusal("no\nmore")

    with pytest.raises(typer.Exit) as ended:
        command()
    assert refusal.__module__ == home and refusal.__name__ == name
    assert ended.value.exit_code == 2 and "tacit: no more" in " ".join(
        capsys.readouterr().err.split()
    )


def test_what_is_typed_is_said_in_the_words_of_a_shell(capsys):
    @guarded
    def command() -> None:
        raise OverBudget("call this()", "type this")

    with pytest.raises(typer.Exit):
        command()
    assert "tacit: type this\n" == capsys.readouterr().err


def test_a_defect_shows():
    @guarded
    def command() -> None:
        raise KeyError("a defect")

    with pytest.raises(KeyError):
        command()
