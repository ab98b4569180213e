"""Looks at people who were held out: who they are, what is seen of a run, what is kept of it."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.cli import looks
from tacit.cli.looks import HeldOut
from tacit.cli.tasks import digits_task
from tacit.data.dataset import Dataset
from tacit.federated.classifying import accuracy
from tacit.federated.updates import GradientSteps
from tacit.learning.evaluation import Look

HELD = 40


@pytest.fixture(scope="module")
def task():
    draw = np.random.default_rng(0)
    images = draw.uniform(0, 1, (100, 8, 8)).astype(np.float32)
    labels = draw.integers(0, 10, 100).astype(np.int32)
    return digits_task(Dataset("tiny", 10, images, labels, images, labels))


def test_those_who_are_held_out_are_looked_at_every_so_many_rounds(task):
    """With the model that there is then; what was seen before is kept, what comes again is not
    there twice, and all of it is told after every look."""
    rest, held = HeldOut.of(task, HELD, 3)
    (images, labels), _ = held.people
    learner, told = rest.learner(GradientSteps(1, 0.1), 1.0, 0), []
    before = [Look(3, {"loss": 9.0, "right": 0.0}), Look(6, {"loss": 9.0, "right": 0.0})]
    seen = held.looks(learner, before, lambda every: told.append([look.rounds for look in every]))
    states = {rounds: learner.init() for rounds in (6, 9)}
    ends = [seen(rounds, state) for rounds, state in states.items()]
    model = learner.released(states[9])

    assert rest.population.people == 60 and len(images) == HELD and seen.every == 3
    assert told == [[3, 6], [3, 6, 9]] and ends == [False, False]
    assert seen.all[0] == before[0] and seen.all[1] != before[1]
    right = accuracy(model, images[:, 0], labels[:, 0])
    assert seen.all[2].values["right"] == pytest.approx(right)
    assert seen.all[2].values["loss"] == pytest.approx(float(jnp.log(10.0)), rel=0.1)


def test_nobody_is_held_out_unless_it_is_asked_for(task):
    """The task is left as it was, and nobody looks."""
    rest, held = HeldOut.of(task, 0, None)

    assert held.people is None
    np.testing.assert_array_equal(rest.population.data[1], task.population.data[1])


@pytest.mark.parametrize(
    "count, every, said",
    [
        (-1, None, "--held-out must be from 0 to 99 of the 100 people there are, got -1"),
        (100, None, "--held-out must be from 0 to 99 of the 100 people there are, got 100"),
        (0, 5, "--every is for --held-out people, got none"),
        (10, 0, "--every must be at least 1 round, got 0"),
    ],
)
def test_who_cannot_be_held_out_is_said(task, count, every, said):
    """One sentence, by the option's name."""
    with pytest.raises(ValueError, match=said):
        HeldOut.of(task, count, every)


def test_looks_are_read_as_they_were_written():
    """Numbers and names."""
    some = [Look(3, {"loss": 0.25, "right": 0.5}), Look(4, {"loss": 0.125, "right": 1.0})]

    assert looks.read(looks.plain(some)) == some


def test_every_look_has_a_row_and_the_table_says_what_it_is(capsys):
    """In no more than 80 columns."""
    some = [Look(10, {"loss": 0.25, "right": 0.5}), Look(20, {"loss": 0.125, "right": 1.0})]
    looks.shown([("none", some), ("federated", some[:1])])
    said = capsys.readouterr().out

    assert "held out: not private" in said and max(map(len, said.splitlines())) <= 80
    rows = [line.split() for line in said.splitlines() if "%" in line]
    assert rows == [
        ["none", "10", "0.250", "50.0%"],
        ["20", "0.125", "100.0%"],
        ["federated", "10", "0.250", "50.0%"],
    ]
