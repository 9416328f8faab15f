"""Laws of a card: relation sets, exact values, interface, tolerances, Historical cards."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
