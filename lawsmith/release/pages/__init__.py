"""Pages and charts of a release for people."""
