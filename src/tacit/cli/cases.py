"""What `tacit compare` compares on: people, the problem they pose, and the methods for it.

Gradient descent is one learner with one setting for every trust model; what has to suit them is who
is asked when. Where each report is randomised, people spend all they have on one of them (`Once`),
or are asked in few rounds. All promises are about one person *replaced* by another: that is the
relation which every trust model can keep.

The settings were chosen by judgement and on people of the training part held out for that, never
on the test part. The data are public; that choice is part of no promise.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import final

import numpy as np

from tacit.accounting.relation import Relation
from tacit.cli.tasks import SPLIT_SEED
from tacit.data import adult, digits
from tacit.data.dataset import Dataset
from tacit.device.choose import Split
from tacit.features.encoding import Bins, Categories, Encoding
from tacit.learning.classifiers import (
    InRounds,
    NewtonRounds,
    Part,
    PerturbedMinimum,
    Problem,
    Steps,
)
from tacit.learning.compare import Method
from tacit.question.participation import Everyone, Once
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

# Of pixels: what is taken off each, and the longest image then.
GREY, IMAGE_NORM = 0.3, 3.0
# Edges and categories are declared, as everything about people is.
ADULTS = Encoding(
    {
        "age": Bins(tuple(range(20, 75, 5))),
        "education-num": Bins(tuple(range(2, 17))),
        "hours-per-week": Bins((20, 30, 35, 40, 41, 45, 50, 55, 60, 70)),
        "capital-gain": Bins((1, 3_000, 5_000, 7_000, 10_000, 20_000)),
        "capital-loss": Bins((1, 1_500, 1_800, 2_000, 2_300)),
        "native-country": Categories(("United-States", "Mexico")),
        **{
            name: Categories(values)
            for name, values in adult.CATEGORIES.items()
            if name not in ("education", "native-country")
        },
    }
)
# Of a federated report: against reconstruction, not against guessing who took part.
REPORT = Split(56.0, 8.0)


class ComparisonData(StrEnum):
    digits = "digits"
    adult = "adult"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """What is compared on: the problem and methods are public, the two parts are people's."""

    name: str
    problem: Problem
    methods: tuple[Method, ...]
    train: Part
    test: Part

    @property
    def commonest(self) -> float:
        """The accuracy of one answer for everybody: below it nothing was learnt."""
        labels = self.test[1]
        return float(np.bincount(labels).max() / len(labels))


def of(data: ComparisonData, directory: Path | None, delta: float) -> Case:
    """The case of these data.

    Raises:
      ValueError: if a directory is missing or not needed, or delta is out of range.
    """
    match data, directory:
        case ComparisonData.digits, None:
            return digits_case(delta)
        case ComparisonData.adult, Path():
            return adult_case(directory, delta)
        case ComparisonData.adult, None:
            raise ValueError("--data adult needs --directory, the folder of its two files")
    raise ValueError("--directory is for --data adult: the digits are in no folder")


def digits_case(delta: float, read: Dataset | None = None) -> Case:
    """Scikit-learn's digits: every image is a person, pixels are features."""
    data = read or digits.load(SPLIT_SEED)
    train = _pixels(data.train_images), data.train_labels
    test = _pixels(data.test_images), data.test_labels
    problem = Problem(len(train[1]), train[0].shape[1], IMAGE_NORM, data.classes)
    methods = _methods(Steps(clip=0.5, rate=12.0, average_from=10), 60, 0.05, delta)
    return Case("digits", problem, methods, train, test)


def adult_case(directory: Path, delta: float) -> Case:
    """Adult: who has more than 50,000 dollars a year, by what `ADULTS` encodes of them."""
    read = adult.load(directory)
    train, test = _encoded(read.train), _encoded(read.test)
    problem = Problem(len(train[1]), ADULTS.dim, ADULTS.norm, 2)
    second = NewtonRounds(0.001, Everyone(), 5)
    newton = Method("Newton's method", Central(1.0, delta, Relation.REPLACE_ONE), second)
    methods = _methods(Steps(clip=1.0, rate=8.0, average_from=10), 100, 0.002, delta)
    return Case("adult", problem, (*methods, newton), train, test)


def _pixels(images: np.ndarray) -> np.ndarray:
    return images.reshape(len(images), -1) - np.float32(GREY)


def _encoded(people: adult.AdultPart) -> Part:
    return ADULTS.encode(people.columns).features, people.rich.astype(np.int32)


def _methods(steps: Steps, rounds: int, ridge: float, delta: float) -> tuple[Method, ...]:
    """The perturbed minimum, and one learner under every trust model.

    What promises nothing comes first: a ledger with limits refuses it, and nothing is charged then.
    """
    central = Central(1.0, delta, Relation.REPLACE_ONE)
    name, once = "gradient descent", InRounds(steps, Once(), 20)
    return (
        Method(name, NonPrivate(), InRounds(steps, Everyone(), 400)),
        Method("objective perturbation", central, PerturbedMinimum(ridge)),
        Method(name, central, InRounds(steps, Everyone(), rounds)),
        Method(name, Federated(REPORT, central), InRounds(steps, Everyone(), 20)),
        Method(name, Shuffled(1.0, delta), once),
        Method(name, Local(1.0), once),
    )
