"""A device is its key, and a server is its certificate."""

import re
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tacit.live.flower.keys import certified, name_of, own_key, public_of, refuse_no_key


def test_a_key_is_made_once(tmp_path: Path) -> None:
    """It is the same afterwards, and so its name is; nobody else may read it."""
    path = tmp_path / "own.key"
    first, again, other = own_key(path), own_key(path), own_key(tmp_path / "other.key")
    assert public_of(first) == public_of(again) != public_of(other)
    assert len({name_of(public_of(key)) for key in (first, again, other)}) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("held", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\n"])
def test_what_is_no_key_is_refused(tmp_path: Path, held: bytes) -> None:
    """The sentence names the file, and the file stays as it was."""
    path = tmp_path / "own.key"
    path.write_bytes(held)
    with pytest.raises(ValueError, match=r"own\.key holds no private key of an elliptic curve"):
        own_key(path)
    assert path.read_bytes() == held


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    """Flower signs with elliptic curves of NIST."""
    path, other = tmp_path / "own.key", ed25519.Ed25519PrivateKey.generate()
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(ValueError, match="no private key of an elliptic curve"):
        own_key(path)


@pytest.mark.parametrize("host", ["127.0.0.1", "example.org", "::1"])
def test_a_server_is_vouched_for(tmp_path: Path, host: str) -> None:
    """By an authority that is no server, under its host's name and on its own machine; once."""
    made = certified(tmp_path, host)
    before = [path.read_bytes() for path in (made.authority, made.own, made.key)]
    authority, own = map(x509.load_pem_x509_certificate, before[:2])
    own.verify_directly_issued_by(authority)
    kind = x509.BasicConstraints
    found = [each.extensions.get_extension_for_class(kind).value.ca for each in (authority, own)]
    assert found == [True, False]
    known = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    named = [*known.get_values_for_type(x509.DNSName), *known.get_values_for_type(x509.IPAddress)]
    assert {host, "localhost", "127.0.0.1"} == set(map(str, named))
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(made.own, made.key)
    assert certified(tmp_path, host) == made
    assert [path.read_bytes() for path in (made.authority, made.own, made.key)] == before


@pytest.mark.parametrize("held", [b"", b"junk", b"\xff" * 99])
@pytest.mark.parametrize("name", ["authority.pem", "server.pem", "server.key"])
def test_a_damaged_file_of_a_server_is_refused(tmp_path: Path, name: str, held: bytes) -> None:
    """The sentence names it, and it stays as it was."""
    certified(tmp_path, "127.0.0.1")
    (tmp_path / name).write_bytes(held)
    means = "holds no private key" if name == "server.key" else "must hold a certificate in PEM"
    with pytest.raises(ValueError, match=rf"{re.escape(name)} {means}"):
        certified(tmp_path, "127.0.0.1")
    assert (tmp_path / name).read_bytes() == held


def test_a_certificate_of_no_host_is_refused(tmp_path: Path) -> None:
    """Such as the authority's, where it lies in place of the server's."""
    made = certified(tmp_path, "127.0.0.1")
    made.own.write_bytes(made.authority.read_bytes())
    with pytest.raises(ValueError, match=r"server\.pem is a certificate for no host, and not for"):
        certified(tmp_path, "127.0.0.1")


@pytest.mark.parametrize("held", [b"", b"junk", b"-----BEGIN PUBLIC KEY-----\n"])
def test_what_is_no_public_key_is_refused(tmp_path: Path, held: bytes) -> None:
    """Nor is one of another kind than Flower's devices sign with."""
    kind = Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    other = ed25519.Ed25519PrivateKey.generate().public_key().public_bytes(*kind)
    for each in (held, other):
        with pytest.raises(ValueError, match="must be that of an elliptic curve in PEM"):
            refuse_no_key(each)
    refuse_no_key(public_of(own_key(tmp_path / "own.key")))


def test_certificates_of_another_host_are_refused(tmp_path: Path) -> None:
    """Devices would not believe them there; the machine itself is reached with any."""
    made = certified(tmp_path, "example.org")
    before = made.own.read_bytes()
    with pytest.raises(ValueError, match=r"for example\.org, .*, and not for other\.org"):
        certified(tmp_path, "other.org")
    assert certified(tmp_path, "127.0.0.1") == certified(tmp_path, "example.org") == made
    assert made.own.read_bytes() == before
