"""Certificates: what every family proves about itself, and `verify` proves again."""
