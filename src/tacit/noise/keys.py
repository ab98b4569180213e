"""256-bit keys: where they come from, how one becomes many, and what draws from them.

A root key is 32 bytes of the operating system's entropy. Everything random in a run is a
function of it, so that a run which dies can be repeated exactly, and erasing 32 bytes makes its
noise irrecoverable.

**Derivation** is HMAC-SHA256(root, message). HMAC is a pseudorandom function when SHA-256's
compression function is one (Bellare 2006, Theorem 3.3): without the root key the derived keys
are indistinguishable from independent uniform ones, whoever else learns some of them. That
needs distinct messages, and the encoding is injective: the purpose's length, the purpose, and
the round in eight bytes or nothing. Purposes ("participation", "device", "server") therefore
never share randomness, and knowing a device's key tells nothing of the server's noise. That of a
round's "projection" is public.

**Two consumers.** `jax_key` gives a typed key array for `jax.random`; `numpy_generator` a
`numpy.random.Generator` for host draws (who takes part, scalars by inversion). Both run on
ChaCha20 of `noise.chacha`, in different domains, so even one key for both shares nothing.

The generator is NumPy's own, with all its distributions: `Generator` takes whatever holds a
C struct `bitgen_t` of four function pointers in a capsule, and ctypes can make one without a
compiler. Its draws stay in C, which matters for the up to 10^6 of them that the host makes a round.
The functions are bound methods of C iterators and run no Python code except to compute the
next blocks, because an exception cannot leave through C: ctypes would drop it and return zero.

References:
    Bellare, "New proofs for NMAC and HMAC: security without collision-resistance" (2006).
    RFC 2104 and RFC 4231 (HMAC-SHA256 and its test vectors).
"""

import ctypes
import hmac
import operator
import secrets
import threading
from _thread import interrupt_main
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key, PRNGKeyArray

from tacit.argument import counted, refuse_no_seed
from tacit.noise import chacha

# 256 bits: a key of ChaCha20.
KEY_BYTES = 32
TEST_ROOT = b"tacit: a seed, not a secret key."

# A short draw needs no more: 1 KiB of keystream.
BLOCKS_AT_FIRST = 16
# Then 64 KiB at a time: large enough to be busy with words, not with calls.
BLOCKS_AT_ONCE = 1024
# Longer than a draw needs to return to Python, shorter than anybody notices.
SECONDS_UNTIL_INTERRUPTED_AGAIN = 0.05
CAPSULE_NAME = b"BitGenerator"


def fresh() -> bytes:
    """A root key from the operating system's entropy."""
    return secrets.token_bytes(KEY_BYTES)


def from_seed(seed: int) -> bytes:
    """A root key that anybody can guess: for tests and benchmarks, never for a release.

    Raises:
      ValueError: if `seed` is no whole number in [0, 2^64).
    """
    refuse_no_seed(seed)
    return derive(TEST_ROOT, "seed", counted(seed))


def derive(root: bytes, purpose: str, index: int | None = None) -> bytes:
    """The key for one purpose, and where there are many (rounds, passes), for one index.

    Raises:
      ValueError: if `root` is not 32 bytes or `index` is not in [0, 2^64).
    """
    return hmac.digest(_checked(root), _named(purpose) + _encoded(index), "sha256")


def derive_each(root: bytes, purpose: str, indices: Iterable[int]) -> list[bytes]:
    """`derive` for each of these indices, in less time: root and purpose are hashed once."""
    begun = hmac.new(_checked(root), _named(purpose), "sha256")
    return [_digest(begun.copy(), index) for index in indices]


def jax_key(key: bytes) -> PRNGKeyArray:
    """A typed key for `jax.random`, whose generator is ChaCha20."""
    words = np.frombuffer(_checked(key), "<u4")
    return jax.random.wrap_key_data(jnp.asarray(words, jnp.uint32), impl=chacha.IMPL)


def jax_keys(several: Sequence[bytes], *axes: int) -> Key[Array, "*keys"]:
    """The same of several keys, in one array of these axes."""
    words = np.frombuffer(b"".join(map(_checked, several)), "<u4").reshape(*axes, chacha.KEY_WORDS)
    return jax.random.wrap_key_data(jnp.asarray(words, jnp.uint32), impl=chacha.IMPL)


def numpy_generator(key: bytes) -> np.random.Generator:
    """NumPy's generator on the ChaCha20 keystream, from counter 0 with nonce words (0, HOST)."""
    # The stub asks for NumPy's class; the constructor asks for a capsule and a lock.
    source: Any = _BitGenerator(_checked(key))
    return np.random.Generator(source)


def keystream(key: bytes) -> Iterator[list[int]]:
    """The 64-bit words, little-endian, that drive `numpy_generator`, in lists, without end.

    Ctrl-C arrives while Python code runs, and during a long draw that is only here. It must not
    end the stream, so it is sent again, until it arrives outside.
    """
    nonce = chacha.HOST << 32
    counter, many = 0, BLOCKS_AT_FIRST
    while True:
        try:
            blocks = chacha.host_blocks(key, counter, nonce, many)
            words = blocks.view("<u8").ravel().tolist()
            counter, many = counter + many, BLOCKS_AT_ONCE
            yield words
        except KeyboardInterrupt:
            threading.Timer(SECONDS_UNTIL_INTERRUPTED_AGAIN, interrupt_main).start()


def _checked(key: bytes) -> bytes:
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key must be {KEY_BYTES} bytes, got {len(key)}")
    return key


def _named(purpose: str) -> bytes:
    name = purpose.encode()
    return len(name).to_bytes(8, "big") + name


def _digest(begun: hmac.HMAC, index: int) -> bytes:
    begun.update(_encoded(index))
    return begun.digest()


def _encoded(index: int | None) -> bytes:
    if index is None:
        return b""
    if not 0 <= index < 2**64:
        raise ValueError(f"an index must be at least 0 and below 2^64, got {index}")
    return index.to_bytes(8, "big")


_Next64 = ctypes.CFUNCTYPE(ctypes.c_uint64)
_Next32 = ctypes.CFUNCTYPE(ctypes.c_uint32)
_NextDouble = ctypes.CFUNCTYPE(ctypes.c_double)

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class _Functions(ctypes.Structure):
    """NumPy's `bitgen_t` (numpy/random/bitgen.h); the state argument is passed and not used."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("next_uint64", _Next64),
        ("next_uint32", _Next32),
        ("next_double", _NextDouble),
        ("next_raw", _Next64),
    )


@final
class _BitGenerator:
    """What `numpy.random.Generator` asks of a source: `capsule` and `lock`."""

    def __init__(self, key: bytes):
        words = chain.from_iterable(keystream(key))
        halves = map(operator.and_, words, repeat(0xFFFFFFFF))
        doubles = map(operator.mul, map(operator.rshift, words, repeat(11)), repeat(2.0**-53))
        next_word = _Next64(words.__next__)
        self._functions = _Functions(
            None, next_word, _Next32(halves.__next__), _NextDouble(doubles.__next__), next_word
        )
        self.capsule = _new_capsule(ctypes.addressof(self._functions), CAPSULE_NAME, None)
        self.lock = threading.Lock()
