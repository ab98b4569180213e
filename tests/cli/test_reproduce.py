"""`tacit reproduce`: which experiments there are."""

from typer.testing import CliRunner

from tacit.cli.main import app


def test_every_experiment_is_listed_with_the_section_it_is_of():
    """And no option is asked for before one is chosen."""
    found = CliRunner().invoke(app, ["reproduce"])
    said = " ".join(found.output.split())

    assert "logistic" in said and "mnist" in said and "cifar" in said
    assert "finetune" in said
    assert "5.1" in said and "5.2" in said and "5.3" in said


def test_an_experiment_that_is_not_there_is_refused():
    """With status 2."""
    found = CliRunner().invoke(app, ["reproduce", "imagenet"])

    assert found.exit_code == 2 and "imagenet" in found.output
