"""Federated training whose clipping bound follows a quantile of the updates' norms.

Devices compute what they compute for `Training`; the bound, and what following it costs, is
`tacit.learning.quantile_bound`. How long updates are is not known before the first of them: it
depends on the model, on the number of local steps and on everybody's records. So a bound that is
guessed is either noise for nothing, or cuts everybody.
"""

from typing import final

import equinox as eqx
from jaxtyping import Array, Float, PyTree

from tacit.federated.training import Training
from tacit.learning.adaptive import AdaptiveProgress
from tacit.learning.quantile_bound import QuantileBound
from tacit.question.participation import Participation
from tacit.question.sums import Mean


@final
class AdaptiveTraining(eqx.Module):
    """`training`, with a bound on updates that nobody has to guess.

    **Guarantee**: the learner's own. Every term is in the shape that `question` asks for, whatever
    the update and the bound are.

    Args:
      training: what a device computes, and what becomes of the answers.
      clip: where the bound starts, and what it follows.
    """

    training: Training
    clip: QuantileBound = eqx.field(default_factory=QuantileBound)

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return self.training.dim

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people over `rounds` rounds."""
        return Mean(self.clip.shape(self.dim), participation, rounds, people)

    def init(self) -> AdaptiveProgress:
        return AdaptiveProgress(self.training.init(), self.clip.start)

    def ask(self, state: AdaptiveProgress, person: PyTree) -> Float[Array, " numbers"]:
        return self.clip.term(self.training.ask(state.training, person), state.bound)

    def tell(self, state: AdaptiveProgress, answer: Float[Array, " numbers"]) -> AdaptiveProgress:
        update, bound = self.clip.told(state.bound, answer)
        return AdaptiveProgress(self.training.tell(state.training, update), bound)

    def at(self, parameters: Float[Array, " dim"]) -> PyTree:
        """The model with these parameters."""
        return self.training.at(parameters)

    def released(self, state: AdaptiveProgress) -> PyTree:
        """The averaged model: what a finished run is for."""
        return self.training.released(state.training)
