"""Large populations tried with few people: runs that are no releases."""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
