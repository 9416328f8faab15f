"""Models: the runner of conversations, providers, recordings, ledger, caps and batch files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
