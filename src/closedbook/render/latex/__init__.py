"""LaTeX formulas, read by a parser that knows its commands and refuses all others."""
