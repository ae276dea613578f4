"""Pieces of formulas: as Typst maths, and as words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from closedbook.render.latex import symbols as table

EMPTY = '""'
GAPS = 0xE000
"""The first of the private characters that stand for gaps; an author's own are refused."""

CHARS = {
    "-": ("\u2212", "minus"),
    "*": ("\u2217", "asterisk"),
    "/": ('class("normal", slash)', "over"),
    "=": ("eq", "equals"),
    "<": ("lt", "is less than"),
    ">": ("gt", "is greater than"),
    "+": ("plus", "plus"),
    "|": ('class("normal", |)', "bar"),
    "~": ("nbsp", ""),
}
_PLAIN = '()[],.:;!?@"'
_CHARACTERS = {char: spoken for char, spoken in table.SYMBOLS.values() if not char.isascii()}
_ORDINARY_ELSE = re.compile(r"(?:plus|eq|lt|gt|\u2212|\u2217|\\.)$|attach\(")
_HIDDEN = {
    "%": r"'%' hides the rest of the line in LaTeX: write \%",
    "#": r"'#' has no meaning in a formula: write \#",
    "$": r"a dollar within a formula: write \$",
    "\\": "a lone backslash at the end of the formula",
}


class FormulaError(Exception):
    """A formula that is refused: where, and why. Never leaves this package."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of a formula: as Typst maths, and as words."""

    typst: str
    spoken: str = ""
    large: bool = False

    def inside(self, frame: str) -> Atom:
        """This piece as the argument of a Typst function."""
        return Atom(frame.format(self.typst or '""'), self.spoken)


def join(atoms: list[Atom]) -> Atom:
    """Pieces side by side. A space stands only where two names or numbers would run together."""
    typst = spoken = ""
    for atom in atoms:
        if typst and atom.typst and typst[-1].isalnum() and atom.typst[0].isalnum():
            number = typst[-1].isdigit() and atom.typst.isdigit() and _is_number(typst)
            typst += "" if number else " "
            spoken += "" if number else " "
        elif spoken and atom.spoken:
            spoken += " "
        typst += atom.typst
        spoken += atom.spoken
    return Atom(typst, spoken)


def _is_number(typst: str) -> bool:
    """Whether a text ends in digits that are no part of a name."""
    return not re.search(r"[^\W\d]\d+$", typst)


def quoted(text: str) -> str:
    """A Typst string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def grouped(inner: Atom) -> Atom:
    """What braces make of a piece.

    An operator becomes ordinary, without the space around it; scripts within stay apart from
    those that follow.
    """
    return inner.inside('class("normal", {})') if _ORDINARY_ELSE.match(inner.typst) else inner


def character(char: str, at: int, gaps: int) -> Atom:
    """A single character. Raises :class:`FormulaError` for one that has no place in formulas."""
    if char in CHARS:
        return Atom(*CHARS[char])
    if char.isascii() and char.isalnum():
        return Atom(char, char)
    if char in _PLAIN:
        return Atom("\\" + char, char if char in ",;:!?()[]." else "")
    if GAPS <= ord(char) < GAPS + gaps:
        return Atom(f"gap{ord(char) - GAPS}", f"blank {char}")
    if char in _HIDDEN:
        raise FormulaError(at, _HIDDEN[char])
    if char in _CHARACTERS or unicodedata.category(char) == "Sm" or "\u0391" <= char <= "\u03c9":
        spoken = _CHARACTERS.get(char) or unicodedata.name(char, "symbol").lower()
        return Atom(bracket(char), spoken)
    raise FormulaError(at, f"{char!r} in a formula: write words as \\text{{…}}")


def bracket(char: str) -> str:
    """A character of which Typst would look for the partner, escaped; any other as it is."""
    return f"\\{char}" if char in "{}[]⟨⟩⌊⌋⌈⌉" else char


def spoken_of(name: str) -> str:
    """How a character or a symbol's name is read aloud."""
    return (CHARS.get(name) or table.SYMBOLS.get(name) or (name, name))[1]


def symbol(name: str) -> Atom:
    """A symbol of the table, with the space around it that LaTeX gives it."""
    char, spoken = table.SYMBOLS[name]
    if char == "\\":
        return Atom("backslash", spoken)
    if name in ("vert", "Vert"):
        return Atom(f'class("normal", {char})', spoken)
    if name in ("lvert", "lVert", "rvert", "rVert"):
        side = "opening" if name[0] == "l" else "closing"
        return Atom(f'class("{side}", {char})', spoken)
    if name in ("iff", "implies", "impliedby"):
        return Atom(f"thick{char}thick", spoken)
    if name == "mid":
        return Atom(f'class("relation", {char})', spoken)
    return Atom(bracket(char), spoken, large=name in table.LARGE)


def attach(base: Atom, scripts: dict[str, Atom], primes: int) -> Atom:
    """A base with primes, and with what stands at ``^`` and ``_``."""
    if not scripts and not primes:
        return base
    above, below = scripts.get("^"), scripts.get("_")
    top = "\u2032" * primes + (above.typst if above else "")
    parts = [base.typst or EMPTY]
    if top or above:
        parts.append(f"t: {top or EMPTY}")
    if below:
        parts.append(f"b: {below.typst or EMPTY}")
    return Atom(f"attach({', '.join(parts)})", _spoken(base, above, below, primes))


def _spoken(base: Atom, above: Atom | None, below: Atom | None, primes: int) -> str:
    words = base.spoken + " prime" * primes
    if base.large:
        words += (
            f" from {below.spoken}" if below and above else f" over {below.spoken}" if below else ""
        )
        return words + (f" to {above.spoken} of" if above else " of")
    if below:
        words += f" sub {below.spoken}"
    if above:
        named = {"top": "transpose", "2": "squared", "3": "cubed", "minus 1": "inverse"}
        words += " " + named.get(above.spoken, f"to the {above.spoken}")
    return words
