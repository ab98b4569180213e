"""A promise that protects hardly anybody is noted, by what is typed alone."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from tacit.cli.main import app
from tacit.cli.weak import noted_if_weak
from tacit.trust.central import Central


@pytest.mark.parametrize(
    "epsilon, delta, people, noted",
    [
        (1.0, 1e-6, None, []),
        (19.9, 1e-3, None, []),
        (20.0, 0.0, None, ["--epsilon 20 is hardly"]),
        (1.0, 2e-3, None, ["--delta 0.002 is no small"]),
        (50.0, 0.1, None, ["--epsilon 50 is hardly", "--delta 0.1 is no small"]),
        (1.0, 2e-3, 500, []),
        (1.0, 1e-5, 100_001, ["--delta 1e-05 is no small"]),
        (1.0, 0.5, 0, []),
    ],
)
def test_each_number_that_promises_little_is_noted(capsys, epsilon, delta, people, noted):
    """Beside the number of people, where that is declared; the promise stays as it is."""
    trust = Central(epsilon, delta)
    assert trust is noted_if_weak(trust, people)
    said = capsys.readouterr().err.splitlines()

    assert len(noted) == len(said)
    assert all(line.startswith(f"tacit: {each}") for line, each in zip(said, noted, strict=True))


def test_both_commands_of_files_note_it(tmp_path, monkeypatch):
    """On standard error, before what is shown; neither is refused."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"patient": [1, 2], "sex": ["f", "m"]}).to_csv("v.csv", index=False)
    (tmp_path / "d.json").write_text('{"sex": ["f", "m"], "patient": [1, 2]}')
    common = ["v.csv", "--epsilon", "1", "--delta", "0.1", "--plan"]
    ask = CliRunner().invoke(app, ["ask", *common, "--person", "patient", "--count"])
    rows = CliRunner().invoke(app, ["synthesize", *common, "--domain", "d.json", "--people", "20"])

    for done in (ask, rows):
        assert 0 == done.exit_code and "tacit: --delta 0.1 is no small chance" in done.stderr
        assert "small chance" not in done.stdout
