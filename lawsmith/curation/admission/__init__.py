"""Admission: the gates of code that a card passes before review, after revision and at the cut."""
