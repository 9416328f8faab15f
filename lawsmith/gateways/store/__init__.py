"""The state of one Lawsmith home: stage tables, catalogue, keys, locks and run logs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
