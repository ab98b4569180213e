"""A device's side, against a server that lies: nothing that would undo a mask is ever said."""

import hashlib
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from live.masked.group import KEYS, MANY, member
from tacit.live.masked.packed import Layout
from tacit.live.masked.pairs import RoundKey
from tacit.live.masked.session import MaskedRound, RoundTerms
from tacit.live.masked.shamir import secret_of
from tacit.live.masked.stages import SEALED_BYTES, Advert, Revealed, Stage, survivors
from tacit.live.message import MessageError
from tacit.live.order import Reply

NUMBER, ORDER = b"n" * 32, "ab" * 32
LAYOUT = Layout((5,), (22,))
REPORTS = np.arange(5 * MANY, dtype=np.uint64).reshape(MANY, 5)
EVERYBODY = range(MANY)


def session(who: int, threshold: int = 3) -> MaskedRound:
    own = who, MANY, threshold, LAYOUT
    return MaskedRound(member(who), RoundTerms(NUMBER, ORDER, *own, lambda: REPORTS[who]))


class Round:
    """A round of four honest devices, as far as the last stage that was played."""

    def __init__(self, threshold: int = 3):
        self.devices = [session(who, threshold) for who in EVERYBODY]
        self.adverts = [device.advert for device in self.devices]

    def say(self, who: int, name: str, parts: dict, names: dict | None = None) -> tuple:
        packed = Stage(NUMBER, name, parts, names or {})
        return Reply.read(self.devices[who].answer(packed, packed.packed())).report

    def peers(self, who: int, changed: dict | None = None, names: dict | None = None) -> tuple:
        parts = {place: tuple(own) for place, own in enumerate(self.adverts)} | (changed or {})
        known = {place: f"phone{place}" for place in parts} | (names or {})
        return self.say(who, "peers", parts, known)

    def shared(self, those: Sequence[int] = EVERYBODY) -> None:
        """They have shared with all: what each sealed for each."""
        self.sealed = {}
        for who in those:
            rows = self.peers(who)[0]
            others = [place for place in EVERYBODY if place != who]
            self.sealed |= {(who, to): row.tobytes() for to, row in zip(others, rows, strict=True)}

    def shares(self, who: int, of: range | list = EVERYBODY) -> tuple:
        parts = {place: (self.sealed[place, who],) for place in of if place != who}
        return self.say(who, "shares", parts)

    def survivors(self, who: int, left: list) -> tuple:
        return self.say(who, "survivors", dict.fromkeys(left, ()))

    def signed(self, left: list, who: list | None = None) -> dict:
        """As those who are left sign it."""
        return {place: (self.survivors(place, left)[0].tobytes(),) for place in (who or left)}

    def masked(self) -> list[np.ndarray]:
        self.shared()
        return [LAYOUT.unpack(self.shares(who)[0]) for who in EVERYBODY]


def test_masks_of_two_cancel_and_ones_own_is_opened_by_its_seed():
    """The sum under masks, less everybody's own mask, is the sum of the reports."""
    whole = Round()
    total = sum(whole.masked())
    left = list(EVERYBODY)
    signatures = whole.signed(left)
    revealed = [Revealed(*whole.say(who, "signatures", signatures)[:2]) for who in left]
    for row in left:
        seed = secret_of({who: revealed[who].known[row] for who in left}, 3)
        assert hashlib.sha256(seed).digest() == whole.adverts[row].commitment
        total = total - LAYOUT.mask(seed)

    assert np.array_equal(total % np.uint64(2**22), REPORTS.sum(axis=0))


def test_a_report_under_masks_is_no_report():
    """None of it is the report, and the same report is another one in another round."""
    one, other = Round().masked(), Round().masked()

    for who in EVERYBODY:
        assert not np.any(one[who] == REPORTS[who]) and not np.any(one[who] == other[who])


def test_keys_of_who_is_gone_are_given_and_seeds_of_who_is_left():
    """Never both of one device."""
    whole = Round()
    whole.masked()
    left = [0, 1, 3]
    signatures = whole.signed(left)
    said = [whole.say(who, "signatures", signatures) for who in left]
    keys = {who: Revealed(*own[2:]).known[0] for who, own in zip(left, said, strict=True)}

    assert all(own[0].shape == (3, 33) and own[2].shape == (1, 33) for own in said)
    secret = secret_of(keys, 3)
    assert RoundKey(secret).public == whole.adverts[2].masking


def forged(advert: Advert, who: int, place: int, key: int) -> tuple:
    """The same keys, signed by another."""
    said = advert.signed(NUMBER, ORDER, place)
    return tuple(advert._replace(signature=KEYS[key].sign(said)))


