"""YAML text to the model, every mistake placed."""

from closedbook.source.load import load_bank

__all__ = ["load_bank"]
