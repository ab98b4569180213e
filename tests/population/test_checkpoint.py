"""A checkpoint is a whole file of its own run, or it is refused in one sentence."""

import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.population.checkpoint import Checkpoint, CheckpointError

STATE = ({"a": jnp.arange(6.0).reshape(2, 3), "b": jnp.int32(7)}, (jnp.zeros(0), None))
CARRY = (jnp.arange(4, dtype=jnp.int32), jnp.asarray(True))
SEAL = b"a key of this grant alone"
HEADER = '{"grant": "g", "rounds": 3, "before": null, "veil": "", "seal": ""}'


@pytest.fixture
def saved(tmp_path) -> Checkpoint:
    """A checkpoint after three rounds of grant "g"."""
    checkpoint = Checkpoint(tmp_path / "state.npz")
    checkpoint.save("g", 3, STATE, CARRY, SEAL)
    return checkpoint


def assert_restored(expected, loaded):
    assert jax.tree.structure(expected) == jax.tree.structure(loaded)
    for a, b in zip(jax.tree.leaves(expected), jax.tree.leaves(loaded), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(a, b)


def test_a_saved_state_comes_back_to_the_bit(saved):
    """Values, types, structure and the rounds done; what it is like does not matter."""
    found = saved.load("g", jax.tree.map(jnp.zeros_like, STATE), CARRY, SEAL)

    assert 3 == found.rounds
    assert_restored(STATE, found.state)


def test_a_checkpoint_is_a_path(tmp_path):
    """Text is one; anything else is refused at once."""
    assert Checkpoint(tmp_path / "state.npz") == Checkpoint(str(tmp_path / "state.npz"))
    with pytest.raises(ValueError, match="a checkpoint is a path, got 7"):
        Checkpoint(7)


def test_many_leaves_keep_their_order(tmp_path):
    """The eleventh leaf does not come after the first."""
    checkpoint, state = Checkpoint(tmp_path / "state.npz"), [jnp.float32(i) for i in range(25)]
    checkpoint.save("g", 1, state, CARRY, SEAL)

    assert_restored(state, checkpoint.load("g", state, CARRY, SEAL).state)


def test_special_numbers_survive(tmp_path):
    """Infinity, NaN, minus zero and the smallest number, to the bit."""
    checkpoint = Checkpoint(tmp_path / "state.npz")
    special = jnp.array([jnp.inf, -jnp.inf, jnp.nan, -0.0, 1e-45])
    checkpoint.save("g", 1, special, CARRY, SEAL)
    loaded = checkpoint.load("g", special, CARRY, SEAL).state

    assert np.asarray(special).tobytes() == np.asarray(loaded).tobytes()


def test_without_a_file_a_run_starts_at_its_beginning(tmp_path):
    """Round zero and the fresh state itself."""
    found = Checkpoint(tmp_path / "none.npz").load("g", STATE, CARRY, SEAL)

    assert 0 == found.rounds and found.state is STATE


def test_a_later_state_replaces_an_earlier_one(saved):
    """One file, the last state in it, nothing left beside it."""
    later = jax.tree.map(lambda x: x + 1, STATE)
    saved.save("g", 4, later, CARRY, SEAL)
    found = saved.load("g", STATE, CARRY, SEAL)

    assert 4 == found.rounds
    assert_restored(later, found.state)
    assert [saved.path] == list(saved.path.parent.iterdir())


def test_a_part_of_a_file_left_by_a_crash_does_not_matter(saved):
    """The whole file is read, and the next save takes the part's place."""
    part = saved.path.with_name("state.npz.part")
    part.write_bytes(b"half a checkp")
    assert 3 == saved.load("g", STATE, CARRY, SEAL).rounds
    saved.save("g", 4, STATE, CARRY, SEAL)

    assert 4 == saved.load("g", STATE, CARRY, SEAL).rounds and not part.exists()


def test_a_crash_while_writing_keeps_the_old_file(saved, monkeypatch):
    """Dead before the rename, the earlier state still stands."""

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        saved.save("g", 9, STATE, CARRY, SEAL)

    assert 3 == saved.load("g", STATE, CARRY, SEAL).rounds


def test_a_checkpoint_of_another_grant_is_refused(saved):
    """The sentence names both grants."""
    with pytest.raises(
        CheckpointError, match="belongs to grant 'g'; only a checkpoint of grant 'h'"
    ):
        saved.load("h", STATE, CARRY, SEAL)


@pytest.mark.parametrize(
    "found, asked, said",
    [
        ("simulation 1", "h", "belongs to a simulation, from which no grant goes on; name another"),
        (
            "g",
            "simulation 1",
            "belongs to grant 'g', from which no simulation goes on; name another",
        ),
        ("simulation 1", "simulation 2", "belongs to another simulation; run that again with the"),
    ],
)
def test_who_asks_is_told_what_is_true_of_simulations(found, asked, said, saved):
    """No grant of its name can be asked for, so nobody is told to ask."""
    saved.path.unlink()
    saved.save(found, 3, STATE, CARRY, SEAL)
    with pytest.raises(CheckpointError, match=said) as refused:
        saved.refuse_unusable(asked, STATE, CARRY)

    assert "grant_id" not in str(refused.value)


def test_another_seal_is_found_without_going_on(tmp_path, saved):
    """Where there is no file there is nothing to refuse; the sentence says what was asked for."""
    saved.refuse_another_hand("g", SEAL)
    Checkpoint(tmp_path / "none.npz").refuse_another_hand("g", SEAL)
    for name, said in (("g", "by this grant"), ("simulation 1", "by this simulation")):
        saved.path.unlink()
        saved.save(name, 3, STATE, CARRY, SEAL)
        with pytest.raises(CheckpointError, match=f"was not written {said}; delete it"):
            saved.refuse_another_hand(name, b"another")


@pytest.mark.parametrize(
    "like",
    [
        ({"a": jnp.zeros((3, 2)), "b": jnp.int32(0)}, (jnp.zeros(0), None)),
        ({"a": jnp.zeros((2, 3)), "b": jnp.float32(0)}, (jnp.zeros(0), None)),
        ({"a": jnp.zeros((2, 3)), "b": jnp.int32(0)}, (jnp.zeros(0), jnp.zeros(1))),
        jnp.zeros((2, 3)),
    ],
    ids=["shape", "type", "more", "fewer"],
)
def test_a_state_of_another_shape_is_refused(saved, like):
    """Nothing is guessed, broadcast or left out."""
    with pytest.raises(CheckpointError, match="a state of another shape"):
        saved.load("g", like, CARRY, SEAL)


@pytest.mark.parametrize("forged", [b"another key", b""])
def test_a_state_that_another_hand_put_there_is_refused(saved, forged):
    """Asked another question under the same noise, the noise would cancel out."""
    saved.save("g", 3, STATE, CARRY, forged)
    with pytest.raises(CheckpointError, match="was not written by this grant"):
        saved.load("g", STATE, CARRY, SEAL)


def test_a_state_whose_numbers_were_changed_is_refused(saved):
    """The seal is of every number, not of the names and shapes alone."""
    with np.load(saved.path) as archive:
        parts = dict(archive)
    name = next(n for n in parts if n != "header" and parts[n].dtype.kind == "f")
    parts[name] = parts[name] + 1
    np.savez(saved.path, **parts)
    with pytest.raises(CheckpointError, match="was not written by this grant"):
        saved.load("g", STATE, CARRY, SEAL)


def test_a_finished_state_is_read_by_its_digest(saved):
    """The key is erased at the end, and the state is only handed over."""
    digest = saved.save("g", 4, STATE, CARRY, SEAL)

    assert_restored(STATE, saved.released("g", STATE, digest))
    assert digest == saved.load("g", STATE, CARRY, SEAL).digest


@pytest.mark.parametrize("seal", [SEAL, b"another key", b""])
def test_another_file_is_not_the_one_a_grant_ended_with(saved, seal):
    """Another state, rounds or seal has another digest; none at all is no file's."""
    digest = saved.save("g", 4, STATE, CARRY, b"the grant's seal")
    other = jax.tree.map(lambda x: x + 1, STATE)
    refused = {"match": "is not the file that grant 'g' ended with"}
    for rounds, state in ((4, STATE), (3, STATE), (4, other)):
        saved.save("g", rounds, state, CARRY, seal)
        with pytest.raises(CheckpointError, **refused):
            saved.released("g", STATE, digest)
    with pytest.raises(CheckpointError, **refused):
        saved.released("g", STATE, None)


def test_a_file_says_whose_place_it_took(saved):
    """By that one's digest, which is under the seal; the first, and where none is, say none."""
    first = saved.place()[1]
    second = saved.save("g", 4, STATE, CARRY, SEAL, before=first)
    found = saved.load("g", STATE, CARRY, SEAL)

    assert (first, second) == saved.place() == (found.before, found.digest)
    with np.load(saved.path) as archive:
        parts = dict(archive)
    parts["header"] = np.array(str(parts["header"]).replace(first, second))
    np.savez(saved.path, **parts)
    with pytest.raises(CheckpointError, match="was not written by this grant"):
        saved.load("g", STATE, CARRY, SEAL)
    saved.path.unlink()
    assert (None, None) == saved.place()


def test_a_digest_is_keyed_by_the_file(saved):
    """Equal states under two seals have two: who has a digest alone cannot guess at the state."""
    digests = {saved.save("g", 4, STATE, CARRY, seal) for seal in (SEAL, b"another")}

    assert 2 == len(digests)


def test_a_file_is_for_nobody_else_before_anything_is_in_it(saved, monkeypatch):
    """Also while it is written, under another name."""
    written, modes = np.savez, []

    def looked_at(file, **more):
        modes.append(os.fstat(file.fileno()).st_mode & 0o777)
        written(file, **more)

    monkeypatch.setattr(np, "savez", looked_at)
    saved.save("g", 4, STATE, CARRY, SEAL)

    assert [0o600] == modes


def test_a_file_is_for_whoever_runs_the_process_alone(saved):
    """Two states of one round that nobody has heard of differ by its sums."""
    assert 0o600 == saved.path.stat().st_mode & 0o777


def test_another_runs_state_is_not_replaced(saved):
    """Two were granted while there was no file: the first to keep its state has the path."""
    before = saved.path.read_bytes()
    with pytest.raises(CheckpointError, match="belongs to grant 'g'"):
        saved.save("h", 1, STATE, CARRY, SEAL)

    assert before == saved.path.read_bytes() and [saved.path] == [*saved.path.parent.iterdir()]


def test_a_usable_path_is_left_as_it_was(tmp_path, saved):
    """Nothing is made where nothing was, and a checkpoint of the grant's own stands."""
    before = saved.path.read_bytes()
    saved.refuse_unusable("g", STATE, CARRY)
    Checkpoint(tmp_path / "new.npz").refuse_unusable("g", STATE, CARRY)

    assert [saved.path] == list(tmp_path.iterdir()) and before == saved.path.read_bytes()


def full(*_):
    raise OSError(28, "No space left on device")


def test_a_disk_that_is_full_is_found_before_the_run(tmp_path, monkeypatch):
    """As much is written as will be needed, and nothing of it is left."""
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="cannot be written: No space left on device"):
        Checkpoint(tmp_path / "state.npz").refuse_unusable("g", STATE, CARRY)

    assert [] == list(tmp_path.iterdir())


