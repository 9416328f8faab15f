"""Eligibility: windows and weeks, the dates of a cut, and what a cut is restricted to."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
