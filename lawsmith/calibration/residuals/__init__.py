"""Residuals of real records: neighbours, local means, noise factor, bootstrap."""
