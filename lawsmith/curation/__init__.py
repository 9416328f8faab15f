"""From a paper to an admitted card: windows, packets, triage, extraction, gates, review."""
