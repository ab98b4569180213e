"""What a checkpoint's file says of itself, and what in it only the holder of its key can read.

The carry may be secret (the noisy threshold of a stream is, and so are sums to which noise is added
later), so it is veiled: each array is added bit by bit to a pad that only the key's holder can
make. Every file has pads of its own, named by 128 bits that were drawn for it: one pad on two
carries would be none on their difference, and of two tries at one round these may differ.

A file names the one whose place it took, by that one's digest. So whoever knows the digest of
either knows where this file stands, and an older one that was put back is told from it (`kept`).

Files from before there were such names say neither. Their pads have the name of the grant and the
round, and so has their tag.
"""

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Self, final

import numpy as np


@final
@dataclass(frozen=True)
class Header:
    """What a file says of itself.

    Args:
      grant: whose it is.
      rounds: after how many.
      before: the digest of the file before it; None of the first.
      veil: names its pads.
      tag: under the key, of all of this and of what is in the file.
    """

    grant: str
    rounds: int
    before: str | None
    veil: str
    tag: str = ""

    @classmethod
    def read(cls, text: str) -> Self:
        """From a file's own words.

        Raises:
          ValueError: if these are others; so do KeyError and TypeError.
        """
        found = json.loads(text)
        grant, rounds, tag = str(found["grant"]), int(found["rounds"]), str(found["seal"])
        if "veil" not in found:
            return cls(grant, rounds, None, f"{grant} {rounds}", tag)
        before = found["before"]
        before = None if before is None else str(before)
        return cls(grant, rounds, before, str(found["veil"]), tag)

    @property
    def text(self) -> str:
        """The words that `read` reads."""
        said = {"grant": self.grant, "rounds": self.rounds, "seal": self.tag}
        return json.dumps({**said, "before": self.before, "veil": self.veil})

    def tagged(self, key: bytes, leaves: list[np.ndarray]) -> str:
        """The tag of these words and of what is in the file, with this key."""
        old = f"{self.grant} {self.rounds}"
        new = json.dumps([self.grant, self.rounds, self.before, self.veil])
        words = old if self.veil == old else new
        digest = hmac.new(key, words.encode(), hashlib.sha256)
        for leaf in leaves:
            digest.update(f"{leaf.dtype}{leaf.shape}".encode())
            digest.update(np.ascontiguousarray(leaf).data)
        return digest.hexdigest()

    def digest(self, leaves: list[np.ndarray]) -> str:
        """Of the whole file, keyed by its tag, which nobody can guess who has not the file."""
        return self.tagged(self.tag.encode(), leaves)


def veiled(leaves: list, key: bytes, veil: str) -> list[np.ndarray]:
    """Each array with its pad added or, the same thing, taken off."""
    found = []
    for place, leaf in enumerate(np.asarray(x) for x in leaves):
        pad = hashlib.shake_256(key + f" veil {veil} {place}".encode()).digest(leaf.nbytes)
        mixed = np.frombuffer(leaf.tobytes(), np.uint8) ^ np.frombuffer(pad, np.uint8)
        found.append(mixed.view(leaf.dtype).reshape(leaf.shape))
    return found
