"""`tacit attack`, as a stranger uses it: what is printed and drawn, and what is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tacit.cli.attack_cases import CASES
from tacit.cli.main import app


def run(*args):
    return CliRunner().invoke(app, ["attack", *map(str, args)], env={"COLUMNS": "80"})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """With a file of 300 people, of whom one says what nobody declared."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    own = {f"gene{i}": rng.choice(["a", "g"], 300) for i in range(900)}
    own["gene0"][0] = "x"
    pd.DataFrame(own).to_csv("people.csv", index=False)
    declared = ", ".join(f'"{name}": ["a", "g"]' for name in own)
    Path("domain.json").write_text(f"{{{declared}}}")
    return tmp_path


def test_without_a_name_all_are_listed():
    """With what each looks for."""
    said = " ".join(run().stdout.split())

    assert all(name in said and case.told.split(".")[0] in said for name, case in CASES.items())


def test_people_of_a_file_are_found_and_drawn(folder):
    """Most of a hundred members of 900 genes without a promise; hardly any with one; a picture of
    both, and nothing else is left in the folder."""
    asked = ["people.csv", "--domain", "domain.json", "--epsilon", "1"]
    done = run("tracing", *asked, "--picture", "members.svg")
    drawn = Path("members.svg").read_text()
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if "%" in line}

    assert 0 == done.exit_code and "has no noise" in done.stderr
    assert float(rows["none"][1][:-1]) > 50 and float(rows["ε"][2][:-1]) < 15
    assert "allowed" in drawn and "none" in drawn and "ε 1" in drawn
    assert {"people.csv", "domain.json", "members.svg"} == {each.name for each in folder.iterdir()}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["everybody"], "an attack is one of secret-bits, subset-sums"),
        (["tracing", "people.csv"], "--domain says what the file's columns may hold"),
        (["tracing", "--domain", "domain.json"], "--domain and --secret are of a FILE"),
        (["tracing", "none.csv", "--domain", "domain.json"], "none.csv"),
        (["secret-bits", "people.csv", "--domain", "domain.json"], "must be a declared column of"),
        (["tracing", "--picture", "a.gif"], "--picture must end in .png or .svg, got a.gif"),
        (["tracing", "--picture", "nowhere/a.svg"], "--picture must be a file in a folder"),
        (["tracing", "--epsilon", "0"], "epsilon must be positive"),
        (["tracing", "--delta", "1"], "delta must be"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(args, message):
    """Status 2, and nothing is drawn."""
    done = run(*args)

    assert 2 == done.exit_code and message in done.stderr and 1 == len(done.stderr.splitlines())
    assert not list(Path().glob("*.svg"))
