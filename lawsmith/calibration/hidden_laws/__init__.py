"""Hidden laws: structural variants of published laws, screened and chosen by stated rules."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
