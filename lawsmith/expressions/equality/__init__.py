"""Whether two laws are equal, or equal up to their constants."""
