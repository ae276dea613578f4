"""YAML text to the model, every mistake placed."""

from closedbook.source.files import find_bank
from closedbook.source.load import load_bank

__all__ = ["find_bank", "load_bank"]
