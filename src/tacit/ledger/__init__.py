"""What people have agreed to, and what has been promised of them: accounts that remember."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
