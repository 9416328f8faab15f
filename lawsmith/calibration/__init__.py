"""Residual-calibrated worlds: problems, fits, hidden laws and samplers over real data."""
