"""Mutation: from a card to a certified pair of worlds."""
