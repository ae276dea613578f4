"""Formulas: the language that they are written in, and whether they hold beyond one draw."""
