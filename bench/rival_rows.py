"""Rows by published code, in an environment of its own: MST and AIM of private-pgm's authors.

`bench/synthesis.py` runs this by the Python that TACIT_RIVALS names, beside a copy of their
repository; nothing of it is part of ours. It writes rows as CSV, and prints the processor seconds
that they took.

Run: python bench/rival_rows.py <copy of private-pgm> mst|aim epsilon delta seed rows.csv domain.json out.csv
"""  # noqa: E501

import itertools
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

# Megabytes of AIM's model: its default, 80, takes hours.
AIM_MEGABYTES = 1.0


def main() -> None:
    warnings.filterwarnings("ignore")
    home, name, epsilon, delta, seed, rows, domain, out = sys.argv[1:]
    sys.path[:0] = [f"{home}/mechanisms", f"{home}/src"]
    np.random.seed(int(seed))  # noqa: NPY002
    # Of the other environment, by the path above.
    from mbi import Dataset, Domain  # pyright: ignore[reportMissingImports]

    sizes = json.loads(Path(domain).read_text())
    data = Dataset(pd.read_csv(rows), Domain(list(sizes), list(sizes.values())))
    start = time.process_time()
    made = METHODS[name](data, float(epsilon), float(delta))
    print(f"{time.process_time() - start:.1f}")
    made.df.to_csv(out, index=False)


def mst(data: Any, epsilon: float, delta: float) -> Any:
    from mst import MST  # pyright: ignore[reportMissingImports]

    return MST(data, epsilon, delta)


def aim(data: Any, epsilon: float, delta: float) -> Any:
    """All pairs of columns."""
    from aim import AIM  # pyright: ignore[reportMissingImports]

    pairs = [(pair, 1.0) for pair in itertools.combinations(data.domain, 2)]
    with open("/dev/null", "w") as sink:
        kept, sys.stdout = sys.stdout, sink
        try:
            made = AIM(epsilon, delta, prng=np.random, max_model_size=AIM_MEGABYTES)
            return made.run(data, pairs)[1]
        finally:
            sys.stdout = kept


METHODS: dict[str, Callable[[Any, float, float], Any]] = {"mst": mst, "aim": aim}

if __name__ == "__main__":
    main()
