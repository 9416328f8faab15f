"""Residual-calibrated worlds: problems, fits, hidden laws and samplers over real data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
