"""Whether somebody was in a fit's data, from what the fit says of their own label: shadow models.

Of so many people with labels a random half is fitted, and the fit is given away. The onlooker has
all people, but does not know which half. They make fits of their own on other random halves, the
shadows, and note for each person how confident a fit is of their label: with them in its half, and
without. Of both they take a normal law; a person is told to have been in the data if

    log (law with them / law without them), at the confidence of the fit that was given away,

is large: a fit remembers the labels it saw. The threshold is what a given share of those who were
not in the data exceed.

**What a promise allows.** Each person is in the data by a coin of their own, and everybody else is
as they are, so this is a test between neighbours, and of members no more are found than the
promise's tradeoff curve allows at that rate of false alarms.

References:
    Carlini, Chien, Nasr, Song, Terzis and Tramer 2022, "Membership inference attacks from first
    principles".
    Shokri, Stronati, Song and Shmatikov 2017, "Membership inference attacks against machine
    learning models".
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import norm
from sklearn.base import clone

from tacit.argument import got, is_number, is_whole
from tacit.attacks.outcome import Outcome
from tacit.attacks.told_members import told_members
from tacit.audit.promises import most_found
from tacit.trust.people import Curated, refuse_no_trust

# Of an estimate of so few shadows a spread may be near zero by luck.
_LEAST_SPREAD = 1e-3

Confidences = Float[np.ndarray, "fits people"]
Inside = Bool[np.ndarray, "fits people"]


class LabelledPeople(NamedTuple):
    """People's rows, and a label of each, of two."""

    rows: Float[np.ndarray, "people features"]
    labels: Float[np.ndarray, " people"]


@final
@dataclass(frozen=True, eq=False)
class ShadowModels:
    """The attack on fits of an estimator of two classes.

    Args:
      estimator: with a `decision_function`, its bounds and its two classes; its trust and people
        are set.
      people: of whom half are fitted, from 20 on.
      features: of a made person.
      shadows: fits of the onlooker, at least 8.
      false_alarms: a, in (0, 1/2].
    """

    estimator: Any
    people: int
    features: int
    shadows: int = 32
    false_alarms: float = 0.05

    def __post_init__(self):
        for name, least in (("people", 20), ("features", 1), ("shadows", 8)):
            value = getattr(self, name)
            if not (is_whole(value) and value >= least):
                raise ValueError(f"{name} must be a whole number from {least} on, got {got(value)}")
        if not (is_number(self.false_alarms) and 0 < self.false_alarms <= 0.5):
            raise ValueError(f"false_alarms must be in (0, 1/2], got {got(self.false_alarms)}")

    def run(self, trust: Curated, seed: int) -> Outcome:
        """The attack on made people, whose labels say nothing that rows do not."""
        return self.against(self.made(seed), trust, seed)

    def made(self, seed: int) -> LabelledPeople:
        """Rows in [-1, 1], with labels by a coin: what is learnt of them is who was there."""
        numbers = np.random.default_rng(seed)
        rows = numbers.uniform(-1, 1, (self.people, self.features))
        return LabelledPeople(rows, numbers.integers(0, 2, self.people).astype(np.float64))

    def against(self, data: LabelledPeople, trust: Curated, seed: int) -> Outcome:
        """The attack on these people; no account is charged."""
        refuse_no_trust(trust)
        numbers = np.random.default_rng([seed, 1])
        inside = numbers.random((self.shadows + 1, len(data.rows))) < 0.5
        own: Any = clone(self.estimator)
        own.set_params(trust=trust, people=len(data.rows) // 2, ledger=None)
        fits = [_confidence(own, data, each, seed + run) for run, each in enumerate(inside)]
        scores = likelier_inside(np.stack(fits[1:]), inside[1:], fits[0])
        told = told_members(scores[inside[0]], scores[~inside[0]], self.false_alarms)
        allowed = most_found(own.plan_, told.most)
        return Outcome("members", told.found, None, allowed, told.others)


def likelier_inside(
    shadows: Confidences, inside: Inside, seen: Float[np.ndarray, " people"]
) -> Float[np.ndarray, " people"]:
    """How much likelier each confidence is of a fit with that person, in logarithms."""
    laws = []
    for which in (inside, ~inside):
        many = np.maximum(which.sum(axis=0), 1)
        mean = np.where(which, shadows, 0.0).sum(axis=0) / many
        square = np.where(which, np.square(shadows - mean), 0.0).sum(axis=0) / many
        laws.append(norm.logpdf(seen, mean, np.sqrt(square) + _LEAST_SPREAD))
    return laws[0] - laws[1]


def _confidence(
    own: Any, data: LabelledPeople, inside: Bool[np.ndarray, " people"], seed: int
) -> Float[np.ndarray, " people"]:
    """How far on their own label's side a fit of those inside has everybody."""
    own.set_params(seed=seed)
    own.fit(data.rows[inside], data.labels[inside])
    return own.decision_function(data.rows) * np.where(data.labels == own.classes_[1], 1, -1)
