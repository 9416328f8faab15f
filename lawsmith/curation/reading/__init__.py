"""Reading papers by a model: triage, the request, its repair turns, and the cards of one paper."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
