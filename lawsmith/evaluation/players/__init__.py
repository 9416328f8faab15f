"""Players: anything that turns a view and the answers so far into the next action."""
