"""Evaluation: what players see, how episodes run, how they are scored and reported."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
