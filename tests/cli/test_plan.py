"""`tacit plan`: noise, promises and errors of what `train` would do, and nothing read or spent."""

from typer.testing import CliRunner

from tacit.cli.main import app


def run(*args: str):
    return CliRunner().invoke(app, ["plan", *args])


def test_plan_prints_and_spends_nothing(tmp_path, monkeypatch):
    """Noise, promises, error and upload for every setting; no file appears."""
    monkeypatch.chdir(tmp_path)
    done = run("--setting", "central", "--setting", "federated")

    assert 0 == done.exit_code
    for words in ("standard deviation", "root mean squared", "2,600 bytes", "ε at other deltas"):
        assert words in done.output
    assert [] == list(tmp_path.iterdir())


def test_plan_refuses_what_says_nothing_of_the_digits():
    """As `train` does: a plan of other rounds than were asked for would be believed."""
    done = run("--setting", "central", "--rounds", "12")

    assert 2 == done.exit_code
    assert "--rounds is for --data mnist, got it with --data digits" in done.stderr


def test_options_of_training_are_not_passed_over():
    """An option in front of `mean` would do nothing, so it is refused."""
    done = run("--epsilon", "3", "mean", "--low", "0", "--high", "1")

    assert 2 == done.exit_code
    assert "--epsilon must follow `mean`" in done.stderr
