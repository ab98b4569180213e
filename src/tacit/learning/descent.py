"""Gradient descent on people's examples: DP-SGD and its full-batch form.

Each round asks for the mean of everybody's clipped gradient and hands the answer to an optimiser.
What that costs is decided by the question and the trust model, not here: `Poisson` cohorts and
Gaussian noise make it DP-SGD (Abadi et al. 2016), `Everyone` makes it noisy gradient descent,
`NonPrivate` plain descent, and a person's clipped gradient is a vector of a ball, so devices can
randomise it as well.

In the central model the chunks' sums come from one backward pass (`tacit.learning.clipping`),
which is why a private step costs about what a plain one does. Models of the layers in
`tacit.models` get them at full speed; any other Equinox model gets them with a warning.

**Guarantee**: the learner's own. A term is the gradient under a rule that keeps its norm to
`clip.sensitivity`, and `question` asks for terms of a ball of that radius, so the bound that
gradients are cut to and the one that noise is scaled to are one number.

References:
    Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar, Zhang. Deep learning with differential
        privacy. CCS 2016, Algorithm 1.
    Bassily, Smith, Thakurta. Private empirical risk minimization. FOCS 2014.
"""

from typing import final

import equinox as eqx
import optax
from jaxtyping import Array, Float, PyTree

from tacit.argument import got, is_made, refuse_not_counted, single
from tacit.contribution import Ball
from tacit.learning import progress
from tacit.learning.clipping import Clip
from tacit.learning.gradient_terms import GradientTerms
from tacit.learning.holdings import Holding, Loss, OneEach
from tacit.learning.progress import Progress
from tacit.learning.rates import Rate, as_rate
from tacit.question.participation import Participation
from tacit.question.sums import Mean


@final
class Descent(eqx.Module):
    """Learns `model` from people's examples.

    | a person's gradient | their term |
    | --- | --- |
    | one that the rule leaves alone | the gradient |
    | a longer one | shortened by the rule |
    | one that is not finite | zero |

    Args:
      model: where training starts; its arrays of real numbers are the parameters.
      loss: of a model on one example.
      clip: what shortens a person's gradient (`tacit.learning.clipping`).
      optimizer: any of Optax; answers are mean clipped gradients. With other numbers it is another
        program, but for those that `optax.inject_hyperparams` keeps in its state.
      average_from: the first round whose parameters are averaged.
      rate: what the optimiser's steps are multiplied by: a number, or a schedule of
        `tacit.learning.rates`; traced, so trying others compiles once.
      holding: whether a person is one example or several.
    """

    model: PyTree
    loss: Loss = eqx.field(static=True)
    clip: Clip
    optimizer: optax.GradientTransformation = eqx.field(static=True)
    average_from: int = 0
    rate: Rate = eqx.field(converter=as_rate, default=1.0)
    holding: Holding = OneEach()

    def __check_init__(self):
        progress.refuse_untrainable(self.model, self.optimizer)
        refuse_not_counted("average_from", single(self.average_from), 0)
        if not is_made(self.clip, Clip):
            raise ValueError(
                f"clip must be a rule of tacit.learning.clipping, such as Flat(1.0), got "
                f"{got(self.clip)}"
            )

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return progress.size(self.model)

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people over `rounds` rounds."""
        ball = Ball(self.dim, float(self.clip.sensitivity))
        return Mean(ball, participation, rounds, people)

    def init(self) -> Progress:
        return progress.begun(self.model, self.optimizer)

    def ask(self, state: Progress, person: PyTree) -> Float[Array, " dim"]:
        model = self.at(state.parameters)
        return progress.joined(self.holding.term(self.loss, model, person, self.clip), self.dim)

    def terms(self, state: Progress, people: PyTree) -> GradientTerms:
        """Everybody's, from one backward pass."""
        model = self.at(state.parameters)
        return GradientTerms(self.holding.terms(self.loss, model, people, self.clip), self.dim)

    def tell(self, state: Progress, answer: Float[Array, " dim"]) -> Progress:
        return progress.moved(state, answer, self.optimizer, self.rate, self.average_from)

    def at(self, parameters: Float[Array, " dim"]) -> PyTree:
        """The model with these parameters."""
        return progress.flat(self.model)[1](parameters)

    def released(self, state: Progress) -> PyTree:
        """The averaged model: what a finished run is for."""
        return self.at(state.average)
