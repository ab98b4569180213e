from .filters import Basic, Renyi
from .ledger import Finished, Ledger, LedgerError, OverBudget

__all__ = [
    "Basic",
    "Finished",
    "Ledger",
    "LedgerError",
    "OverBudget",
    "Renyi",
]
