"""Claim: a model of the next word, refitted at e_1 = 100, loses a point at most.

`tacit reproduce nextword` at three budgets, one trial: an LSTM pretrained on public addresses, and
roles of plays who hold 8 windows of 20 words, 6 of them played for a cohort of 20,000 of 10^7, 50
rounds of 10 steps. At e_1 = 10 a report of all 291,153 numbers teaches next to nothing, which
is known before anybody is asked; one of the 6,097 that are refitted here does.

Run: python bench/nextword.py [directory of the two folders]
"""

import math
from collections.abc import Iterator

import numpy as np

from claims import Claim, at_least, at_most, settle
from every_way import played
from tacit.experiments.nextword import STUDY
from tacit.experiments.records import Held
from tacit.federated.classifying import accuracy

BUDGETS = (10.0, 100.0, math.inf)
MOST_LOST = 0.01


def main() -> Iterator[Claim]:
    """Prints every end, and claims how far they are from each other and from where they began."""
    gained: dict[str, float] = {}
    for name, held, own in played(STUDY, ".", BUDGETS):
        before = accuracy(held.model, held.inputs, held.labels)
        print(f"{name:>9}: {before:.2%} before anybody was asked, {_commonest(held):.2%} by rote")
        gained[name] = own[10.0] - before
        yield at_most(f"  {name}: lost at e_1 = 100", [own[math.inf] - own[100.0]], MOST_LOST)
    yield at_most("  published at 10: learned", [gained["published"]], 0.003)
    yield at_least("  ours at 10: learned", [gained["ours"]], 0.008)


def _commonest(held: Held) -> float:
    """How often the next word is the one that those who are learned from say most."""
    (_, spoken), _ = held.people.data
    commonest = np.bincount(spoken[spoken >= 0]).argmax()
    return float((held.labels[held.labels >= 0] == commonest).mean())


if __name__ == "__main__":
    settle(main())
