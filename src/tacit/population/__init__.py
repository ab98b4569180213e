"""People, and the only door to their data: grants, runs, checkpoints and releases."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
