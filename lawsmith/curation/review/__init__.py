"""Review by an independent model: of a card, and of the case that was built from it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
