"""The one door to Typst: nodes for its templates, a compiler for them, formulas as pictures."""
