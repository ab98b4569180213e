"""The server of a simulation: the reports of a few, with the noise that the many would get.

A cohort of n people answers (sum + noise)/n. Of n people m are played here, and they answer

    (their sum)/m + noise/n,

noise being what the declared server adds to n people's sum, drawn by that server itself. So the
noise on the mean is the declared one, whatever its law, round by round and, where it is correlated,
over all of them. The squared error of what devices add is n/m times as large: they are fewer.

Nothing is promised for this. Noise made for n people hides none of m.
"""

from typing import final

import equinox as eqx
import jax
from jaxtyping import Array, Num, PRNGKeyArray, PyTree

from tacit.contribution import Contribution
from tacit.facts import NoiseFacts
from tacit.noise.fixed import FixedPoint
from tacit.plan import Server


@final
class PlayedMean(eqx.Module):
    """A declared server's noise on the mean of those who are played.

    Args:
      declared: whose noise it is.
      mean: of the played, without noise.
      reports: the shape that is summed.
    """

    declared: Server
    mean: Server
    reports: Contribution

    @property
    def grid(self) -> PyTree:
        return self.mean.grid

    @property
    def facts(self) -> NoiseFacts:
        return self.declared.facts

    def init(self) -> PyTree:
        return self.declared.init()

    def step(
        self, carry: PyTree, key: PRNGKeyArray, total: PyTree[FixedPoint]
    ) -> tuple[PyTree, Num[Array, "*shape"], None]:
        for_noise, for_mean = jax.random.split(key)
        nobody = self.reports.empty(self.declared.grid)
        carry, noise, _ = self.declared.step(carry, for_noise, nobody)
        _, mean, _ = self.mean.step(self.mean.init(), for_mean, total)
        return carry, mean + noise, None
