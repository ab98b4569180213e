from .accounts import RefusedGrant
from .filters import Basic, Renyi
from .ledger import Finished, Ledger, LedgerError, OverBudget, Unknown
from .limits import NoLimit

__all__ = [
    "Basic",
    "Finished",
    "Ledger",
    "LedgerError",
    "NoLimit",
    "OverBudget",
    "RefusedGrant",
    "Renyi",
    "Unknown",
]
