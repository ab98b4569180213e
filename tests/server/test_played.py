"""The server of a simulation: the played people's mean, and the noise of the declared ones."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import quick_keys
from tacit.contribution import Ball
from tacit.facts import NoiseFacts
from tacit.noise.fixed import FixedPoint
from tacit.server.played import PlayedMean

DECLARED = NoiseFacts(3.0, 9.0)


class Recording(eqx.Module):
    """Hands out a number, counts its rounds, and keeps what it was given."""

    answer: float
    grid: Any
    facts: NoiseFacts
    seen: list

    def init(self) -> int:
        return 0

    def step(self, carry: int, key: Any, total: Any) -> tuple[int, Any, None]:
        self.seen.append((carry, np.asarray(jax.random.key_data(key)).tolist(), total))
        return carry + 1, np.full(2, self.answer * (carry + 1)), None


def made() -> tuple[PlayedMean, Recording, Recording]:
    declared = Recording(0.5, jnp.float32(2.0**-4), DECLARED, [])
    mean = Recording(10.0, 2.0**-6, NoiseFacts(0.0, 0.0), [])
    server: Any = PlayedMean(declared, mean, Ball(2, 1.0))  # pyright: ignore[reportArgumentType]
    return server, declared, mean


def test_noise_is_that_of_nobodys_sum():
    """The declared server is shown a sum of none, on its own grid; the mean has the real one."""
    server, declared, mean = made()
    total = FixedPoint.of([3.0, -1.0], 2.0**-6)
    carry, answer, halted = server.step(server.init(), quick_keys.key(1), total)
    ((_, _, nobody),), ((_, _, played),) = declared.seen, mean.seen

    assert nobody.exact().tolist() == [0.0, 0.0] and float(nobody.step) == 2.0**-4
    assert played is total
    assert (carry, answer.tolist(), halted) == (1, [10.5, 10.5], None)


def test_the_carry_is_the_declared_servers():
    """Correlated noise goes on from round to round; a mean begins anew in each."""
    server, declared, mean = made()
    carry, answers = server.init(), []
    for seed in (1, 2, 3):
        carry, answer, _ = server.step(carry, quick_keys.key(seed), FixedPoint.of([0, 0], 1.0))
        answers.append(answer[0])

    assert answers == [10.5, 11.0, 11.5] and carry == 3
    assert [seen[0] for seen in declared.seen] == [0, 1, 2]
    assert [seen[0] for seen in mean.seen] == [0, 0, 0]


def test_noise_and_mean_have_keys_of_their_own():
    """Neither is the round's own key, and the next round's are others."""
    server, declared, mean = made()
    for seed in (1, 2):
        server.step(0, quick_keys.key(seed), FixedPoint.of([0, 0], 1.0))
    drawn = [each[1] for each in (*declared.seen, *mean.seen)]
    drawn += [np.asarray(jax.random.key_data(quick_keys.key(seed))).tolist() for seed in (1, 2)]

    assert len({tuple(key) for key in drawn}) == 6


def test_facts_are_of_the_declared_and_the_grid_of_the_played():
    """What is stated of noise is what is drawn; what is summed is what the mean takes."""
    server, _, _ = made()
    assert (server.facts, server.grid) == (DECLARED, 2.0**-6)
