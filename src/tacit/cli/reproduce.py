"""`tacit reproduce`: a published experiment from one command, and what is better since.

Each prints its table, draws its picture, and keeps every finished part of its numbers, so that a
run that was stopped goes on where it was when the same command is given again. Everybody in them
is simulated, or of a data set that anybody may have: nothing is charged, and nothing private.
"""

import typer

from tacit.cli.reproduce_logistic import logistic
from tacit.cli.reproduce_study import command
from tacit.experiments import cifar, finetune, mnist, nextword

commands = typer.Typer(
    name="reproduce",
    help="Repeats a published experiment, and shows what does better.",
    no_args_is_help=True,
    add_completion=False,
)
commands.command("logistic")(logistic)
for study in (mnist.STUDY, cifar.STUDY, finetune.STUDY, nextword.STUDY):
    commands.command(study.name)(command(study))
