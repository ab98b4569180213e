"""`tacit plan mean`: give two of people, epsilon, error, and get the third."""

import json

import pytest
from typer.testing import CliRunner

import tacit
from tacit.cli.main import app

NUMBER = "--low 0 --high 1 "
VECTOR = "--size 50 --norm 1 "


def run(args: str):
    return CliRunner().invoke(app, ["plan", "mean", *args.split()])


def rows(args: str) -> dict[str, dict]:
    done = run(f"{args} --json")
    assert 0 == done.exit_code, done.output
    return {row["trust"]: row for row in json.loads(done.stdout)}


def test_an_error_is_its_plans_own():
    """The same question under three trust models, error on the scale of the answer."""
    found = rows(NUMBER + "--people 900 --epsilon 1 --delta 1e-5 --rounds 2")
    question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.AtMost(2), 2, 900)
    trusts = {
        "central": tacit.Central(1.0, 1e-5, tacit.Relation.REPLACE_ONE),
        "shuffled": tacit.Shuffled(1.0, 1e-5),
        "local": tacit.Local(1.0),
    }

    assert list(trusts) == list(found)
    for name, trust in trusts.items():
        plan, row = trust.plan(question), found[name]
        assert plan.error == row["error"] and plan.error**0.5 == row["rmse"]
        assert [p.epsilon for p in plan.guarantees] == [p["epsilon"] for p in row["promises"]]
        assert 4 == row["upload_bytes"]


@pytest.mark.parametrize("asked", ["--people 9000", "--rmse 0.05"])
def test_the_table_has_the_numbers_of_the_json(asked):
    """People needed, errors, noise, every observer's promise, and what is sent."""
    args = NUMBER + f"--epsilon 1 {asked}"
    said = run(args).stdout
    for row in rows(args).values():
        assert f"{row['people']:,}" in said and f"{row['error']:.3g}" in said
        assert f"{row['noise']:.3g}" in said and f"on {row['noise_on']}" in said
        assert row["rmse"] <= 0.05
        for promise in row["promises"]:
            assert promise["observer"] in said
    assert "4 bytes" in said and "shuffler" in said


@pytest.mark.parametrize("given", ["--people 500 --rmse 0.1", "--epsilon 2 --rmse 0.1"])
def test_what_is_found_is_what_gives_the_error(given):
    """The answer put back in place of the error gives the same row."""
    for name, row in rows(VECTOR + given).items():
        again = rows(VECTOR + f"--people {row['people']} --epsilon {row['epsilon']}")[name]
        assert row == again and row["rmse"] <= 0.1


def test_a_model_out_of_reach_says_so_beside_the_others(monkeypatch):
    """Were 2,000 people the most there are, only the local model would need more."""
    monkeypatch.setattr("tacit.planner.MOST_PEOPLE", 2000)
    args = NUMBER + "--epsilon 1 --rmse 0.01"
    found, done = rows(args), run(args)

    assert {"trust", "why"} == set(found["local"])
    assert "no number of people reaches an error of 0.01" in found["local"]["why"]
    assert found["central"]["people"] < found["shuffled"]["people"] < 2000
    assert 0 == done.exit_code and "none" in done.stdout
    assert "tacit: local: no number of people reaches" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "args, sentence",
    [
        (NUMBER + "--people 10", "give two of --people, --epsilon and --rmse"),
        (NUMBER + "--people 10 --epsilon 1 --rmse 1", "give two of --people"),
        (NUMBER + "--people 0 --epsilon 1", "people must be a whole number from 1"),
        (NUMBER + "--people -5 --rmse 1", "people must be a whole number from 1"),
        (NUMBER + "--people 10 --epsilon nan", "epsilon must be positive and finite, got nan"),
        (NUMBER + "--rmse 1 --epsilon 0", "epsilon must be positive and finite, got 0.0"),
        (NUMBER + "--people 10 --rmse nan", "--rmse must be positive and finite, got nan"),
        (NUMBER + "--people 10 --rmse -0.1", "--rmse must be positive and finite, got -0.1"),
        (NUMBER + "--people 10 --rmse 1e-9", "no epsilon reaches an error of 1e-09"),
        (NUMBER + "--people 10 --epsilon 1 --delta 0", "delta must lie strictly between 0 and 1"),
        (NUMBER + "--people 10 --epsilon 1 --rounds 0", "--rounds must be at least 1"),
        (NUMBER + "--people 10 --epsilon 1 --picture a.pdf", "--picture must end in .png or .svg"),
        (NUMBER + "--size 3 --people 10 --epsilon 1", "give --low and --high for a number, or"),
        ("--low 0 --people 10 --epsilon 1", "give --low and --high for a number, or"),
        (
            "--low 1 --high 0 --people 10 --epsilon 1",
            "--low must be below --high, both finite, got 1.0 and 0.0",
        ),
        ("--low 0 --high inf --people 10 --epsilon 1", "got 0.0 and inf"),
        ("--size 2 --norm 1 --people 10 --epsilon 1", "--size must be at least 3, got 2"),
        (
            "--size 3 --norm nan --people 10 --epsilon 1",
            "--norm must be positive and finite, got nan",
        ),
    ],
)
def test_a_refusal_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, args, sentence):
    """Exit status 2, the value allowed is named, nothing is written."""
    monkeypatch.chdir(tmp_path)
    done = run(args)

    assert 2 == done.exit_code, done.output
    assert done.stderr.startswith("tacit: ") and sentence in done.stderr
    assert 1 == done.stderr.count("\n") and "" == done.stdout
    assert [] == list(tmp_path.iterdir())


def test_help_shows_the_three_ways():
    """One example for each number that can be asked for."""
    said = " ".join(run("--help").output.split())

    for words in ("What error?", "How many people?", "What epsilon?", "--rmse 0.01"):
        assert words in said
