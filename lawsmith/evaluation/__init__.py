"""Evaluation: what players see, how episodes run, how they are scored and reported."""
