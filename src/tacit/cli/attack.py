"""`tacit attack`: what somebody who sees an answer finds out, without a promise and with one.

Each attack is played on made people, or on those of a file: once on the answer as it is, and once
under each promise. Who is found of a file is for the eyes of who holds it: what is printed has no
noise, and no account is charged, as nothing is released.
"""

from pathlib import Path
from typing import Annotated

import typer

from tacit.argument import refuse_no_seed
from tacit.attacks.outcome import Outcome
from tacit.cli import tables, voice
from tacit.cli.answer_files import PICTURES, refuse_no_file
from tacit.cli.attack_cases import CASES, AttackCase, Play
from tacit.cli.attack_picture import draw
from tacit.cli.given_people import Given
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop, noted
from tacit.trust.central import Central
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate

EYES = "what is found of a file's people has no noise: it is for whoever holds the file"
NUMBERS = "found, 95% limits", "of others", "foreseen", "allowed"

NameArgument = Annotated[str | None, typer.Argument(help="Which; without one they are listed.")]
FileArgument = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="Parquet, CSV, TSV or JSON: a row a person.")
]
DomainOption = Annotated[Path | None, typer.Option(help="A JSON file: what FILE's columns hold.")]
SecretOption = Annotated[str | None, typer.Option(help="The column of FILE that is attacked.")]
EpsilonOption = Annotated[
    list[float] | None,
    typer.Option(help="Promises (repeat).", show_default="1, 5; of devices 10, 50, 250"),
]
DeltaOption = Annotated[
    float | None, typer.Option(help="Their delta, of answers.", show_default="1e-6")
]
PictureOption = Annotated[Path | None, typer.Option(help="Draw it, as .png or .svg.")]
SeedOption = Annotated[int, typer.Option(help="Of the people and the noise.")]

commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
def attack(
    name: NameArgument = None,
    file: FileArgument = None,
    domain: DomainOption = None,
    secret: SecretOption = None,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    picture: PictureOption = None,
    seed: SeedOption = 0,
) -> None:
    """Shows what answers give away: without a promise, and with one.

    tacit attack secret-bits --epsilon 1 --picture bits.svg

    tacit attack tracing people.csv --domain domain.json
    """
    if name is None:
        _listed()
        return
    case = _case(name)
    promises = [case.promise(each, delta) for each in epsilon or case.epsilons]
    _refuse_options(picture, seed)
    with noted("stopped before all was tried") as stop:
        given = _given(file, domain, secret)
        play = case.made.run if given is None else case.of(given, seed)
        rows = _played(play, promises, seed, stop)
    _said(case, rows)
    if given is not None:
        _noted(given)
    if picture is not None:
        draw(picture, case.told, rows)


def _listed() -> None:
    table = tables.table_of("attacks", ("name",), ())
    table.add_column("what it looks for")
    for name, case in CASES.items():
        tables.row_of(table, name, case.told)
    tables.whole(table)


def _case(name: str) -> AttackCase:
    if name not in CASES:
        raise ValueError(f"an attack is one of {', '.join(CASES)}, got {name}")
    return CASES[name]


def _refuse_options(path: Path | None, seed: int) -> None:
    refuse_no_seed(seed)
    if path is None:
        return
    if path.suffix not in PICTURES:
        raise ValueError(f"--picture must end in .png or .svg, got {path}")
    refuse_no_file("picture", path)


def _given(file: Path | None, domain: Path | None, secret: str | None) -> Given | None:
    if file is not None:
        return Given.read(file, domain, secret)
    if domain is not None or secret is not None:
        raise ValueError("--domain and --secret are of a FILE, got none")
    return None


def _noted(given: Given) -> None:
    voice.note(EYES)
    if given.left_out:
        voice.note(
            f"{given.left_out:,} of the file's {given.left_out + len(given.cells):,} people have a "
            "value that --domain does not declare, and were left out"
        )


def _played(
    play: Play, promises: list[Central | Local], seed: int, stop: Stop
) -> list[tuple[str, Outcome]]:
    """Without a promise, and under each."""
    rows = []
    for trust in (NonPrivate(), *promises):
        stop.check()
        named = "none" if isinstance(trust, NonPrivate) else f"ε {trust.epsilon:g}"
        rows.append((named, play(trust, seed)))
    return rows


def _said(case: AttackCase, rows: list[tuple[str, Outcome]]) -> None:
    table = tables.table_of(case.told, ("promise",), NUMBERS)
    for promise, each in rows:
        shares = map(_share, (each.others, each.expected, each.allowed))
        tables.row_of(table, promise, str(each.found), *shares)
    table.caption, table.caption_justify = f"found, foreseen, allowed: of {rows[0][1].of}", "left"
    tables.whole(table)


def _share(value: float | None) -> str:
    """A share, where there is one."""
    return "-" if value is None else f"{value:.1%}"
