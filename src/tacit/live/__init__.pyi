from .cap import Cap
from .client import Client
from .federation import Federation
from .function import Function
from .heard import Heard
from .link import Link, Nearby
from .own_ledger import OwnLedger

__all__ = ["Cap", "Client", "Federation", "Function", "Heard", "Link", "Nearby", "OwnLedger"]
