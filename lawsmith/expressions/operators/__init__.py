"""The one table of operators, and the arithmetic that its rows are made of."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
