"""Admission: the gates of code that a card passes before review, after revision and at the cut."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
