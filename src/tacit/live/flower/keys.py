"""Who is who on a live federation: a device's key and its name, and a server's certificate.

A device is known by its public key, and its name is a digest of that: it stays when the device
comes back, and nobody else has it, as a server hears only who can sign with the private key. The
server is known by a certificate of an authority that the operator has made and devices were given.
"""

import hashlib
import ipaddress
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from cryptography.x509.oid import NameOID

from tacit.whole_file import replacing

PrivateKey = ec.EllipticCurvePrivateKey

# 128 bits: no two devices have one name, and none can make itself that of another.
_NAME_LETTERS = 32
# Of certificates, which are made for one federation: nobody renews them.
_LASTS = timedelta(days=5 * 365)


def name_of(public: bytes) -> str:
    """What a device with this public key is called, everywhere: 128 bits of SHA-256."""
    return hashlib.sha256(public).hexdigest()[:_NAME_LETTERS]


def public_of(key: PrivateKey) -> bytes:
    """The public key, as a server is given it: PEM."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def refuse_no_key(public: bytes) -> None:
    """Raises a ValueError unless this is a public key as `public_of` has it."""
    try:
        key = load_pem_public_key(public)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise ValueError("a device's public key must be that of an elliptic curve in PEM")


def own_key(path: Path) -> PrivateKey:
    """The private key in this file, which is made, for its owner's eyes alone, where there is none.

    Raises:
      ValueError: if the file holds something else.
      OSError: if it can be neither read nor written.
    """
    if not path.exists():
        _kept(path, ec.generate_private_key(ec.SECP384R1()))
    return _held(path)


def _held(path: Path) -> PrivateKey:
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, PrivateKey):
        raise ValueError(f"{path} holds no private key of an elliptic curve in PEM")
    return key


@final
@dataclass(frozen=True)
class Certificates:
    """The files a server shows who it is with.

    Args:
      authority: the certificate of whoever vouches for it: devices are given this one.
      own: its own certificate.
      key: the private key to that.
    """

    authority: Path
    own: Path
    key: Path


def certified(folder: Path, host: str) -> Certificates:
    """Certificates for a server that devices reach under `host`, and on its own machine.

    They are made once, and the folder if need be. The authority's key is forgotten when they are:
    it vouches for one server.

    Raises:
      ValueError: if those that are there were made for other hosts, or are damaged.
      OSError: if they can be neither read nor written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = Certificates(*(folder / name for name in ("authority.pem", "server.pem", "server.key")))
    if not made.authority.exists():
        authority, own = (ec.generate_private_key(ec.SECP384R1()) for _ in range(2))
        issuer = _named("tacit: authority of one federation")
        server = _named(host)
        known = x509.SubjectAlternativeName(_reached(host))
        _kept(made.key, own)
        _write(made.own, _signed(server, own, issuer, authority, known, ca=False))
        _write(made.authority, _signed(issuer, authority, issuer, authority, None, ca=True))
    # One that is damaged is told of here, by its name.
    _hosts(made.authority)
    _held(made.key)
    _refuse_another(host, made.own)
    return made


def _hosts(path: Path) -> list[x509.GeneralName]:
    """Those that the certificate in this file is for."""
    try:
        made = x509.load_pem_x509_certificate(path.read_bytes()).extensions
        return list(made.get_extension_for_class(x509.SubjectAlternativeName).value)
    except x509.ExtensionNotFound:
        return []
    except ValueError as error:
        raise ValueError(f"{path} must hold a certificate in PEM, as it was made") from error


def _refuse_another(host: str, own: Path) -> None:
    """Raises a ValueError unless this certificate is for this host."""
    known = _hosts(own)
    if _reached(host)[0] not in known:
        hosts = ", ".join(str(each.value) for each in known) or "no host"
        raise ValueError(f"{own} is a certificate for {hosts}, and not for {host}")


def _signed(
    subject: x509.Name,
    key: PrivateKey,
    issuer: x509.Name,
    authority: PrivateKey,
    known: x509.SubjectAlternativeName | None,
    ca: bool,
) -> bytes:
    now = datetime.now(UTC)
    draft = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
    # A device's clock may be behind.
    draft = draft.not_valid_before(now - timedelta(days=1)).not_valid_after(now + _LASTS)
    draft = draft.add_extension(x509.BasicConstraints(ca, path_length=None), critical=True)
    if known is not None:
        draft = draft.add_extension(known, critical=False)
    return draft.sign(authority, SHA256()).public_bytes(Encoding.PEM)


def _named(words: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, words)])


def _reached(host: str) -> list[x509.GeneralName]:
    """Under which names and addresses: `host`, and the machine's own."""
    found: list[x509.GeneralName] = []
    for each in dict.fromkeys((host, "localhost", "127.0.0.1")):
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(each)))
        except ValueError:
            found.append(x509.DNSName(each))
    return found


def _kept(path: Path, key: PrivateKey) -> None:
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _write(path, secret, mode=0o600)


def _write(path: Path, content: bytes, mode: int = 0o644) -> None:
    with replacing(path) as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
