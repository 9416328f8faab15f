"""Problems: data sets with published laws, their records, splits, metrics and admission."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
