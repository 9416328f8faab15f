"""Laws of a card: relation sets, exact values, interface, tolerances, Historical cards."""
