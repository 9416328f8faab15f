"""The typed moves from a card's laws to candidates of a Counterfactual."""
