"""`tacit reproduce mnist` and its like: records that people hold, several ways and budgets."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, final

import typer

from tacit.argument import is_whole
from tacit.cli import tables, voice
from tacit.cli.guard import guarded
from tacit.cli.interruption import noted
from tacit.cli.kept_parts import (
    LEFT,
    OUT,
    JsonOption,
    OutOption,
    budgets,
    opened,
    played,
)
from tacit.experiments import accuracy_picture
from tacit.experiments.kept import Kept, budget, jsonable, named, number, numbers
from tacit.experiments.parts import Part, Told
from tacit.experiments.played import Learned, Prospect, learned
from tacit.experiments.records import Held, Records
from tacit.experiments.spread import standard_error
from tacit.experiments.study import LOOKS, Recipe, Scale, Study
from tacit.features.chunks import Heard

DirOption = Annotated[Path, typer.Option("--data-dir", help="Folder of the data set's files.")]
DirectionOption = Annotated[
    list[float] | None,
    typer.Option(help="Only these budgets e1 of a report (repeat; inf: not private)."),
]
OWN = "the study's own"
TrialsOption = Annotated[int | None, typer.Option(help="Independent runs.", show_default=OWN)]
PlayedOption = Annotated[int | None, typer.Option(help="People of each round.", show_default=OWN)]
RoundsOption = Annotated[
    int | None, typer.Option(help="How many rounds: a multiple of 5.", show_default=OWN)
]
SeedOption = Annotated[int, typer.Option(help="Of the first run; each further one has the next.")]
FullOption = Annotated[bool, typer.Option("--full", help="As much as the source: for a GPU.")]


def command(study: Study) -> Callable[..., None]:
    """The command that plays a study."""

    def run(
        data_dir: DirOption,
        out: OutOption = OUT,
        direction: DirectionOption = None,
        trials: TrialsOption = None,
        played: PlayedOption = None,
        rounds: RoundsOption = None,
        full: FullOption = False,
        seed: SeedOption = 0,
        json: JsonOption = False,
    ) -> None:
        numbers = {"trials": trials, "played": played, "rounds": rounds, "seed": seed}
        scale = _scale(study.full if full else study.small, numbers)
        asked = budgets("--direction", direction, study.directions)
        _reproduce(study, scale, asked, data_dir, out, json)

    run.__doc__ = f"Federated learning of {study.title}: {study.section}."
    return guarded(run)


@final
@dataclass(frozen=True)
class PlayedSetting:
    """All that results follow from: a scale, the records there were, and the study's numbers."""

    records: int
    played: int
    rounds: int
    trials: int
    seed: int
    data: str
    digest: str
    numbers: str

    @classmethod
    def of(cls, study: Study, scale: Scale, data: Records) -> "PlayedSetting":
        """Of a run.

        Raises:
          ValueError: if there are fewer people than are played.
        """
        there, many = data.people(scale.records), len(data.labels)
        if scale.played > there:
            raise ValueError(
                f"played must be at most the {there} people there are for {many} {study.noun}, "
                f"got {scale.played}"
            )
        counts = f"{many:,} {study.noun} to learn from, {len(data.test_labels):,} to look at"
        return cls(
            **asdict(scale),
            data=f"{data.name}, {counts}",
            digest=data.digest,
            numbers=study.numbers,
        )


def _reproduce(
    study: Study,
    scale: Scale,
    directions: tuple[float, ...],
    folder: Path,
    out: Path,
    json: bool,
) -> None:
    with noted(LEFT) as stop:
        data = study.read(folder)
        setting = PlayedSetting.of(study, scale, data)
        kept, picture = opened(out, study.name, setting)
        if not json:
            voice.opening(study.opening(scale))
        parts = _parts(study, scale, directions, data, stop.check)
        played(parts, kept, scale.rounds * scale.trials, stop, at_once=1)
        ways = [_read(kept, scale, way, directions) for way in study.ways]
        accuracy_picture.draw(picture, f"{study.title}, simulated: {setting.data}", ways)
    _printed(study, setting, ways, json)
    voice.note(f"numbers and picture are in {out}/")


def _scale(common: Scale, asked: dict[str, int | None]) -> Scale:
    return replace(common, **{name: each for name, each in asked.items() if each is not None})


def _parts(
    study: Study, scale: Scale, directions: tuple[float, ...], data: Records, heard: Heard
) -> dict[str, Part]:
    """Ways at budgets, by name; what they begin with is made when the first is played."""
    pretrained = cache(lambda: study.pretrained(data.public, heard))

    @lru_cache(maxsize=1)
    def held(way: Recipe) -> Held:
        return data.held(way.start(pretrained()), scale.records, heard)

    def part(way: Recipe, direction: float, told: Told) -> Learned:
        known = Prospect.of(study, scale, way, direction, held(way).model)
        _warn(way.name, known)
        return learned(study, scale, way, known, held(way), told)

    pairs = [(way, direction) for way in study.ways for direction in directions]
    return {named(way.name, e): partial(part, way, e) for way, e in pairs}


def _warn(way: str, known: Prospect) -> None:
    """Before a way is played at a budget that leaves little to hope for."""
    if known.hopeless:
        voice.note(
            f"{way} at ε₁ = {known.direction:g}: for the noise, steps are {known.pace:.1%} of "
            "those without privacy; expect little to be learned"
        )


def _read(kept: Kept, scale: Scale, way: Recipe, directions: tuple[float, ...]) -> list[Learned]:
    each = [(named(way.name, e), partial(_learned, scale, way.name, e)) for e in directions]
    return [kept.read(*part) for part in each]


def _learned(scale: Scale, way: str, direction: float, part: dict[str, Any]) -> Learned:
    """A kept part, if it is whole and of this way and budget; otherwise an error of Python's."""
    own = part["way"] == way and budget(part["direction"]) == direction
    if not (own and is_whole(part["numbers"]) and part["rounds"] == [*scale.looks]):
        raise ValueError("a part must be of its own name, report and rounds")
    public = part["public"]
    known = {name: number(part[name]) for name in ("error", "rate", "pace")} | {
        "direction": direction,
        "public": None if public is None else tuple(numbers(public, 2).tolist()),
        "rounds": scale.looks,
        "accuracies": numbers(part["accuracies"], scale.trials, LOOKS),
    }
    return Learned(**{**part, **known})


def _printed(study: Study, setting: PlayedSetting, ways: list[list[Learned]], json: bool) -> None:
    rows = [_summary(each) for way in ways for each in way]
    if json:
        voice.data({"setting": asdict(setting), "private": False, "table": rows})
        return
    tables.learned(study.magnitude, rows)
    played = f"{setting.played} people play each cohort of {study.cohort:,}"
    voice.note(f"{setting.data}; {played}: not a private release")


def _summary(each: Learned) -> dict[str, Any]:
    ends = each.accuracies[:, -1]
    return jsonable(
        {
            "way": each.way,
            "direction": each.direction,
            "numbers": each.numbers,
            "accuracy": float(ends.mean()),
            "standard error": standard_error(ends),
            "error": each.error,
            "rate": each.rate,
            "pace": each.pace,
            "public": each.public,
        }
    )
