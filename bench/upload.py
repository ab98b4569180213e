"""Reports under a limit of bytes: what a limit costs in error, in time, and how near bounds are.

First the error that local plans state of compressed reports, to that of whole ones. Then how far
above the measured error the stated one is, where much of it is not exact: at a large budget, and
with padding. Then noise on the sum, where rows shared by the round have few numbers: for people who
all hold one vector of the largest norm, and for a mean of a tenth of that norm, as that of many
people's updates may have. Last a server's time for a thousand reports, and what an index takes of a
device and of a server.
"""

import math
import time
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np

import tacit
from claims import Claim, at_most, settle
from tacit.contribution import SparseBall
from tacit.device.choose import device_for
from tacit.device.indexed import Indexed
from tacit.device.own_rows import OwnRows
from tacit.device.shared_rows import SharedRows
from tacit.mechanisms.local.projection import RandomProjection
from tacit.mechanisms.local.projunit import FastProjUnit
from tacit.noise import keys

DIM, COHORT, TURNS, REPORTS = 10**6, 10**4, 5, 1_000
# Of the error of whole reports, for a limit of bytes and an epsilon.
MOST = {
    (4_096, 8.0): 1.005,
    (4_096, 64.0): 1.06,
    (4_096, 500.0): 1.6,
    (1_024, 64.0): 1.06,
    (256, 8.0): 1.015,
    (2, 1.0): 1.015,
    (2, 4.0): 1.015,
    (2, 8.0): 1.015,
}
CENTRAL = tacit.Central(2.0, 1e-7)
SERVER_SECONDS = 0.15
# Of an index at epsilon 8: a device's seconds beside the projection, a server's for a thousand.
RANKED_SECONDS, REDRAWN_SECONDS = 0.03, 0.1


def local(epsilon: float, upload: int | None) -> tacit.Plan:
    asked = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Everyone(), 1, COHORT)
    return tacit.Local(epsilon, upload=upload).plan(asked)


def limited() -> Iterator[Claim]:
    """Stated errors of local plans."""
    for (upload, epsilon), most in MOST.items():
        whole, short = local(epsilon, None), local(epsilon, upload)
        said = f"d = {DIM:,}, epsilon {epsilon:g}, {short.upload_bytes:,} bytes of"
        yield at_most(
            f"{said} {whole.upload_bytes:,}: error", (short.error or 0) / (whole.error or 1), most
        )


def measured() -> Iterator[Claim]:
    """The stated error of one report with padding, to the mean of some."""
    dim, kept, many = 3_270_000, 1_024, 24
    mechanism = FastProjUnit.optimal(dim, 500.0, kept)
    unit = np.random.default_rng(1).normal(size=dim).astype(np.float32)
    unit /= np.linalg.norm(unit)
    people = jnp.zeros(1, jnp.uint32)

    def error(seed: int) -> float:
        public, key = jax.random.split(jax.random.key(seed))
        report = mechanism.sample(key, public, people, unit[None])
        return float(np.sum((np.asarray(mechanism.total(public, people, report)) - unit) ** 2))

    errors = np.array([error(seed) for seed in range(many)])
    spread = 3 * errors.std() / math.sqrt(many)
    print(f"measured {errors.mean():.1f}, three standard errors {spread:.1f}")
    yield at_most(
        f"d = {dim:,}, k = {kept:,}, epsilon 500: stated error to the measured",
        mechanism.worst_error / (errors.mean() + spread),
        1.03,
    )


def shared() -> Iterator[Claim]:
    """Rows of the round under loud noise, 10^4 of 10^7 people in each of 100 rounds."""
    asked = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Poisson(1e-3), 100, 10**7)
    whole, short = (
        tacit.Federated(64.0, CENTRAL, upload=upload).plan(asked) for upload in (None, 65_536)
    )
    device = short.device
    if not (isinstance(device, SharedRows) and whole.error and short.error):
        raise ValueError("both plans state an error, and one has rows of the round")
    tenth = short.error - device.facts.shared_error + device.common_error(0.1)
    said = f"d = {DIM:,}, {short.upload_bytes:,} bytes up, {short.download_bytes:,} down: error"
    yield at_most(f"{said} at worst, to that of whole reports", short.error / whole.error, 0.6)
    yield at_most(f"{said} at a tenth of the norm, to that", tenth / whole.error, 0.12)


def served() -> Iterator[Claim]:
    """A server's seconds for the sum of a thousand reports of 4 KB, and its way back."""
    way = RandomProjection(DIM, 1_024)
    ball = tacit.Ball(way.kept, 1.0)
    device = OwnRows(way, device_for(ball, 64.0), 1.0)
    reports = SparseBall(way.padded, ball)
    rows = jax.jit(jax.vmap(way.rows))(jax.random.split(jax.random.key(0), REPORTS))
    numbers = np.random.default_rng(0).normal(size=(REPORTS, way.kept)).astype(np.float32)
    present, public = jnp.ones(REPORTS, bool), jax.random.key(1)

    @jax.jit
    def answer(numbers, rows):
        total = reports.add(reports.empty(jnp.float32(2.0**-20)), (numbers, rows), present)
        return device.lifted(public, total.value())

    yield at_most(
        f"d = {DIM:,}: seconds for {REPORTS:,} reports of {4 * way.kept:,} bytes",
        least(lambda: answer(numbers, rows)),
        SERVER_SECONDS,
    )


def ranked() -> Iterator[Claim]:
    """Seconds for the index of one person, and for the vectors of a thousand."""
    near = Indexed.best(tacit.Ball(DIM, 1.0), 1_024, 8.0).near
    public, key = (keys.jax_key(keys.from_seed(seed)) for seed in (1, 2))
    people = jnp.arange(REPORTS, dtype=jnp.uint32)
    vector = jax.random.normal(jax.random.key(0), (1, 1_024)) / 32
    device, server = jax.jit(near.sample), jax.jit(near.vectors)
    reports = people.astype(jnp.int32)
    said = f"{near.direction.candidates:,} candidates: seconds"
    taken = least(lambda: device(key, (vector, public, people[:1])))
    yield at_most(f"{said} for the index of one report", taken, RANKED_SECONDS)
    drawn = least(lambda: server(public, people, reports))
    yield at_most(f"{said} for the vectors of {REPORTS:,}", drawn, REDRAWN_SECONDS)


def least(call: Callable[[], jax.Array]) -> float:
    """Seconds, the least of several turns."""
    jax.block_until_ready(call())
    spent = []
    for _ in range(TURNS):
        start = time.perf_counter()
        jax.block_until_ready(call())
        spent.append(time.perf_counter() - start)
    return min(spent)


def main() -> Iterator[Claim]:
    yield from limited()
    yield from measured()
    yield from served()
    yield from ranked()
    yield from shared()


if __name__ == "__main__":
    settle(main())
