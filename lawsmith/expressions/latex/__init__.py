"""LaTeX formulas read into expressions."""
