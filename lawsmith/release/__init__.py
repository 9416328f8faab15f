"""Releases: tasks with keyed ids, two trees, manifests, leak check, verification."""
