"""`make audit`: every mechanism and cell against its claim, every planted bug against the harness.

A row fails if the mechanism's own draws refute its claim, or if a planted bug is not caught; any
failure makes the exit status 1.

Run: python -m audits [draws]   (from tests/; a million draws, or of what costs more as many as its
row says, unless fewer are asked for)
"""

import math
import sys

import jax

from audits.catalogue import rows
from audits.row import Row, examine
from tacit.noise import keys

HEAD = f"{'cell':<12}{'mechanism':<34}{'draws':>9}{'claim':>9}{'shown':>9}  planted bugs: shown"


def report(row: Row, index: int, most: float) -> bool:
    """Prints one line; whether the row stands."""
    draws = int(min(row.draws, most))
    key = keys.jax_key(keys.derive(keys.from_seed(index), "server", 0))
    for_row, *for_bugs = jax.random.split(key, 1 + len(row.planted))
    own = examine(row, (row.one, row.other), for_row, draws)
    bugs = {
        name: examine(row, pair, k, draws)
        for (name, pair), k in zip(row.planted.items(), for_bugs, strict=True)
    }
    sound = not own.refuted and bool(bugs) and all(bug.refuted for bug in bugs.values())
    shown = ", ".join(
        f"{name} {bug.epsilon:.3g}{'' if bug.refuted else ' NOT CAUGHT'}"
        for name, bug in bugs.items()
    )
    verdict = " REFUTED" if own.refuted else ""
    name = f"{row.cell:<12}{row.mechanism:<34}{draws:>9}"
    line = f"{name}{row.epsilon:>9.4g}{own.epsilon:>9.4g}{verdict}"
    print(f"{line}  {shown or 'NONE PLANTED'}", flush=True)
    return sound


def main(most: float) -> int:
    print("epsilon claimed, and epsilon shown by so many draws with confidence 1 - 1e-7")
    print(HEAD)
    verdicts = [report(row, index, most) for index, row in enumerate(rows())]
    failed = len(verdicts) - sum(verdicts)
    print(f"{len(verdicts)} rows, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else math.inf))
