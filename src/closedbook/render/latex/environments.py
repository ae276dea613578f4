"""Environments: matrices, cases, aligned lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from closedbook.problem import did_you_mean
from closedbook.render.latex import symbols as table
from closedbook.render.latex.atoms import EMPTY, Atom, FormulaError
from closedbook.render.latex.lex import Token

if TYPE_CHECKING:
    from closedbook.render.latex.parser import Parser

_ROW_SPACE = re.compile(r"\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|mu)\s*\]")


def environment(parser: Parser, token: Token) -> Atom:
    r"""What stands from ``\begin{…}`` to its ``\end{…}``."""
    name, start = parser.raw_group(token)
    if name in table.ALIGNED:
        raise FormulaError(
            token.at,
            f"{name!r} has to be the whole formula: use 'cases' or a matrix within one",
        )
    if name not in table.MATRICES and name != "cases":
        known = {*table.MATRICES, *table.ALIGNED, "cases"}
        raise FormulaError(start, f"unknown environment {name!r}{did_you_mean(name, known)}")
    align = _columns(parser, token) if name == "array" else ""
    rows = _rows(parser, name, token)
    spoken = "; ".join(", ".join(cell.spoken for cell in row) for row in rows)
    if name == "cases":
        lines = ", ".join("&quad ".join(cell.typst for cell in row) or EMPTY for row in rows)
        return Atom(f"cases({lines})", f"cases: {spoken}; end cases")
    lines = "; ".join(", ".join(cell.typst or EMPTY for cell in row) for row in rows)
    delimiter = table.MATRICES[name]
    shown = f'"{delimiter}"' if delimiter else "nodelim"
    typst = f"mat(delim: {shown}, {align}{lines})"
    if name == "smallmatrix":
        typst = f"script({typst})"
    return Atom(typst, f"matrix: {spoken}; end matrix")


def _columns(parser: Parser, token: Token) -> str:
    """The side on which an array's columns stand."""
    columns, at = parser.raw_group(token)
    bad = re.search(r"[^lcr\s]", columns)
    if bad:
        message = f"{bad[0]!r} in an array's columns: only l, c and r are set"
        raise FormulaError(at + bad.start(), message)
    sides = set("".join(columns.split()))
    if len(sides) != 1:
        raise FormulaError(at, "an array's columns all stand on one side: write {lll}, say")
    return {"l": "align: alignleft, ", "r": "align: alignright, "}.get(sides.pop(), "")


def aligned(parser: Parser, *, block: bool) -> Atom:
    """Lines that stand below each other, as a whole formula."""
    token = parser.take()
    name, _ = parser.raw_group(token)
    if not block:
        raise FormulaError(token.at, f"{name!r} needs room: set the formula apart with $$")
    rows = _rows(parser, name, token)
    typst = " \\ ".join("&".join(cell.typst for cell in row) for row in rows)
    return Atom(typst, "; ".join(" ".join(cell.spoken for cell in row) for row in rows))


def _rows(parser: Parser, name: str, begin: Token) -> list[list[Atom]]:
    rows: list[list[Atom]] = [[]]
    while True:
        rows[-1].append(parser.row())
        token = parser.take()
        if token.is_command("\\", "cr"):
            _row_space(parser, token)
            rows.append([])
        elif token.is_command("end"):
            ended, at = parser.raw_group(token)
            if ended != name:
                raise FormulaError(at, f"\\begin{{{name}}} ends with \\end{{{ended}}}")
            break
        elif token.kind != "cell":
            raise FormulaError(begin.at, f"\\begin{{{name}}} has no \\end{{{name}}}")
    if len(rows) > 1 and not any(cell.typst for cell in rows[-1]):
        rows.pop()
    return rows


def _row_space(parser: Parser, token: Token) -> None:
    r"""``\\[2pt]``: the space between rows is Typst's."""
    if parser.peek().kind == "char" and parser.peek().text == "[":
        match = _ROW_SPACE.match(parser.tex, parser.peek().at)
        if match is None:
            raise FormulaError(token.at, r"'[' right behind \\ is read as a length: write \\ {}[")
        while parser.peek().at < match.end():
            parser.take()
