"""The one table of operators, and the arithmetic that its rows are made of."""