def forbidden(*_):
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("call, refuse", [("fsync", full), ("replace", forbidden)])
def test_a_disk_that_refuses_keeps_the_state_before(call, refuse, saved, monkeypatch):
    """While it is written, or put in its place: one sentence, and nothing is left beside it."""
    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(CheckpointError, match=r"cannot be written: (No space|Permission denied)"):
        saved.save("g", 9, STATE, CARRY, SEAL)

    assert 3 == saved.load("g", STATE, CARRY, SEAL).rounds
    assert [saved.path] == list(saved.path.parent.iterdir())


def load_or_refuse(checkpoint: Checkpoint) -> str:
    """What is said of a damaged file; "" if it came back whole."""
    try:
        found = checkpoint.load("g", STATE, CARRY, SEAL)
    except CheckpointError as error:
        return str(error)
    assert 3 == found.rounds
    assert_restored(STATE, found.state)
    return ""


def test_a_file_cut_anywhere_is_refused(saved):
    """At every fiftieth byte, and at none: one sentence that says what to do."""
    whole = saved.path.read_bytes()
    for size in range(0, len(whole), 50):
        saved.path.write_bytes(whole[:size])
        said = load_or_refuse(saved)
        assert "delete it to start this run again" in said and "\n" not in said, size
    saved.path.write_bytes(whole)

    assert "" == load_or_refuse(saved)


