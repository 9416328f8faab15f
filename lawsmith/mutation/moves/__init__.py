"""The typed moves from a card's laws to candidates of a Counterfactual."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
