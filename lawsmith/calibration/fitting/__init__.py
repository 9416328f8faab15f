"""Fits of laws to real records by least squares in residual space."""
