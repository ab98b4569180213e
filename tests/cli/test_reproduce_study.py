"""`tacit reproduce mnist` and its like: tables, what is kept, and refusals; of a study of few."""

import json
import os
import re
import signal
import threading
from dataclasses import replace

import numpy as np
import optax
import pytest
import typer
from typer.testing import CliRunner

import idx_files
from experiments.tiny import STUDY, data, way
from tacit.cli.interruption import Stop
from tacit.cli.main import app
from tacit.cli.reproduce_study import command
from tacit.data.dataset import DataError
from tacit.experiments.played import Learned
from tacit.features.chunks import in_chunks

NAMES = ["half 50", "half inf"]


@pytest.fixture
def played(monkeypatch) -> list[str]:
    """What was played, by who stands in for the learning; the second part fails once."""
    found: list[str] = []

    def learned(study, scale, way, known, held, told) -> Learned:
        direction = known.direction
        found.append(f"{way.name} {direction:g}")
        if len(found) == 2:
            raise OSError("the disk is full")
        told(scale.rounds * scale.trials)
        private = direction < float("inf")
        ends = np.full((scale.trials, 5), 0.75) + np.arange(scale.trials)[:, None] / 8
        public = (1.25, 1e-6) if private else None
        return Learned(way.name, direction, 66, 2.5, 0.5, 0.25, public, (4, 8, 12, 16, 20), ends)

    monkeypatch.setattr("tacit.cli.reproduce_study.learned", learned)
    return found


def run(folder, *words: object, study=STUDY):
    own = typer.Typer()
    own.command()(command(study))
    given = ["--data-dir", folder, "--out", folder / "out", *words]
    return CliRunner().invoke(own, [str(word) for word in given])


def test_a_run_that_was_cut_off_goes_on_with_the_same_command(tmp_path, played):
    """What was finished is not learned again, and the table is of all."""
    first = run(tmp_path, "--trials", 2)
    assert first.exit_code == 2 and "the disk is full" in first.stderr

    again = run(tmp_path, "--trials", 2, "--json")
    assert again.exit_code == 0, again.output
    shown = json.loads(again.stdout)
    assert played == [NAMES[0], NAMES[1], NAMES[1]] and shown["private"] is False
    assert [row["direction"] for row in shown["table"]] == [50.0, None]
    assert [row["accuracy"] for row in shown["table"]] == [0.8125, 0.8125]
    assert [row["standard error"] for row in shown["table"]] == [0.0625, 0.0625]
    assert [row["public"] for row in shown["table"]] == [[1.25, 1e-6], None]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"tiny.json", "tiny.svg"}


def test_the_table_says_that_it_is_of_a_simulation(tmp_path, played):
    """At 80 columns, with what the public is promised beside what devices are."""
    played.extend(["", ""])
    found = run(tmp_path)

    assert found.exit_code == 0, found.output
    assert "simulated: not private" in found.stdout and "81.2%" not in found.stdout
    assert "75.0%" in found.stdout and "1.25, 1e-06" in found.stdout and "66" in found.stdout
    assert "4 people play each cohort of 1,000: not a private release" in " ".join(
        found.stderr.split()
    )
    assert max(map(len, found.stdout.splitlines())) <= 80


def test_full_is_what_the_source_played(tmp_path, played):
    """And chosen numbers replace it."""
    played.extend(["", ""])
    found = run(tmp_path, "--full", "--played", 7, "--json")

    setting = json.loads(found.stdout)["setting"]
    scale = {"records": 5, "played": 7, "rounds": 20, "trials": 2, "seed": 0}
    assert scale.items() <= setting.items()
    assert setting["data"] == "tiny, 203 pictures to learn from, 100 to look at"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--played", 0], "played must be at least 1, got 0"),
        (["--rounds", 7], "rounds must be a multiple of 5, got 7"),
        (["--trials", 0], "trials must be at least 1, got 0"),
        (["--direction", 50, "--direction", 0], "--direction must be positive, got 0"),
        (["--direction", "nan"], "--direction must be positive, got nan"),
        (["--direction", 50, "--direction", "nan"], "--direction must be positive, got nan"),
        (["--played", 41], "played must be at most the 40 people there are for 203 pictures"),
    ],
)
def test_what_is_no_experiment_is_refused(tmp_path, words, said):
    """In one sentence, with status 2, and nothing is left."""
    found = run(tmp_path, *words)

    assert found.exit_code == 2 and said in " ".join(found.stderr.split())
    assert not (tmp_path / "out").exists()


def test_a_folder_without_data_is_refused(tmp_path):
    """Before anything is made."""

    def absent(folder):
        raise DataError(f"{folder} must hold a file, got none")

    found = run(tmp_path, study=replace(STUDY, read=absent))

    assert found.exit_code == 2 and "must hold a file" in found.stderr
    assert not (tmp_path / "out").exists()


def test_a_truncated_file_of_mnist_is_refused(tmp_path):
    """By its name, before anything is made."""
    folder = idx_files.make_mnist(tmp_path).directory
    victim = next(p for p in folder.iterdir() if p.name.startswith("train-images"))
    victim.write_bytes(victim.read_bytes()[:-1])
    out = tmp_path / "out"
    words = ["reproduce", "mnist", "--data-dir", str(folder), "--out", str(out)]
    found = CliRunner().invoke(app, words)

    assert found.exit_code == 2 and "train-images" in " ".join(found.stderr.split())
    assert not out.exists()


