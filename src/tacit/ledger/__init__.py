"""What people have agreed to, and what has been promised of them: accounts that remember."""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
