"""A simulation's folder: what it is bound to and from when on, and what is never written over."""

import json

import pytest

from tacit.cli.simulation_folder import SimulationFolder
from tacit.learning.evaluation import Look

OPTIONS = {"seed": 3, "local_epsilon": 8.0, "setting": ["none"], "data_dir": "here"}


def played(path, options=OPTIONS) -> SimulationFolder:
    """A folder in which a round of one setting was played."""
    folder = SimulationFolder(path, options)
    folder.open()
    folder.state("none").save("simulation", 1, (), (), bytes(32))
    return folder


@pytest.mark.parametrize("missing", ["options", "state"])
def test_any_options_may_come_until_there_are_both_options_and_a_state(tmp_path, missing):
    """What is opened then is bound to those that came last."""
    folder = played(tmp_path)
    (folder.state("none").path if missing == "state" else tmp_path / "options.json").unlink()
    other = SimulationFolder(tmp_path, {**OPTIONS, "seed": 4})
    other.refuse_unusable()
    other.open()

    assert json.loads((tmp_path / "options.json").read_text())["seed"] == 4


def test_a_state_binds_the_options_it_depends_on(tmp_path):
    """One that differs is named as the command line has it; settings and places are free."""
    played(tmp_path)
    SimulationFolder(tmp_path, {**OPTIONS, "setting": None, "data_dir": "there"}).refuse_unusable()

    with pytest.raises(ValueError, match=r"with --local-epsilon 8\.0, got 4\.0: choose another"):
        SimulationFolder(tmp_path, {**OPTIONS, "local_epsilon": 4.0}).refuse_unusable()


@pytest.mark.parametrize("written", ["", "[]", "{", '{"seed": 3}'])
def test_a_file_of_somebody_else_is_refused_without_any_state(tmp_path, written):
    """It is not written over."""
    (tmp_path / "options.json").write_text(written)

    with pytest.raises(ValueError, match="is not of a simulation; choose another --out"):
        SimulationFolder(tmp_path, OPTIONS).refuse_unusable()


def test_a_folder_is_asked_before_it_is_made(tmp_path):
    """Without a seed, or in a file's place, nothing could be kept; asking writes nothing."""
    taken = tmp_path / "taken"
    taken.touch()
    SimulationFolder(tmp_path / "new", OPTIONS).refuse_unusable()

    with pytest.raises(ValueError, match="needs --seed, got none"):
        SimulationFolder(tmp_path / "new", {**OPTIONS, "seed": None}).refuse_unusable()
    with pytest.raises(ValueError, match="--out must be a folder"):
        SimulationFolder(taken, OPTIONS).refuse_unusable()
    assert [taken] == list(tmp_path.iterdir())


def test_looks_are_those_of_a_state(tmp_path):
    """Where there is none yet, they are of a run that was killed before it, and maybe another."""
    folder, seen = played(tmp_path), [Look(2, {"loss": 0.5, "right": 0.25})]
    folder.keep_looks("none", seen)
    folder.keep_looks("central", seen)

    assert folder.looks("none") == seen and folder.looks("central") == []
    assert folder.looks("federated") == []


@pytest.mark.parametrize("written", ["", "[{}]", "3", "[1]"])
def test_looks_of_somebody_else_are_refused(tmp_path, written):
    """And not written over."""
    folder = played(tmp_path)
    (tmp_path / "states" / "none.json").write_text(written)

    with pytest.raises(ValueError, match=r"none\.json is not of a simulation; choose another"):
        folder.looks("none")


def test_the_receipts_are_written_beside_the_states(tmp_path):
    """Of all settings in one file."""
    folder = played(tmp_path)
    folder.write([])

    assert json.loads((tmp_path / "receipt.json").read_text())["receipts"] == []
    assert [folder.state("none").path] == list((tmp_path / "states").iterdir())
