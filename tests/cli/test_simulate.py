"""`tacit simulate`: plans of the declared people, played by few; refusals; never called private."""

import json

import pytest
from typer.testing import CliRunner

import idx_files
from tacit.cli.main import app

FEW = ["--people", "images", "--model", "linear", "--population", "100000"]
FEW += ["--cohort", "500", "--played", "20", "--seed", "3"]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> list[str]:
    made = idx_files.make_mnist(tmp_path_factory.mktemp("mnist"))
    return ["--data-dir", str(made.directory)]


def run(*args: str):
    return CliRunner().invoke(app, ["simulate", *args])


def test_a_plan_is_that_of_the_declared_people(data):
    """Their promises and bytes, and how well few of them did; JSON says it is not private."""
    done = run(*data, *FEW, "--rounds", "2", "--upload", "1024", "--setting", "federated", "--json")
    (row,) = json.loads(done.stdout)

    assert done.exit_code == 0 and row["private"] is False
    assert row["simulation"].startswith("simulation of 100,000 people in cohorts of 500, 20 of")
    assert row["planned"]["public"]["epsilon"] <= 2 and row["planned"]["server"]["epsilon"] == 128
    assert row["upload_bytes"] <= 1024
    assert row["played_error"] > row["error"] > 0
    assert 0 < row["accuracy"] < 1


def test_the_table_says_that_nothing_is_private(data):
    """Of all settings that were asked for, in no more than 80 columns."""
    done = run(*data, *FEW, "--rounds", "1", "--setting", "none", "--setting", "central")

    assert done.exit_code == 0
    assert "simulated: not private" in done.stdout and "not a private release" in done.output
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    "options, said",
    [
        (["--cohort", "0"], "--cohort must be from 1 to --population, got 0"),
        (["--cohort", "100001"], "--cohort must be from 1 to --population, got 100001"),
        (["--played", "0"], "played must be a whole number from 1 to that of the people"),
        (["--played", "501"], "played must be at most the declared cohort of 500, got 501"),
        (["--played", "99999999"], "played must be a whole number from 1 to that of the people"),
        (["--upload", "1"], "upload must be at least the 2 bytes of a report, got 1"),
        (["--upload", "0"], "upload must be a positive whole number of bytes"),
        (["--setting", "local"], "--setting must be one of none, central, federated, got local"),
        (["--rounds", "0"], "rounds"),
    ],
)
def test_what_cannot_be_simulated_is_refused(data, options, said):
    """One sentence, and exit status 2."""
    done = run(*data, *FEW, "--rounds", "1", *options)

    assert done.exit_code == 2 and said in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 5 and not done.stdout
