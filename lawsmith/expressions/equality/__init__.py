"""Whether two laws are equal, or equal up to their constants."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