def test_results_of_another_setting_are_refused(tmp_path, played):
    """By the name of what differs."""
    played.extend(["", ""])
    assert run(tmp_path).exit_code == 0
    found = run(tmp_path, "--played", 3)

    assert found.exit_code == 2 and "results for played = 4, not 3" in found.stderr


def other_pictures(folder):
    pictures = data()
    pictures.test_inputs[0, 0, 0] = 0.5
    return pictures


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"read": other_pictures}, "results for digest"),
        ({"ways": (way(free=1.0),)}, "results for numbers"),
        ({"ways": (way(local=0.1),)}, "results for numbers"),
        ({"ways": (way(optimizer=optax.adam(1.0)),)}, "results for numbers"),
        ({"ways": (way(optimizer=optax.sgd(1.0, momentum=0.9)),)}, "results for numbers"),
        ({"cohort": 999}, "results for numbers"),
        ({"steps": 3}, "results for numbers"),
        ({"before": ("five passes",)}, "results for numbers"),
    ],
)
def test_results_of_other_pictures_or_rates_are_refused(tmp_path, played, changed, said):
    """Not taken for those of the same command: what is kept follows from both."""
    played.extend(["", ""])
    assert run(tmp_path).exit_code == 0
    found = run(tmp_path, study=replace(STUDY, **changed))

    assert found.exit_code == 2 and said in " ".join(found.stderr.split())


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_played(
    tmp_path, played, monkeypatch
):
    """Not after the first part."""
    monkeypatch.setattr("os.access", lambda path, mode, **_: mode != os.W_OK)
    found = run(tmp_path)

    assert found.exit_code == 2 and "a folder that can be written to" in found.stderr
    assert played == []


def test_a_signal_while_pictures_are_read_ends_with_its_own_status(tmp_path, played):
    """As anywhere else: nothing is played."""

    def interrupted(folder):
        os.kill(os.getpid(), signal.SIGTERM)
        return data()

    found = run(tmp_path, study=replace(STUDY, read=interrupted))

    assert found.exit_code == 143 and "the same command goes on" in found.stderr
    assert played == []


def test_a_signal_while_pictures_are_prepared_ends_before_the_next_of_them(tmp_path, monkeypatch):
    """The first signal, with its own status: what takes minutes is not made to its end."""
    seen, come = [], threading.Event()

    def note(stop, number, frame, own=Stop.note):
        own(stop, number, frame)
        come.set()

    def one(image):
        seen.append(image)
        os.kill(os.getpid(), signal.SIGINT)
        assert come.wait(60)
        return image[:, :, :4]

    def prepared(images, heard):
        return in_chunks(one, images, 1, heard)

    monkeypatch.setattr(Stop, "note", note)
    ways = (replace(way(), start=lambda public: replace(way().start(public), prepared=prepared)),)
    found = run(tmp_path, study=replace(STUDY, ways=ways))

    assert found.exit_code == 130 and "the same command goes on" in found.stderr
    assert len(seen) == 1


def test_a_start_is_handed_what_is_public_and_nothing_else(tmp_path):
    """Before anybody is asked: pretraining cannot see what people hold."""
    handed = []
    public = (np.zeros(2), np.ones(2))

    def start(*given):
        handed.append(given)
        return way().start(None)

    def read(folder):
        return replace(data(), public=public)

    ways = (replace(way(), start=start),)
    found = run(tmp_path, "--rounds", 5, study=replace(STUDY, read=read, ways=ways))

    assert found.exit_code == 0, found.output
    assert len(handed) == 1 and len(handed[0]) == 1 and handed[0][0] is public


@pytest.mark.parametrize("wander", [0.001, 10.0])
def test_who_cannot_hope_is_told_before(tmp_path, played, wander):
    """And nobody else."""
    played.extend(["", ""])
    found = run(tmp_path, study=replace(STUDY, ways=(way(wander=wander),)))

    assert found.exit_code == 0, found.output
    said = " ".join(found.stderr.split())
    told = re.search(r"half at ε₁ = 50: for the noise, steps are 0\.\d% of those without", said)
    assert bool(told) == (wander < 1)
    assert "ε₁ = inf" not in found.stderr


@pytest.mark.parametrize(
    "changed",
    [
        {"accuracies": 3},
        {"accuracies": [[None] * 5]},
        {"accuracies": [[0.5] * 4]},
        {"public": [1.25]},
        {"error": None},
        {"numbers": "many"},
        {"rounds": [1, 2, 3, 4, 5]},
        {"direction": 500},
        {"way": "x"},
    ],
)
def test_a_part_that_somebody_changed_is_refused(tmp_path, played, changed):
    """In one sentence, and never shown as another's."""
    played.extend(["", ""])
    assert run(tmp_path).exit_code == 0
    path = tmp_path / "out" / "tiny.json"
    kept = json.loads(path.read_text())
    kept["parts"]["half 50"] |= changed
    path.write_text(json.dumps(kept))
    found = run(tmp_path, "--json")

    assert found.exit_code == 2 and found.stdout == ""
    assert "is no file of results; choose another folder" in " ".join(found.stderr.split())
