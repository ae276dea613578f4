"""Markdown and maths to one small tree, and from it to HTML, Typst and plain text."""
