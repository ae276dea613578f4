"""A verified bank to decks and papers."""
