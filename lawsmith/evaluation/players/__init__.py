"""Players: anything that turns a view and the answers so far into the next action."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