@pytest.mark.parametrize("bit", [0, 0x80], ids=["the same bytes", "the same point"])
def test_a_copied_key_takes_no_mask_off(bit):
    """A member shows another's key of masks as its own, the bit that X25519 leaves out as it is or
    turned, from the other side of a peer: that peer's report keeps its masks with both."""
    whole = Round()
    own = whole.adverts[0].masking
    copied = whole.adverts[3]._replace(masking=own[:-1] + bytes([own[-1] ^ bit]))
    whole.adverts[3] = Advert(*forged(copied, 3, 3, 3))
    whole.shared([0, 1])
    whole.sealed |= {(3, to): bytes(SEALED_BYTES) for to in (0, 1)}
    seeds = whole.devices[1]._known.seeds
    report = LAYOUT.unpack(whole.shares(1, [0, 3])[0])
    # Its own mask comes off by the shares of those three.
    alone = report - LAYOUT.mask(whole.devices[1]._seed)

    assert seeds[0] != seeds[3]
    assert not np.any(alone % np.uint64(2**22) == REPORTS[1])


def test_peers_are_members_or_nobody():
    """Keys that a server made up, that another member signed, or of another place or order."""
    for change in (
        lambda whole: {1: tuple(session(1).advert._replace(signature=bytes(64)))},
        lambda whole: {1: forged(whole.adverts[1], 1, 1, 2)},
        lambda whole: {1: forged(whole.adverts[1], 1, 2, 1)},
        lambda whole: {1: tuple(whole.adverts[1]._replace(masking=bytes(32)))},
    ):
        whole = Round()
        with pytest.raises(MessageError, match="keys are signed by a member"):
            whole.peers(0, change(whole))


def test_who_did_not_sign_is_named():
    """By their places: the server knows who is there, and has no roster to find it out by."""
    whole = Round()
    whole.adverts[3] = Advert(*forged(whole.adverts[3], 3, 3, 1))
    whole.adverts[1] = whole.adverts[1]._replace(signature=bytes(64))
    for who in (0, 2):
        with pytest.raises(MessageError, match=r", and those of places 1, 3 are not$"):
            whole.peers(who)


def test_peers_of_another_order_are_refused():
    """Who was asked something else has signed for that."""
    whole, other = Round(), Round()
    terms = replace(other.devices[1].terms, order="cd" * 32)
    whole.adverts[1] = MaskedRound(member(1), terms).advert
    with pytest.raises(MessageError, match="keys are signed by a member"):
        whole.peers(0)


def test_a_name_that_is_no_members_is_refused():
    """Or one of another place's."""
    with pytest.raises(MessageError, match="keys are signed by a member"):
        Round().peers(0, names={1: "stranger"})


def test_a_device_is_among_its_peers_as_it_is():
    """Not left out, and not with other keys."""
    whole = Round()
    with pytest.raises(MessageError, match="not among its round's peers as it is"):
        whole.peers(0, {0: tuple(session(0).advert)})
    parts = {place: tuple(whole.adverts[place]) for place in (1, 2, 3)}
    with pytest.raises(MessageError, match="not among its round's peers as it is"):
        whole.say(0, "peers", parts, {place: f"phone{place}" for place in parts})


def test_too_few_or_too_many_peers_are_refused():
    """Below the threshold, and above those that the plan asks."""
    whole = Round()
    parts = {place: tuple(whole.adverts[place]) for place in (0, 1)}
    with pytest.raises(MessageError, match="needs 3 devices, got 2"):
        whole.say(0, "peers", parts, {0: "phone0", 1: "phone1"})
    with pytest.raises(MessageError, match="more devices than its plan asks"):
        whole.peers(0, {7: tuple(whole.adverts[1])})


def test_only_peers_shares_count():
    """And enough of them."""
    whole = Round()
    whole.shared()
    with pytest.raises(MessageError, match="only this round's peers"):
        whole.say(0, "shares", {9: (whole.sealed[1, 0],), 1: (whole.sealed[1, 0],)})
    with pytest.raises(MessageError, match="only this round's peers"):
        whole.say(0, "shares", {0: (whole.sealed[1, 0],), 1: (whole.sealed[1, 0],)})
    with pytest.raises(MessageError, match="needs 3 devices, got 2"):
        whole.shares(0, [1])


@pytest.mark.parametrize(
    "left, why",
    [([1, 2, 3], "is this device"), ([0, 1, 9], "is this device"), ([0, 1], "needs 3 devices")],
)
def test_survivors_are_enough_and_have_shared(left, why):
    """And the device is one."""
    whole = Round()
    whole.masked()
    with pytest.raises(MessageError, match=why):
        whole.survivors(0, left)


def test_who_did_not_share_does_not_survive():
    """A device whose shares nobody has could never be opened."""
    whole = Round()
    whole.shared()
    whole.shares(0, [1, 2])
    with pytest.raises(MessageError, match="who is left has shared"):
        whole.survivors(0, [0, 1, 3])


def test_one_list_of_survivors_is_signed():
    """The same again has the same signature; another one none."""
    whole = Round()
    whole.masked()
    first = whole.survivors(0, [0, 1, 2])[0].tobytes()

    assert first == whole.survivors(0, [0, 1, 2])[0].tobytes()
    with pytest.raises(MessageError, match="survivors were others before"):
        whole.survivors(0, [0, 1, 2, 3])


