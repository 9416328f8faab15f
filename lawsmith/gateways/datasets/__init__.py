"""Tables of problems: files, NIST data files and data sets of installed packages."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
