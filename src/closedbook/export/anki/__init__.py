"""A verified bank to an Anki deck."""
