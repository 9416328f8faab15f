"""Residuals of real records: neighbours, local means, noise factor, bootstrap."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
