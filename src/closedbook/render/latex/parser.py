"""The parser of formulas: tokens to rows of atoms, with their scripts."""

from __future__ import annotations

from closedbook.render.latex import symbols as table
from closedbook.render.latex.atoms import (
    EMPTY,
    Atom,
    FormulaError,
    attach,
    character,
    grouped,
    join,
)
from closedbook.render.latex.commands import STYLES, command
from closedbook.render.latex.environments import aligned
from closedbook.render.latex.lex import Token, tokens

_DEEPEST = 40


class Parser:
    """Reads one formula, which may hold ``gaps`` private characters that stand for gaps."""

    def __init__(self, tex: str, *, block: bool, gaps: int = 0) -> None:
        self.tex = tex
        self._tokens = tokens(tex)
        self._next = 0
        self._block = block
        self._gaps = gaps
        self._depth = 0

    def formula(self) -> Atom:
        """The whole formula. Raises :class:`FormulaError`."""
        self.skip_space()
        if self.peek().is_command("begin") and self._begins() in table.ALIGNED:
            atom = aligned(self, block=self._block)
        else:
            atom = self.row()
        self.skip_space()
        rest = self.peek()
        if rest.kind != "end":
            raise FormulaError(rest.at, _stray(rest))
        if not atom.typst:
            raise FormulaError(0, "this formula is empty")
        return atom

    def peek(self) -> Token:
        """The next token."""
        return self._tokens[self._next]

    def take(self) -> Token:
        """The next token, which is behind us then."""
        token = self._tokens[self._next]
        if token.kind != "end":
            self._next += 1
        return token

    @property
    def mark(self) -> int:
        """Where we are, for :meth:`back`."""
        return self._next

    def back(self, mark: int) -> None:
        """Go back to a mark."""
        self._next = mark

    def skip_space(self) -> None:
        """Go past spaces, which mean nothing in maths."""
        while self.peek().kind == "space":
            self._next += 1

    def row(self) -> Atom:
        r"""Atoms up to a closing brace, a cell's or row's end, ``\right``, ``\end`` or the end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise FormulaError(self.peek().at, "this formula is nested too deeply")
        atoms: list[Atom] = []
        while not self.at_stop():
            token = self.peek()
            if token.kind == "space":
                self.take()
            elif token.kind == "command" and token.text in STYLES:
                self.take()
                atoms.append(self.row().inside(STYLES[token.text] + "({})"))
            else:
                atoms.append(self.scripted())
        self._depth -= 1
        return join(atoms)

    def at_stop(self) -> bool:
        """Whether a row ends here."""
        token = self.peek()
        return token.kind in ("end", "close", "cell") or token.is_command(
            "\\", "right", "middle", "end", "cr"
        )

    def scripted(self) -> Atom:
        """One atom with its scripts."""
        token = self.peek()
        base = (
            Atom(EMPTY) if token.kind in ("sup", "sub", "prime") else self._number() or self._atom()
        )
        scripts: dict[str, Atom] = {}
        primes = 0
        while True:
            self.skip_space()
            token = self.peek()
            if token.kind == "prime":
                if "^" in scripts:
                    raise FormulaError(
                        token.at, "a prime behind an exponent: write x'^{…} or x^{…\\prime}"
                    )
                primes += 1
                self.take()
            elif token.kind in ("sup", "sub"):
                self.take()
                if token.text in scripts:
                    word = "exponents" if token.text == "^" else "indices"
                    raise FormulaError(
                        token.at, f"two {word} on one base: use braces to say what is meant"
                    )
                scripts[token.text] = self.argument(token)
            elif token.is_command("limits", "nolimits"):
                self.take()
                frame = "limits({})" if token.text == "limits" else "scripts({})"
                base = Atom(frame.format(base.typst), base.spoken, base.large)
            else:
                return attach(base, scripts, primes)

    def _number(self) -> Atom | None:
        """Digits side by side, which carry a script together; None where none stands here."""
        start = self._next
        while self.peek().kind == "char" and self.peek().text in "0123456789":
            self.take()
        digits = "".join(token.text for token in self._tokens[start : self._next])
        return Atom(digits, digits) if digits else None

    def two_arguments(self, of: Token) -> tuple[Atom, Atom]:
        """What a command of two takes."""
        return self.argument(of, wanted=2), self.argument(of, wanted=2)

    def argument(self, of: Token, *, wanted: int = 1) -> Atom:
        """What a command or a script takes: a group, or the next single thing.

        ``wanted`` is how many the command takes, for the message where one is missing.
        """
        self.skip_space()
        token = self.peek()
        if token.kind == "open":
            return self._group()
        if token.kind in ("end", "close", "cell", "sup", "sub") or self.at_stop():
            name = f"\\{of.text}" if of.kind == "command" else of.text
            lack = "has nothing to stand on" if wanted == 1 else "takes two things"
            raise FormulaError(of.at, f"{name} {lack}: write {name}{'{…}' * wanted}")
        return self._atom()

    def _group(self) -> Atom:
        opening = self.take()
        atom = self.row()
        if self.peek().kind != "close":
            stop = self.peek()
            if stop.kind == "end":
                raise FormulaError(opening.at, "this '{' is not closed")
            raise FormulaError(stop.at, _stray(stop))
        self.take()
        return atom

    def raw_group(self, of: Token) -> tuple[str, int]:
        """The characters between the braces behind a command, and where they begin."""
        self.skip_space()
        if self.peek().kind != "open":
            raise FormulaError(of.at, f"write \\{of.text}{{…}}, with braces")
        opening = self.take()
        depth = 1
        while depth:
            token = self.take()
            if token.kind == "end":
                raise FormulaError(opening.at, "this '{' is not closed")
            depth += {"open": 1, "close": -1}.get(token.kind, 0)
        start = opening.at + 1
        return self.tex[start : self._tokens[self._next - 1].at], start

    def _atom(self) -> Atom:
        token = self.peek()
        if token.kind == "open":
            return grouped(self._group())
        if token.kind == "command":
            return command(self, self.take())
        self.take()
        return character(token.text, token.at, self._gaps)

    def _begins(self) -> str:
        r"""The name behind ``\begin``; the parser stays before it."""
        mark = self.mark
        name, _ = self.raw_group(self.take())
        self.back(mark)
        return name


def _stray(token: Token) -> str:
    if token.kind == "close":
        return "a '}' that closes nothing"
    if token.kind == "cell":
        return r"'&' outside a matrix, cases or aligned: write \& for the character"
    if token.is_command("\\", "cr"):
        return r"'\\' outside a matrix, cases or aligned: write \begin{aligned}…\end{aligned}"
    if token.is_command("right"):
        return r"this \right has no \left"
    if token.is_command("end"):
        return r"this \end has no \begin"
    return f"{token.text!r} cannot stand here"
