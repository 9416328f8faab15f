"""Calibrated worlds: a hidden law, residuals around it, and their simulator."""
