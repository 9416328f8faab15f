"""The doors to the outside: models, feeds, files and the store. Nothing here decides science."""
