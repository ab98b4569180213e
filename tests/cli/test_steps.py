"""Options of a device's steps and of the server's: what each makes of a setting, and refusals."""

from itertools import pairwise

import optax
import pytest

from tacit.cli.servers import SERVERS
from tacit.cli.steps import (
    PLAIN,
    THEIR_OWN,
    ServerRule,
    ServerSteps,
    Shrinking,
    server_of,
    update_of,
)
from tacit.federated.updates import Epochs, GradientSteps, ProximalPoint
from tacit.learning.rates import length

ROUNDS = 10


def lengths(steps: ServerSteps, own: float = 4.0) -> list[float]:
    rate = steps.length(own, ROUNDS)
    return [float(length(rate, done)) for done in range(ROUNDS)]


@pytest.mark.parametrize(
    "given, expected",
    [
        ({"update": "gradient"}, GradientSteps(5, 0.05)),
        ({"update": "proximal"}, ProximalPoint(5, 0.05)),
        ({"update": "epochs"}, Epochs(1, 20, 0.05)),
        ({"update": "epochs", "epochs": 3}, Epochs(3, 20, 0.05)),
        ({"update": "epochs", "batch": 7, "epochs": 2}, Epochs(2, 7, 0.05)),
    ],
)
def test_a_device_computes_what_was_asked(given, expected):
    """At the task's own rate; passes and batches are of epochs."""
    assert expected == update_of({**PLAIN, **given}, steps=5, rate=0.05)


@pytest.mark.parametrize("name", ["epochs", "batch"])
@pytest.mark.parametrize("rule", ["gradient", "proximal"])
def test_passes_are_of_epochs_alone(rule, name):
    """An option that would do nothing is refused."""
    with pytest.raises(ValueError, match=f"are for --update epochs, got --update {rule}"):
        update_of({**PLAIN, "update": rule, name: 2}, steps=5, rate=0.05)


def test_without_options_a_setting_steps_as_it_was_tuned():
    """Plain descent at its own rate, in every round."""
    plain = server_of(PLAIN)

    assert plain == THEIR_OWN and plain.optimizer is SERVERS[ServerRule.descent]
    assert lengths(plain) == [4.0] * ROUNDS


@pytest.mark.parametrize("rule", [ServerRule.adagrad, ServerRule.adam, ServerRule.yogi])
def test_an_optimiser_that_divides_is_asked_for_a_rate(rule):
    """A setting's own would be hundreds of times too long."""
    with pytest.raises(ValueError, match=rf"--server {rule} needs --rate, as 0\.01"):
        ServerSteps(rule)

    assert lengths(ServerSteps(rule, rate=0.5)) == [0.5] * ROUNDS
    assert isinstance(ServerSteps(rule, rate=0.5).optimizer, optax.GradientTransformation)


def test_steps_shrink_as_they_are_asked_to():
    """From the whole rate to nothing in half a wave, or as one over the root of rounds."""
    wave = lengths(ServerSteps(shrinking=Shrinking.cosine))
    root = lengths(ServerSteps(shrinking=Shrinking.root))

    assert wave[0] == root[0] == 4.0
    assert wave[5] == pytest.approx(2.0) and root[3] == pytest.approx(2.0)
    assert all(one > other > 0 for one, other in pairwise(wave))


def test_a_warm_up_comes_before_the_schedule():
    """Steps grow to all of what the schedule says by then."""
    warm = lengths(ServerSteps(warm_up=4))
    wave = ServerSteps(shrinking=Shrinking.cosine, warm_up=2)

    assert warm[:5] == pytest.approx([1.0, 2.0, 3.0, 4.0, 4.0])
    assert lengths(wave)[0] == pytest.approx(2.0)
    assert lengths(wave)[1:] == lengths(ServerSteps(shrinking=Shrinking.cosine))[1:]


@pytest.mark.parametrize(
    "given, said",
    [
        ({"rate": 0.0}, "--rate must be positive and finite, got 0"),
        ({"rate": float("nan")}, "--rate must be positive and finite, got nan"),
        ({"rate": float("inf")}, "--rate must be positive and finite, got inf"),
        ({"warm_up": -1}, "--warm-up must be at least 0 rounds, got -1"),
    ],
)
def test_a_number_that_is_none_is_refused(given, said):
    """One sentence, by the option's name."""
    with pytest.raises(ValueError, match=said):
        server_of({**PLAIN, **given})
