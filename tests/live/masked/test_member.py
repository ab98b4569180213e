"""Members of a group: who is one is on the roster, and signs with the key that stands there."""

import math

import pytest

from live.masked.group import KEYS, ROSTER, member
from tacit.live.masked.member import Member, SigningKey, read_roster, write_roster


def test_a_signature_is_a_members_of_that_name():
    """Of these words, by that key."""
    one, signature = member(0), KEYS[1].sign(b"words")

    assert one.signed_by("phone1", b"words", signature)
    assert not one.signed_by("phone2", b"words", signature)
    assert not one.signed_by("phone1", b"other words", signature)
    assert not one.signed_by("phone1", b"words", b"")
    assert not one.signed_by("stranger", b"words", SigningKey.fresh().sign(b"words"))


@pytest.mark.parametrize("colluding, feared", [(0, 0), (0.1, 1), (0.25, 1), (0.26, 2), (0.9, 4)])
def test_all_who_may_be_colluding_are_feared_in_one_round(colluding, feared):
    """Of four members, rounded up."""
    assert feared == member(0, colluding=colluding).feared


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"name": "phone1"}, "the roster must have 'phone1' with the key of this device"),
        ({"name": "stranger"}, "the roster must have"),
        ({"roster": {**ROSTER, "again": ROSTER["phone0"]}}, "a key of its own"),
        ({"roster": {**ROSTER, "other": b"short"}}, "32 bytes"),
        ({"roster": {**ROSTER, "two\nlines": bytes(32)}}, "printable letters"),
        ({"roster": {**ROSTER, 5: bytes(32)}}, "printable letters"),
        ({"colluding": 1.0}, "colluding must be a share from 0 to below 1, got 1.0"),
        ({"colluding": math.nan}, "colluding must be a share"),
        ({"colluding": "all"}, "colluding must be a share"),
    ],
    ids=str,
)
def test_others_are_no_members(changes, why):
    """In a sentence that says what is allowed."""
    whole = {"name": "phone0", "key": KEYS[0], "roster": ROSTER, **changes}
    with pytest.raises(ValueError, match=why):
        Member(**whole)


def test_a_roster_that_was_checked_stays():
    """Whatever becomes of the one that was given."""
    given = dict(ROSTER)
    made = Member("phone0", KEYS[0], given)
    given["phone1"] = bytes(32)
    assert ROSTER == made.roster


def test_a_roster_is_told_from_another():
    """By a digest of all names and keys, which is the same in whatever order they are."""
    roster = dict(reversed(ROSTER.items()))
    others = ({**ROSTER, "phone3": bytes(32)}, {**ROSTER, "phone4": bytes(32)})

    assert 32 == len(member(0).known) and member(1).known == Member("phone0", KEYS[0], roster).known
    assert 3 == len({Member("phone0", KEYS[0], each).known for each in (ROSTER, *others)})


def test_its_secret_is_not_shown():
    """In what it prints as."""
    assert "key" not in repr(member(0)) and "secret" not in repr(KEYS[0])


def test_a_key_is_kept_for_its_owners_eyes(tmp_path):
    """Made once; what is no key is refused, and stays."""
    path = tmp_path / "signing.key"
    key = SigningKey.kept(path)

    assert SigningKey.kept(path).secret == key.secret and 0o600 == path.stat().st_mode & 0o777
    path.write_bytes(b"short")
    with pytest.raises(ValueError, match="must hold a signing key of 32 bytes"):
        SigningKey.kept(path)
    assert b"short" == path.read_bytes()


def test_a_roster_is_read_as_it_was_written(tmp_path):
    """Names and public keys."""
    write_roster(tmp_path / "roster.json", ROSTER)

    assert ROSTER == read_roster(tmp_path / "roster.json")


@pytest.mark.parametrize("text", ["", "[]", '{"a": "zz"}', '{"a": 1}', '{"a": null}', None])
def test_other_files_are_no_rosters(tmp_path, text):
    """In a sentence that names the file."""
    path = tmp_path / "roster.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ValueError, match=r"roster\.json must be a JSON file of members' names"):
        read_roster(path)
