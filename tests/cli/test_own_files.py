"""A device's own files: what is checked of them before one is made."""

from pathlib import Path

import pytest

from tacit.cli.own_files import OwnFiles, refuse_no_address, refuse_no_certificate
from tacit.ledger.accounts import LedgerError
from tacit.live.flower.keys import certified, name_of, own_key, public_of
from tacit.live.masked.member import SigningKey, write_roster
from tacit.live.opened import opened


def files(folder: Path) -> OwnFiles:
    return OwnFiles(folder / "device.key", folder / "signing.key", folder / "ledger.db")


def test_what_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    """A check is no first use."""
    files(tmp_path).refuse_unusable()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["device.key", "signing.key", "ledger.db"])
def test_something_else_in_a_files_place_is_refused(tmp_path: Path, name: str) -> None:
    """And stays as it is, alone."""
    (tmp_path / name).write_bytes(b"something else" * 99)
    with pytest.raises((ValueError, LedgerError), match=name):
        files(tmp_path).refuse_unusable()
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_what_is_there_is_used_again(tmp_path: Path) -> None:
    """Keys and a ledger from before."""
    own = files(tmp_path)
    own_key(own.key)
    SigningKey.kept(own.signing)
    opened(own.ledger)
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    own.refuse_unusable()
    assert before == {each: each.read_bytes() for each in tmp_path.iterdir()}


def test_a_member_has_its_key_in_the_roster(tmp_path: Path) -> None:
    """Under its name; without a roster it is in no group."""
    own = files(tmp_path)
    assert own.member(None, None) is None
    name, key = name_of(public_of(own_key(own.key))), SigningKey.kept(own.signing)
    write_roster(tmp_path / "roster.json", {name: key.public})
    member = own.member(tmp_path / "roster.json", 0.2)
    assert member is not None and (member.name, member.colluding) == (name, 0.2)


def test_a_certificate_is_one_in_pem(tmp_path: Path) -> None:
    """A private key is none, and neither is what lies nowhere."""
    made = certified(tmp_path, "localhost")
    refuse_no_certificate(made.authority)
    for wrong in (made.key, tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ValueError, match="--authority must be a certificate's file, in PEM"):
            refuse_no_certificate(wrong)


@pytest.mark.parametrize("server", ["example.org:8000", "127.0.0.1:1", "[::1]:65535", "a-b:80"])
def test_a_server_is_a_host_and_a_port(server: str) -> None:
    """A name, or an address of either kind; with one letter behind it is none."""
    refuse_no_address(server)
    with pytest.raises(ValueError, match="--server must be HOST:PORT"):
        refuse_no_address(f"{server}x")


WRONG = """127.0.0.1|127.0.0.1:99999|127.0.0.1:0|http://127.0.0.1:9000|:80|host:|host:80/|::1:80|host:-1
two words:80|a@host:80||host:80 """


@pytest.mark.parametrize("server", WRONG.replace("\n", "|").split("|"))
def test_another_server_is_refused(server: str) -> None:
    """The sentence says what it has to be."""
    with pytest.raises(ValueError, match=r"--server must be HOST:PORT, .* port from 1 to 65535"):
        refuse_no_address(server)
