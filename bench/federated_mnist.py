"""Claim: at e_1 = 500 federated learning of MNIST loses two points at most to learning in the open.

`tacit reproduce mnist` at three budgets, one trial: people of 20 pictures, 8 of them played for a
cohort of 20,000 of 10^7, 100 rounds. The network of 3,274,634 parameters as published, and a linear
model of 39,700 on public features: the same budget buys more of fewer numbers, so at e_1 = 50
the small model is to be ahead of the network at 500. About a quarter of an hour on two quiet cores.

Run: python bench/federated_mnist.py [directory of the four files]
"""

import math
from collections.abc import Iterator

from claims import Claim, at_least, at_most, settle
from every_way import played
from tacit.experiments.mnist import STUDY

BUDGETS = (50.0, 500.0, math.inf)
MOST_LOST = 0.02


def main() -> Iterator[Claim]:
    """Prints every end, and claims how far they are apart."""
    found: dict[str, dict[float, float]] = {}
    for name, _, own in played(STUDY, "mnist", BUDGETS):
        found[name] = own
        yield at_most(f"  {name}: lost at e_1 = 500", [own[math.inf] - own[500.0]], MOST_LOST)
    ahead = found["ours"][50.0] - found["published"][500.0]
    yield at_least("  ours at 50, ahead of the network at 500", [ahead], 0.0)


if __name__ == "__main__":
    settle(main())
