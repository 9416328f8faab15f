"""The store shown to people: card pages, stories of subjects, figures and pictures."""
