"""Questions: what is asked, of whom, how often."""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
