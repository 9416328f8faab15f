"""Eligibility: windows and weeks, the dates of a cut, and what a cut is restricted to."""
