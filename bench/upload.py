"""Reports compressed inside a plan: what a limit of bytes costs in error, and a projection in time.

The errors are those that plans state: of whole reports, of compressed ones at worst (all people of
one vector of the largest norm), and of compressed ones whose mean has a tenth of that norm, as that
of many people's updates may have. Compressing loses where people agree, or have few numbers, and
wins where central noise in all numbers is most of the error.
"""

import time
from collections.abc import Callable, Iterator

import jax
import numpy as np

import tacit
from claims import Claim, at_most, settle
from tacit.device.projected import Projected
from tacit.device.projection import SharedProjection

PEOPLE, RATE, ROUNDS, LOCAL, TURNS = 10**7, 1e-3, 100, 64.0, 5
CENTRAL = tacit.Central(2.0, 1e-7)
# Of the error of whole reports, at a tenth of the norm, for d and k.
MOST = {
    (10**5, 1_024): 6.0,
    (10**5, 16_384): 0.6,
    (10**6, 1_024): 0.7,
    (10**6, 16_384): 0.07,
}


def planned(dim: int, upload: int | None) -> tacit.Plan:
    question = tacit.Mean(tacit.Ball(dim, 1.0), tacit.Poisson(RATE), ROUNDS, PEOPLE)
    return tacit.Federated(LOCAL, CENTRAL, upload=upload).plan(question)


def compared(dim: int, kept: int) -> Iterator[Claim]:
    """The errors of both plans."""
    whole, short = planned(dim, None), planned(dim, 4 * kept)
    device = short.device
    if not (isinstance(device, Projected) and whole.error and short.error):
        raise ValueError("both plans state an error, and one is projected")
    tenth = short.error - device.facts.shared_error + device.projection.error(0.1, 1.0)
    print(
        f"d = {dim:,}: {whole.upload_bytes:,} bytes up, error {whole.error:.4g}; "
        f"k = {kept:,}: {short.upload_bytes:,} up, {short.download_bytes:,} down, "
        f"error {short.error:.4g} at worst, {tenth:.4g} at a tenth"
    )
    yield at_most(
        f"d = {dim:,}, k = {kept:,}: error at a tenth of the norm, to that of whole reports",
        tenth / whole.error,
        MOST[dim, kept],
    )


def timed(dim: int, kept: int) -> None:
    """CPU seconds to project one term and to lift one answer, the least of several turns."""
    projection, key = SharedProjection(dim, kept), jax.random.key(0)
    term = np.random.default_rng(0).normal(size=(1, dim)).astype(np.float32)
    forth, back = jax.jit(projection.project), jax.jit(projection.lift)
    answer = forth(key, term)[0]
    spent = [least(lambda: forth(key, term)), least(lambda: back(key, answer))]
    print(f"d = {dim:,}, k = {kept:,}: CPU {spent[0]:.4f} s to project, {spent[1]:.4f} s to lift")


def least(call: Callable[[], jax.Array]) -> float:
    jax.block_until_ready(call())
    spent = []
    for _ in range(TURNS):
        start = time.process_time()
        jax.block_until_ready(call())
        spent.append(time.process_time() - start)
    return min(spent)


def main() -> Iterator[Claim]:
    for dim, kept in MOST:
        timed(dim, kept)
        yield from compared(dim, kept)


if __name__ == "__main__":
    settle(main())
