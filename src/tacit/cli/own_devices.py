"""Devices of one's own, each a process with a folder: begun and ended together, for the demo."""

import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from tacit.cli.device import flower_here
from tacit.cli.own_functions import MOST, write
from tacit.data import digits
from tacit.live import beside
from tacit.live.flower.keys import own_key, public_of
from tacit.live.link import Link
from tacit.live.masked.member import SigningKey, write_roster

# One split for every demo, that of `tacit train`.
SPLIT_SEED = 20
# How many devices all digits that are learned from can be shared among.
MOST_DEVICES = 1437
FEWEST = -(-MOST_DEVICES // MOST)
_BEGIN = "from tacit.cli.main import app; app()"


@contextmanager
def begun(out: Path, count: int, cap: str, check: Callable[[], None]) -> Iterator[Link]:
    """A SuperLink, and so many devices with digits, reached by a link; gone when this is left.

    Args:
      out: a new folder.
      count: how many.
      cap: of each, in words.
      check: called while answers are waited for; what it raises ends the round.

    Raises:
      ValueError: if there are too few or too many digits for so many devices, or no Flower.
    """
    parts = _parts(count)
    with flower_here():
        from tacit.live.flower.link import FlowerLink
        from tacit.live.flower.server import superlink
    with superlink(out / "server", _free_port()) as server, ExitStack() as leaving:
        folders = _written(out / "devices", parts)
        keys = [public_of(own_key(folder / "device.key")) for folder in folders]
        names = tuple(map(server.enrol, keys))
        processes: list[subprocess.Popen] = []
        leaving.callback(lambda: beside.end(*processes))
        roster = _roster(out, dict(zip(names, folders, strict=True)))
        where = server.address, server.certificates.authority, cap, roster
        processes += [_process(folder, *where) for folder in folders]
        yield FlowerLink(leaving.enter_context(server.run()), names, check)


def _written(into: Path, parts: list[tuple[np.ndarray, np.ndarray]]) -> list[Path]:
    """A folder for each device, with its digits."""
    folders = [into / str(each + 1) for each in range(len(parts))]
    for folder, own in zip(folders, parts, strict=True):
        write(folder, *own)
    return folders


def _roster(out: Path, folders: Mapping[str, Path]) -> Path:
    """A file of all devices' signing keys; on one machine there is nobody else to gather them."""
    signing = {name: SigningKey.kept(own / "signing.key") for name, own in folders.items()}
    write_roster(out / "roster.json", {name: own.public for name, own in signing.items()})
    return out / "roster.json"


def held_out() -> tuple[Float[np.ndarray, "test side side"], Int[np.ndarray, " test"]]:
    """The digits that nobody has."""
    data = digits.load(SPLIT_SEED)
    return data.test_images, data.test_labels


def refuse_devices(count: int) -> None:
    """Raises a ValueError unless so many devices can have digits; none are read for that."""
    if not FEWEST <= count <= MOST_DEVICES:
        raise ValueError(
            f"--devices must be {FEWEST} to {MOST_DEVICES}: each has 1 to {MOST} digits, "
            f"got {count}"
        )


def _parts(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    refuse_devices(count)
    data = digits.load(SPLIT_SEED)
    order = np.random.default_rng(SPLIT_SEED).permutation(len(data.train_labels))
    return [
        (data.train_images[own], data.train_labels[own]) for own in np.array_split(order, count)
    ]


def _process(
    folder: Path, server: str, authority: Path, cap: str, roster: Path
) -> subprocess.Popen:
    """A device that says what it does in a log in its folder."""
    options = {"--data": folder, "--server": server, "--authority": authority, "--cap": cap}
    options["--roster"] = roster
    words = [word for pair in options.items() for word in pair]
    told = ["device", "--allow", "digits@1", *words]
    return beside.begin(_BEGIN, told, folder / "device.log", {"JAX_PLATFORMS": "cpu"})


def _free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]
