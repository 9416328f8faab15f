"""Models: the runner of conversations, providers, recordings, ledger, caps and batch files."""
