"""Every way of a study at some budgets, as its command plays it: what accuracies it ends with."""

import platform
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from tacit.experiments.played import Prospect, learned
from tacit.experiments.records import Held
from tacit.experiments.study import Recipe, Study

SHARED = Path(__file__).resolve().parents[1] / "../shared/data"


def played(
    study: Study, files: str, budgets: tuple[float, ...]
) -> Iterator[tuple[str, Held, dict[float, float]]]:
    """Of each way its name, what it began with, and test accuracy after the last round by budget.

    Args:
      study: at its small scale.
      files: the folder's name among those of data, unless the command line names another.
      budgets: e_1.
    """
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / files
    print(f"jax {version('jax')}, {platform.machine()}; {study.small}")
    data = study.read(folder)
    pretrained = study.pretrained(data.public, lambda: None)
    for recipe in study.ways:
        held = data.held(recipe.start(pretrained), study.small.records)
        yield recipe.name, held, {each: _end(study, recipe, held, each) for each in budgets}


def _end(study: Study, recipe: Recipe, held: Held, budget: float) -> float:
    begin = time.process_time()
    known = Prospect.of(study, study.small, recipe, budget, held.model)
    made = learned(study, study.small, recipe, known, held, lambda done: None)
    end = float(made.accuracies[:, -1].mean())
    print(
        f"{recipe.name:>9} e_1 {budget:>5g}: {end:.2%} right, noise a round {made.error:.4g}, "
        f"{time.process_time() - begin:.0f} s of processors",
        flush=True,
    )
    return end
