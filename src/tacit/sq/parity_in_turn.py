"""A parity from reports of one bit: each person is asked about one of all 2^d parities.

People have d bits x and a label, of a parity of some of them; as signs, y = chi_R(x). The mean of
y chi_S(x) is 1 for S = R, and under uniform bits 0 for all others: so whoever is asked in round S
says y chi_S(x), and the parity whose round has the largest mean is learnt. Each person is in one
round and has one budget, whatever there are of rounds.

**People.** Where each is in a round of their own choice and answers by randomised response, round S
has a Poisson number of reports, of mean u = n/2^d if there are a Poisson number of people. Each is
+1 with chance 1/2, and in round R with (1 + t)/2, t = tanh(epsilon/2). So sums are independent, the
difference of two Poisson numbers (Skellam's law) of means u/2, and in round R of u (1 + t)/2 and
u (1 - t)/2; and R is learnt with probability

    sum over k of P(R's sum = k) P(another's < k)^(2^d - 1)

at least (ties are lost). The largest of 2^d sums of deviation sqrt(u) is about sqrt(2 u d ln 2), so
u t^2 is about 2 d ln 2: people grow like d 2^d. A curator needs about 6 d (`ParityElimination`).

Not that a cleverer report would help: it follows from statistical queries
(`simulated_reports`), of which an adversary leaves all but few parities possible
(`parity_adversary`).

References:
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?"
    (Section 5: masked parities).
"""

import math
from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, Int64, Num
from scipy.stats import skellam

from tacit.argument import counted, got, is_number, is_whole
from tacit.contribution import Interval
from tacit.sq.row_and_label import row_and_label

# There is a round for each of 2^d parities.
MOST_DIM = 16


class MeansInTurn(NamedTuple):
    """The mean of each parity so far, and how many rounds there were."""

    means: Float[Array, " parities"]
    rounds: Int32[Array, ""]


@final
class ParityInTurn(eqx.Module):
    """Asks for the label times one parity's sign in each round.

    A person is their bits and their label: a row of `dim` zeros and ones, and one of them.

    Args:
      dim: how many bits, from 1 to 16.
    """

    dim: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        _refuse_no_dim(self.dim)

    @property
    def shape(self) -> Interval:
        return Interval(-1.0, 1.0)

    @property
    def rounds(self) -> int:
        return 2**self.dim

    def init(self) -> MeansInTurn:
        return MeansInTurn(jnp.zeros(self.rounds), jnp.int32(0))

    def ask(
        self, state: MeansInTurn, person: tuple[Num[Array, " dim"], Num[Array, ""]]
    ) -> Float[Array, ""]:
        """Their label's sign, times that of the round's parity."""
        bits, label = row_and_label(person, self.dim)
        own = (state.rounds >> jnp.arange(self.dim)) & 1
        odd = jnp.sum(own * (bits >= 1)) % 2
        return (1.0 - 2.0 * (label >= 1)) * (1.0 - 2.0 * odd)

    def tell(self, state: MeansInTurn, answer: Float[Array, ""]) -> MeansInTurn:
        return MeansInTurn(state.means.at[state.rounds].set(answer), state.rounds + 1)

    def rule(self, state: MeansInTurn) -> Int64[np.ndarray, " dim"]:
        """Which bits the parity of the largest mean is of."""
        return int(np.argmax(np.asarray(state.means))) >> np.arange(self.dim) & 1


def parity_failure(dim: int, epsilon: float, people: float) -> float:
    """The chance that so many people's random bits do not tell their parity.

    Args:
      dim: how many bits, from 1 to 16.
      epsilon: of one report; `math.inf` for bits without noise.
      people: on average.

    Raises:
      ValueError: if an argument is not of its kind.
    """
    _refuse_no_dim(dim)
    if not (is_number(people) and 0 < people < math.inf):
        raise ValueError(f"people must be positive and finite, got {got(people)}")
    if not (epsilon == math.inf or (is_number(epsilon) and 0 < epsilon < math.inf)):
        raise ValueError(f"epsilon must be positive, got {got(epsilon)}")
    each, t = people / 2**dim, math.tanh(epsilon / 2)
    # No mean of 0: Skellam's law has none.
    means = each * (1 + t) / 2, max(each * (1 - t) / 2, 1e-12)
    far = 40 * math.sqrt(each) + 40
    sums = np.arange(math.floor(each * t - far), math.ceil(each * t + far) + 1)
    others = skellam.cdf(sums - 1, each / 2, each / 2) ** (2**dim - 1)
    return float(np.clip(1 - np.sum(skellam.pmf(sums, *means) * others), 0.0, 1.0))


def parity_people(dim: int, epsilon: float, failure: float = 0.05) -> int:
    """How many people's random bits tell their parity, but for this chance; arguments as before."""
    if not (is_number(failure) and 1e-9 <= failure < 1):
        raise ValueError(f"failure must be in [1e-9, 1), got {got(failure)}")
    high = 2.0
    while parity_failure(dim, epsilon, high) > failure:
        high *= 2
    low = high / 2
    while high - low > max(1.0, low / 100):
        middle = (low + high) / 2
        enough = parity_failure(dim, epsilon, middle) <= failure
        low, high = (low, middle) if enough else (middle, high)
    return math.ceil(high)


def _refuse_no_dim(dim: int) -> None:
    if not (is_whole(dim) and 1 <= dim <= MOST_DIM):
        raise ValueError(f"dim must be a whole number from 1 to 16, got {got(dim)}")
