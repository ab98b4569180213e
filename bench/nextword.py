"""Claim: few numbers of a model of the next word, refitted at e_1 = 100, lose a point at most.

`tacit reproduce nextword` at three budgets, one trial: an LSTM pretrained on public addresses, and
roles of plays who hold 8 windows of 20 words, 6 of them played for a cohort of 20,000 of 10^7, 50
rounds of 10 steps. At e_1 = 10 a report of all 291,153 numbers teaches next to nothing, which
is known before anybody is asked; one of the 6,097 that are refitted here does.

Run: python bench/nextword.py [directory of the two folders]
"""

import math
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from claims import Claim, at_least, at_most, settle
from federated_mnist import ends
from tacit.experiments.nextword import STUDY
from tacit.federated.classifying import accuracy

FILES = Path(__file__).resolve().parents[1] / "../shared/data"
BUDGETS = (10.0, 100.0, math.inf)
MOST_LOST = 0.01


def main() -> Iterator[Claim]:
    """Prints every end, and claims how far they are from each other and from where they began."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FILES
    print(f"jax {version('jax')}, {platform.machine()}; {STUDY.small}")
    data, found = STUDY.read(folder), {}
    network = STUDY.pretrained(data.public, lambda: None)
    for recipe in STUDY.ways:
        held = data.held(recipe.start(network), STUDY.small.records)
        before = accuracy(held.model, held.inputs, held.labels)
        found[recipe.name] = own = ends(STUDY, recipe, held, BUDGETS)
        gained = {budget: end - before for budget, end in own.items()}
        print(f"{recipe.name:>9}: {before:.2%} before anybody was asked")
        if recipe.name == "published":
            yield at_most("  published at 10: learned", [gained[10.0]], 0.003)
        else:
            yield at_least("  ours at 10: learned", [gained[10.0]], 0.008)
            yield at_most("  ours at 100: lost", [own[math.inf] - own[100.0]], MOST_LOST)


if __name__ == "__main__":
    settle(main())
