"""The inks of papers and keys, by which a reader of the finished PDF tells what a text is."""

KEY = "#8c1d18"
"""Of answers. What is asked is black, or has the colours of code."""
FURNITURE = "#565656"
"""Of headers, footers and labels."""
BESIDE_CODE = "#6e6e6e"
"""Of what ``tree.typ`` puts beside code: numbers of lines, marks of wrapping."""

INKS = {"key": KEY, "furniture": FURNITURE}
"""Those that the templates are told."""
