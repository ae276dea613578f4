"""A verified bank and a blueprint to papers and keys."""