def test_a_file_with_one_damaged_byte_is_refused_or_whole(saved):
    """Whatever byte it is, nothing but the saved state is ever loaded."""
    whole = saved.path.read_bytes()
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 0x55
        saved.path.write_bytes(damaged)
        load_or_refuse(saved)


@pytest.mark.parametrize(
    "header", ["{}", "[]", '"x"', '{"grant": "g"}', '{"grant": "g", "rounds": "many", "seal": ""}']
)
def test_a_whole_archive_that_says_nothing_of_itself_is_refused(saved, header):
    """In the same sentence, whichever way it is read."""
    with open(saved.path, "wb") as file:
        np.savez(file, header=np.array(header), leaf0=np.zeros(1))
    assert "not a whole checkpoint" in load_or_refuse(saved)
    for read in (
        lambda: saved.released("g", STATE, "digest"),
        lambda: saved.refuse_unusable("g", STATE, CARRY),
    ):
        with pytest.raises(CheckpointError, match="is not a whole checkpoint"):
            read()


@pytest.mark.parametrize("content", [b"", b"PK", b"\x93NUMPY", b"{}", b"\x00" * 100])
def test_a_file_that_is_something_else_is_refused(saved, content):
    """Empty, half a signature, another format: the same sentence."""
    saved.path.write_bytes(content)

    assert "not a whole checkpoint" in load_or_refuse(saved)


