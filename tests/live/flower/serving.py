"""A server of four phones, which is killed at a point of its second round if it is told one.

Run: python -m live.flower.serving FOLDER PORT [POINT]   (from tests/)
"""

import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from live import dying
from live.phones import FUNCTION, NAME, both, ledger
from tacit import live
from tacit.live.flower.link import FlowerLink
from tacit.live.flower.server import superlink
from tacit.population.checkpoint import Checkpoint


def main(folder: Path, port: int, point: str | None = None) -> None:
    dying.dies = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
    keys = sorted(folder.glob("*.pub"))
    with superlink(folder / "server", port) as server:
        names = tuple(server.enrol(key.read_bytes()) for key in keys)
        with server.run() as run:
            link, watch = FlowerLink(run, names), None
            if point is not None:
                link, watch = getattr(dying, point)(SimpleNamespace(setattr=setattr), link)
            people = live.Federation(link, NAME, [FUNCTION], seconds=60, heard=print)
            own = {"grant_id": "one", "checkpoint": Checkpoint(folder / "state.npz"), "seed": 5}
            grant = people.grant(both(3), FUNCTION.learner, ledger(folder), **own)
            np.save(folder / "released.npy", grant.run(watch=watch).state)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