def test_nothing_is_revealed_without_enough_signatures_of_that_list():
    """Not for too few, not for others', not for those of another list, and not for that of a peer
    who is gone."""
    whole = Round()
    whole.masked()
    right, said = whole.signed([0, 1, 2]), survivors(NUMBER, ORDER, ["phone0", "phone1", "phone2"])
    for signatures in (
        {place: right[place] for place in (0, 1)},
        right | {2: right[1]},
        {0: right[0], 1: right[1], 3: right[2]},
        {0: right[0], 1: right[1], 3: (KEYS[3].sign(said),)},
        right | {2: (KEYS[2].sign(b"another list"),)},
    ):
        with pytest.raises(MessageError, match="needs 3 devices, got 2"):
            whole.say(0, "signatures", signatures)
    assert len(whole.say(0, "signatures", right)) == 4


def test_signatures_of_places_are_of_the_names_there():
    """Two devices that were told other names of one place do not sign the same."""
    whole, other = Round(), Round()
    whole.masked(), other.masked()
    known = other.devices[0]._known
    peers = {**known.peers, 1: known.peers[1]._replace(name="phone3")}
    other.devices[0]._known = known._replace(peers=peers)

    assert whole.survivors(0, [0, 1, 2])[0].tobytes() != other.survivors(0, [0, 1, 2])[0].tobytes()


def test_stages_come_in_turn_and_once():
    """Nothing is skipped, and nothing said twice in other words."""
    whole = Round()
    with pytest.raises(MessageError, match="shares are not this round's next stage"):
        whole.say(0, "shares", {1: (bytes(82),), 2: (bytes(82),)})
    with pytest.raises(MessageError, match="signatures are not this round's next stage"):
        whole.say(0, "signatures", {1: (bytes(64),)})
    first = whole.peers(0)[0]

    assert np.array_equal(first, whole.peers(0)[0])
    parts = {place: tuple(whole.adverts[place]) for place in (0, 1, 2)}
    with pytest.raises(MessageError, match="peers were others before"):
        whole.say(0, "peers", parts, {place: f"phone{place}" for place in parts})


def test_a_refused_stage_may_be_asked_rightly():
    """A refusal changes nothing."""
    whole = Round()
    with pytest.raises(MessageError):
        whole.peers(0, {1: tuple(session(1).advert._replace(signature=bytes(64)))})

    assert whole.peers(0)[0].shape == (3, 82)


@pytest.mark.parametrize("sealed", [(1, 2), (0, 1)], ids=["for another", "by itself"])
def test_shares_that_were_sealed_for_another_are_no_shares(sealed):
    """Nor are a device's own, sent back: each direction has a key, which seals one message. The
    device goes on, and has none to give of that one."""
    whole = Round()
    whole.shared()
    whole.sealed[1, 0] = whole.sealed[sealed]
    for who in EVERYBODY:
        whole.shares(who)
    signatures = whole.signed(list(EVERYBODY))
    seeds = Revealed(*whole.say(0, "signatures", signatures)[:2])

    assert [True, False, True, True] == seeds.there.tolist()


def test_masks_of_two_are_forgotten_as_they_are_used():
    """Who takes the device afterwards does not find what is under its masks."""
    whole = Round()
    whole.shared()
    assert {1, 2, 3} == set(whole.devices[0]._known.seeds)
    whole.shares(0)

    assert {} == whole.devices[0]._known.seeds


def test_points_of_low_order_are_refused_before_anything_is_shared():
    """A member's masking key, too, though it is not used until later: it is signed, and no key."""
    whole = Round()
    wrong = whole.adverts[1]._replace(masking=bytes(32))
    said = wrong.signed(NUMBER, ORDER, 1)
    signed = tuple(wrong._replace(signature=KEYS[1].sign(said)))
    with pytest.raises(MessageError, match="a point of the curve"):
        whole.peers(0, {1: signed})

    assert whole.peers(0)[0].shape == (3, 82)


def test_a_stage_that_fails_leaves_nothing_behind(monkeypatch):
    """Whose shares were read in one that did not end are no survivors of the next."""
    whole = Round()
    whole.shared()
    device = whole.devices[0]

    def fails():
        raise MemoryError

    with monkeypatch.context() as starved:
        starved.setattr(device, "terms", replace(device.terms, report=fails))
        with pytest.raises(MemoryError):
            whole.shares(0, [1, 3])
    whole.shares(0, [1, 2])

    with pytest.raises(MessageError, match="who is left has shared"):
        whole.survivors(0, [0, 1, 3])


def test_two_at_once_sign_one_list():
    """Of four threads with two lists, slow signers all: one list is signed, the other refused."""
    whole = Round()
    whole.masked()
    key = whole.devices[0].member.key

    signed = []

    class Slow:
        def sign(self, said):
            time.sleep(0.05)
            signed.append(said)
            return key.sign(said)

    object.__setattr__(whole.devices[0].member, "key", Slow())

    def asked(left):
        try:
            return whole.survivors(0, left)[0].tobytes()
        except MessageError:
            return None

    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(asked, [[0, 1, 2], [0, 1, 3]] * 2))

    assert len({each for each in said if each is not None}) == 1 and None in said
    assert 1 == len(signed)
