"""`make mutants`: does a test notice each of these slips?

Each mutant of the catalogue is planted in a copy of the source, never in the source, and the tests
named beside it are run on that copy. Those tests pass on the copy as it is, which is seen to first;
if they pass on the mutant as well, it survives, and the exit status is 1.

Run: python -m mutants [--only WORD]   (from tests/; WORD is part of a mutant's file or flaw)
"""

import argparse
import compileall
import importlib.util
import re
import shutil
import sys
import tempfile
from pathlib import Path

from mutants import flower
from mutants.catalogue import MUTANTS
from mutants.mutant import SOURCE, Mutant, original, planted
from mutants.trial import FAILED, PASSED, run

SECONDS = 900


def verdict(mutant: Mutant, source: Path) -> tuple[bool, str]:
    """Whether the mutant is killed, and by which test; or what became of it instead."""
    with planted(mutant, source):
        status, said = run(mutant.tests, source, SECONDS)
    if status == PASSED:
        return False, "SURVIVED"
    if status is None:
        return False, "NO ANSWER"
    killer = re.search(r"^FAILED tests/(\S+)", said, re.MULTILINE)
    if status != FAILED or killer is None:
        return False, f"NO TEST FAILED: {said[-500:]}"
    return True, f"killed by {killer[1]}"


def wanted(only: str) -> list[Mutant]:
    """Those of this word whose tests can be run here; it says how many others there are."""
    named = [mutant for mutant in MUTANTS if only in mutant.file or only in mutant.breaks]
    if importlib.util.find_spec("flwr") is not None:
        return named
    chosen = [mutant for mutant in named if mutant not in flower.MUTANTS]
    if len(chosen) < len(named):
        print(f"{len(named) - len(chosen)} mutants skipped: their tests need Flower")
    return chosen


def main(only: str) -> int:
    chosen = wanted(only)
    for mutant in chosen:
        original(mutant)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(source, quiet=1)
        status, said = run(sorted({test for each in chosen for test in each.tests}), source, None)
        if status != PASSED:
            print(f"the tests must pass before anything is planted, and do not:\n{said}")
            return 1
        survivors = 0
        for mutant in chosen:
            killed, how = verdict(mutant, source)
            survivors += not killed
            print(f"{mutant.file:<40}{mutant.breaks:<72}{how}", flush=True)
    print(f"{len(chosen)} mutants, {len(chosen) - survivors} killed, {survivors} not")
    return 1 if survivors else 0


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="python -m mutants")
    arguments.add_argument("--only", default="", metavar="WORD")
    sys.exit(main(arguments.parse_args().only))
