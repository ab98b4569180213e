from .cap import Cap
from .client import Client
from .federation import Federation
from .function import Function
from .link import Link, Nearby
from .masked.member import Member, SigningKey
from .own_ledger import OwnLedger
from .replies import Replies

__all__ = [
    "Cap",
    "Client",
    "Federation",
    "Function",
    "Link",
    "Member",
    "Nearby",
    "OwnLedger",
    "Replies",
    "SigningKey",
]