def test_nothing_is_run_on_loading(saved):
    """A file of Python objects is refused unread."""
    with open(saved.path, "wb") as file:
        np.savez(file, header=np.array(HEADER), leaf0=np.array([object()]))

    assert "not a whole checkpoint" in load_or_refuse(saved)


def test_a_carry_is_veiled_and_comes_back_for_its_seal_alone(saved):
    """What the server remembers may be secret: without the seal the file shows none of it."""
    secret = (jnp.arange(7_000_000, 7_000_256, dtype=jnp.int32),)
    saved.save("g", 5, STATE, secret, SEAL)
    empty = jax.tree.map(jnp.zeros_like, secret)
    with np.load(saved.path) as archive:
        shown = archive[f"leaf{len(jax.tree.leaves(STATE))}"]

    assert_restored(secret, saved.load("g", STATE, empty, SEAL).carry)
    assert not np.isin(shown, np.asarray(secret[0])).any()


def test_no_two_pads_are_alike(saved):
    """Another grant, another place in the carry, the same round a second time: each has its own."""
    zero = jnp.zeros(64, jnp.int32)
    pads = []
    for grant, rounds in (("g", 5), ("g", 5), ("h", 5)):
        saved.path.unlink()
        saved.save(grant, rounds, (), (zero, zero), SEAL)
        with np.load(saved.path) as archive:
            pads += [archive["leaf0"].tobytes(), archive["leaf1"].tobytes()]

    assert 6 == len(set(pads)) and all(pad.count(0) < 16 for pad in pads)


@pytest.mark.parametrize(
    "leaf",
    [jnp.int32(7), jnp.asarray(True), jnp.zeros(0), jnp.full((2, 1, 3), jnp.nan), jnp.int8(-3)],
    ids=["number", "bool", "empty", "deep", "byte"],
)
def test_a_carry_of_any_shape_comes_back_to_the_bit(saved, leaf):
    """One number alone among them."""
    saved.save("g", 2, STATE, {"own": leaf, "none": None}, SEAL)
    empty = {"own": jnp.zeros_like(leaf), "none": None}

    assert_restored({"own": leaf, "none": None}, saved.load("g", STATE, empty, SEAL).carry)
