"""The command line: `tacit train`, `plan`, `ask`, `synthesize`, `attack`, `audit`, `simulate`,
`reproduce`, `compare`, `federation`, `device`, `verify` and `ledger`.

A refused command says one sentence, spends nothing, leaves nothing behind, and exits with
status 2; `verify` exits with status 1 if a receipt does not hold. One that is stopped says what is
left, and exits with 130 after Ctrl-C, with 143 after SIGTERM. All printing is `voice`'s.

A command is imported when it is asked for: who wants help, or one of them, does not wait for what
the others compute with.
"""

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

import tacit as library
from tacit.cli.interruption import ended
from tacit.cli.nearest import no_command
from tacit.uncollected import uncollected

COMMANDS = {
    "train": "Trains the same model under every trust model and shows the price of each.",
    "plan": "Shows noise, promises and predicted error of what `train` would do. Spends nothing.",
    "ask": "Answers questions about the rows of a file, by group, with noise and intervals.",
    "synthesize": "Makes rows like those of a file, which has a row for each person.",
    "attack": "Shows what answers give away: without a promise, and with one.",
    "audit": "Tests a promise: on your own function, or on an estimator.",
    "simulate": "Trains on MNIST as if millions of people took part. Nothing of it is private.",
    "reproduce": "Repeats a published experiment, and shows what does better.",
    "compare": "Draws test accuracy against epsilon, for several methods and trust models.",
    "federation": "Devices on a network that learn together.",
    "device": "Answers a live federation: randomised reports of one person's data, up to a cap.",
    "verify": "Recomputes every promise of a receipt with two accountants.",
    "ledger": "The people's accounts: what they have been promised, and what is left.",
}


class Commands(TyperGroup):
    """The commands by name: listed by their first line, and imported where one is run."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        told = COMMANDS.get(cmd_name)
        return None if told is None else TyperCommand(cmd_name, help=told)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if not (args[0] in COMMANDS or args[0].startswith("-")):
            ctx.fail(no_command(args[0], COMMANDS))
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and command(args[0]), rest


def command(name: str) -> Any:
    """The command of this name, imported."""
    with ended("stopped before anything was begun"), uncollected():
        return get_command(import_module(f"tacit.cli.{name}").commands)


app = typer.Typer(
    name="tacit",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _told(asked: bool) -> None:
    if asked:
        typer.echo(f"tacit {library.__version__}")
        raise typer.Exit


@app.callback()
def tacit(
    version: Annotated[
        bool, typer.Option("--version", callback=_told, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Differentially private learning, in every trust model."""


if __name__ == "__main__":
    app()
