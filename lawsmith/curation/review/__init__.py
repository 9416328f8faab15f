"""Review by an independent model: of a card, and of the case that was built from it."""
