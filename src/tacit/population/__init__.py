"""People, and the only door to their data: grants, runs, checkpoints and releases."""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
