"""The bank of this repository, as it ships."""
