"""Claim: at e_1 = 500 federated learning of MNIST loses two points at most to learning in the open.

`tacit reproduce mnist` at three budgets, one trial: people of 20 pictures, 8 of them played for a
cohort of 20,000 of 10^7, 100 rounds. The network of 3,274,634 parameters as published, and a linear
model of 39,700 on public features: the same budget buys more of fewer numbers, so at e_1 = 50
the small model is to be ahead of the network at 500. About a quarter of an hour on two quiet cores.

Run: python bench/federated_mnist.py [directory of the four files]
"""

import math
import platform
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from claims import Claim, at_least, at_most, settle
from tacit.experiments.mnist import STUDY
from tacit.experiments.played import Prospect, learned
from tacit.experiments.records import Held
from tacit.experiments.study import Recipe, Study

FILES = Path(__file__).resolve().parents[1] / "../shared/data/mnist"
BUDGETS = (50.0, 500.0, math.inf)
MOST_LOST = 0.02


def ends(
    study: Study, recipe: Recipe, held: Held, budgets: tuple[float, ...]
) -> dict[float, float]:
    """Test accuracy after the last round, by budget."""
    found = {}
    for direction in budgets:
        begin = time.process_time()
        known = Prospect.of(study, study.small, recipe, direction, held.model)
        made = learned(study, study.small, recipe, known, held, lambda done: None)
        found[direction] = float(made.accuracies[:, -1].mean())
        print(
            f"{recipe.name:>9} e_1 {direction:>5g}: {found[direction]:.2%} right, noise a round "
            f"{made.error:.4g}, {time.process_time() - begin:.0f} s of processors"
        )
    return found


def main() -> Iterator[Claim]:
    """Prints every end, and claims how far they are apart."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FILES
    print(f"jax {version('jax')}, {platform.machine()}; {STUDY.small}")
    data, found = STUDY.read(folder), {}
    for recipe in STUDY.ways:
        held = data.held(recipe.start(data.public), STUDY.small.records)
        found[recipe.name] = own = ends(STUDY, recipe, held, BUDGETS)
        lost = own[math.inf] - own[500.0]
        yield at_most(f"  {recipe.name}: lost at e_1 = 500", [lost], MOST_LOST)
    ahead = found["ours"][50.0] - found["published"][500.0]
    yield at_least("  ours at 50, ahead of the network at 500", [ahead], 0.0)


if __name__ == "__main__":
    settle(main())
