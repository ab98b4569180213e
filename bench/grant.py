"""What it costs to bind a grant to its round: lowering it, beside compiling it, which a run must.

Twenty people with 100 images each, the digits network, five steps of each person's: the round of
bench/round.py. A grant lowers the round and hashes the compiler's text with every constant in it;
the run that follows compiles that text, and a later grant of an equal round compiles nothing.
"""

import platform
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import optax
from jax import random

import tacit
from claims import Claim, at_most, settle
from tacit.federated.classifying import person_loss
from tacit.models.networks import DigitsNetwork
from tacit.population import program

PEOPLE, IMAGES, TURNS, MOST = 20, 100, 5, 0.5


def main() -> Iterator[Claim]:
    """Prints the seconds of a grant and of compiling, and claims their ratio."""
    print(f"jax {jax.__version__}, {platform.machine()}")
    people, learner = population(), training()
    plan = tacit.Central(2.0, 1e-5).plan(learner.question(tacit.Everyone(), 1, PEOPLE, bound=1.0))
    with tempfile.TemporaryDirectory() as folder:
        ledger = tacit.Ledger(Path(folder) / "ledger.db")
        ledger.limit("twenty", "public", tacit.Relation.ADD_REMOVE, 1e3, 0.1)
        grant(people, plan, learner, ledger)
        granting, compiling = zip(
            *(turn(people, plan, learner, ledger) for _ in range(TURNS)), strict=True
        )
        ratios = [one / other for one, other in zip(granting, compiling, strict=True)]
        print(f"grant {min(granting):.2f} to {max(granting):.2f} s, ", end="")
        print(f"its round's compilation {min(compiling):.2f} to {max(compiling):.2f} s")
        yield at_most("a grant's time over its round's compilation", ratios, MOST)
        before = program.compiles()
        ready(grant(people, plan, learner, ledger))
        yield at_most("programs compiled for an equal grant", program.compiles() - before, 0)


def turn(people, plan, learner, ledger) -> tuple[float, float]:
    """Seconds of a grant, and of the compilation of its round."""
    program.forget()
    began = time.perf_counter()
    made = grant(people, plan, learner, ledger)
    granted = time.perf_counter()
    ready(made)
    return granted - began, time.perf_counter() - granted


def grant(
    people: tacit.Arrays, plan: tacit.Plan, learner: tacit.federated.Training, ledger: tacit.Ledger
):
    return people.grant(plan, learner, ledger, seed=0, at_once=1)


def ready(made: tacit.population.Grant) -> None:
    """As a run begins: compiled if no equal program is."""
    made.staged.rounds.ready(made.staged.data, bytes(32))


def population() -> tacit.Arrays:
    """Random pixels and labels: the time does not depend on what the images show."""
    generator = np.random.default_rng(0)
    pixels = generator.random((PEOPLE, IMAGES, 28, 28), np.float32)
    labels = generator.integers(0, 10, (PEOPLE, IMAGES))
    return tacit.Arrays(((pixels, labels), np.ones((PEOPLE, IMAGES), bool)), "twenty")


def training() -> tacit.federated.Training:
    update = tacit.federated.GradientSteps(5, 0.05)
    return tacit.federated.Training(
        DigitsNetwork(random.key(0)), person_loss, update, optax.sgd(1.0), 0, 0.5
    )


if __name__ == "__main__":
    settle(main())
