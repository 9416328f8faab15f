"""Reading papers by a model: triage, the request, its repair turns, and the cards of one paper."""
