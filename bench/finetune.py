"""Claim: with a pretrained model federated learning at e_1 = 100 loses few points at most.

`tacit reproduce finetune` at three budgets, one trial: people of 20 pictures of classes that were
not pretrained on, 8 of them played for a cohort of 20,000 of 10^7, 100 rounds of 15 steps. The last
two layers of a pretrained network, 74,885 numbers, are refit as published, and a linear model of
485 on public directions: few numbers at e_1 = 10 are to be ahead of the network without privacy.
About five minutes on two cores.

Run: python bench/finetune.py [directory of CIFAR-10's files]
"""

import math
from collections.abc import Iterator

from claims import Claim, at_least, at_most, settle
from every_way import played
from tacit.experiments.finetune import STUDY

BUDGETS = (10.0, 100.0, math.inf)
MOST_LOST = {"published": 0.05, "ours": 0.03}


def main() -> Iterator[Claim]:
    """Prints every end, and claims how far they are apart."""
    found: dict[str, dict[float, float]] = {}
    for name, _, own in played(STUDY, "cifar-10", BUDGETS):
        found[name] = own
        lost = own[math.inf] - own[100.0]
        yield at_most(f"  {name}: lost at e_1 = 100", [lost], MOST_LOST[name])
    ahead = found["ours"][10.0] - found["published"][math.inf]
    yield at_least("  ours at 10, ahead of the network without privacy", [ahead], 0.0)


if __name__ == "__main__":
    settle(main())
