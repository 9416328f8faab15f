"""Calibrated worlds: a hidden law, residuals around it, and their simulator."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
