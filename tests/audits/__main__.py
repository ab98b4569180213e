"""`make audit`: every mechanism and cell against its claim, every planted bug against the harness.

A row fails if the mechanism's own draws refute its claim, or if a planted bug is not caught; any
failure makes the exit status 1. Rows are dealt to processes, one for each processor, and printed in
their order.

Run: python -m audits [draws]   (from tests/; a million draws, or of what costs more as many as its
row says, unless fewer are asked for)
"""

import math
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from audits import lines


def main(most: float) -> int:
    """Prints every row; 1 if one failed."""
    print("epsilon claimed, and epsilon shown by so many draws with confidence 1 - 1e-7")
    print(lines.HEAD, flush=True)
    verdicts: list[bool] = []
    # A process that was forked from one that has threads may wait for ever.
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), fresh) as processes:
        for line, sound in processes.map(partial(lines.line, most), range(len(lines.rows()))):
            print(line, flush=True)
            verdicts.append(sound)
    failed = len(verdicts) - sum(verdicts)
    print(f"{len(verdicts)} rows, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else math.inf))
