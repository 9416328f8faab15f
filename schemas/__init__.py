"""The contracts between stages: frozen records, canonical JSON, digests. No behaviour."""
