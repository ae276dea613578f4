"""The parser of LaTeX formulas: what :mod:`closedbook.render.maths` is made of."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import cast

from closedbook.problem import did_you_mean
from closedbook.render import symbols as table
from closedbook.render.lex import Token, tokens

_DEEPEST = 40
_GAPS = 0xE000

_CHARS = {
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
_OPERATORS = frozenset({"plus", "\u2212", "eq", "lt", "gt", "\u2217"})
_PLAIN = '()[],.:;!?@"'
_ESCAPED = {"{": r"\{", "}": r"\}", "%": "%", "&": r"\&", "_": r"\_", "#": r"\#", "$": r"\$"}
_DELIMITERS = {
    "(": r"\(",
    ")": r"\)",
    "[": r"\[",
    "]": r"\]",
    "|": "|",
    "/": "slash",
    "<": "\\⟨",
    ">": "\\⟩",
    ".": "",
}
_CHARACTERS = {char: spoken for char, spoken in table.SYMBOLS.values() if not char.isascii()}
_BIG = re.compile(r"(big|Big|bigg|Bigg)([lrm]?)")
_SIZES = {"big": "1", "Big": "2", "bigg": "3", "Bigg": "4"}
_SIDES = {"l": "opening", "r": "closing", "m": "relation", "": "normal"}
_CLASSES = {
    "mathbin": "binary",
    "mathrel": "relation",
    "mathord": "normal",
    "mathopen": "opening",
    "mathclose": "closing",
    "mathpunct": "punctuation",
}
_STYLES = {"displaystyle": "display", "textstyle": "inline", "scriptstyle": "script"}
_FRACTIONS = {"frac": "{}", "dfrac": "display({})", "tfrac": "inline({})", "cfrac": "display({})"}
_BRACES = {"underbrace": "_", "overbrace": "^"}
_TEXTS = frozenset({"text", "textrm", "textnormal"})
_ROW_SPACE = re.compile(r"\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|mu)\s*\]")

ARGUMENTS = frozenset(
    {*table.FONTS, *table.ACCENTS, *_CLASSES, *_FRACTIONS, *_BRACES, *_TEXTS, "binom", "dbinom"}
    | {"tbinom", "sqrt", "operatorname", "operatorname*", "overset", "underset", "stackrel"}
    | {"mathop", "pmod"}
)
KNOWN = frozenset(
    {*table.SYMBOLS, *table.FUNCTIONS, *table.LIMITS, *table.SPACES, *_STYLES, *ARGUMENTS}
    | {"left", "right", "middle", "begin", "end", "limits", "nolimits", "not", "bmod", "colon"}
    | {f"{size}{side}" for size in _SIZES for side in _SIDES}
)


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


class Parser:
    """Reads one formula, which may hold ``gaps`` private characters that stand for gaps."""

    def __init__(self, tex: str, *, block: bool, gaps: int = 0) -> None:
        self._tex = tex
        self._tokens = tokens(tex)
        self._next = 0
        self._block = block
        self._gaps = gaps
        self._depth = 0

    def formula(self) -> Atom:
        """The whole formula. Raises :class:`FormulaError`."""
        self._skip_space()
        if self._peek().is_command("begin") and self._environment_name() in table.ALIGNED:
            atom = self._aligned()
        else:
            atom = self._row()
        self._skip_space()
        rest = self._peek()
        if rest.kind != "end":
            raise FormulaError(rest.at, _stray(rest))
        if not atom.typst:
            raise FormulaError(0, "this formula is empty")
        return atom

    # tokens

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._tokens[self._next]
        if token.kind != "end":
            self._next += 1
        return token

    def _skip_space(self) -> None:
        while self._peek().kind == "space":
            self._next += 1

    # rows, scripts

    def _row(self) -> Atom:
        r"""Atoms up to a closing brace, a cell's or row's end, ``\right``, ``\end`` or the end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise FormulaError(self._peek().at, "this formula is nested too deeply")
        atoms: list[Atom] = []
        while not self._at_stop():
            token = self._peek()
            if token.kind == "space":
                self._take()
            elif token.kind == "command" and token.text in _STYLES:
                self._take()
                atoms.append(self._row().inside(_STYLES[token.text] + "({})"))
            else:
                atoms.append(self._scripted())
        self._depth -= 1
        return join(atoms)

    def _at_stop(self) -> bool:
        token = self._peek()
        return token.kind in ("end", "close", "cell") or token.is_command(
            "\\", "right", "middle", "end", "cr"
        )

    def _scripted(self) -> Atom:
        token = self._peek()
        base = (
            Atom('""') if token.kind in ("sup", "sub", "prime") else self._number() or self._atom()
        )
        scripts: dict[str, Atom] = {}
        primes = 0
        while True:
            self._skip_space()
            token = self._peek()
            if token.kind == "prime":
                if "^" in scripts:
                    raise FormulaError(
                        token.at, "a prime behind an exponent: write x'^{…} or x^{…\\prime}"
                    )
                primes += 1
                self._take()
            elif token.kind in ("sup", "sub"):
                self._take()
                if token.text in scripts:
                    word = "exponents" if token.text == "^" else "indices"
                    raise FormulaError(
                        token.at, f"two {word} on one base: use braces to say what is meant"
                    )
                scripts[token.text] = self._argument(token)
            elif token.is_command("limits", "nolimits"):
                self._take()
                frame = "limits({})" if token.text == "limits" else "scripts({})"
                base = Atom(frame.format(base.typst), base.spoken, base.large)
            else:
                return _attach(base, scripts, primes)

    def _number(self) -> Atom | None:
        """Digits side by side, which carry a script together; None where none stands here."""
        start = self._next
        while self._peek().kind == "char" and self._peek().text in "0123456789":
            self._take()
        digits = "".join(token.text for token in self._tokens[start : self._next])
        return Atom(digits, digits) if digits else None

    def _argument(self, of: Token) -> Atom:
        """What a command or a script takes: a group, or the next single thing."""
        self._skip_space()
        token = self._peek()
        if token.kind == "open":
            return self._group()
        if token.kind in ("end", "close", "cell", "sup", "sub") or self._at_stop():
            name = f"\\{of.text}" if of.kind == "command" else of.text
            raise FormulaError(of.at, f"{name} has nothing to stand on: write {name}{{…}}")
        return self._atom()

    def _group(self) -> Atom:
        opening = self._take()
        atom = self._row()
        if self._peek().kind != "close":
            stop = self._peek()
            if stop.kind == "end":
                raise FormulaError(opening.at, "this '{' is not closed")
            raise FormulaError(stop.at, _stray(stop))
        self._take()
        return atom

    def _raw_group(self, of: Token) -> tuple[str, int]:
        """The characters between the braces behind a command, and where they begin."""
        self._skip_space()
        if self._peek().kind != "open":
            raise FormulaError(of.at, f"write \\{of.text}{{…}}, with braces")
        opening = self._take()
        depth = 1
        while depth:
            token = self._take()
            if token.kind == "end":
                raise FormulaError(opening.at, "this '{' is not closed")
            depth += {"open": 1, "close": -1}.get(token.kind, 0)
        start = opening.at + 1
        return self._tex[start : self._tokens[self._next - 1].at], start

    # atoms

    def _atom(self) -> Atom:
        token = self._peek()
        if token.kind == "open":
            inner = self._group()
            # braces make an ordinary atom of what would else take space as an operator
            # and a pair of scripts of their own of what would else join those behind the braces
            alone = inner.typst in _OPERATORS or re.match(r"\\.$|attach\(", inner.typst)
            return inner.inside('class("normal", {})') if alone else inner
        if token.kind == "command":
            return self._command(self._take())
        return self._char(self._take())

    def _char(self, token: Token) -> Atom:
        char = token.text
        if char in _CHARS:
            return Atom(*_CHARS[char])
        if char.isascii() and char.isalnum():
            return Atom(char, char)
        if char in _PLAIN:
            return Atom("\\" + char, char if char in ",;:!?()[]." else "")
        if _GAPS <= ord(char) < _GAPS + self._gaps:
            return Atom(f"gap{ord(char) - _GAPS}", "blank")
        if char == "%":
            raise FormulaError(token.at, r"'%' hides the rest of the line in LaTeX: write \%")
        if char == "#":
            raise FormulaError(token.at, r"'#' has no meaning in a formula: write \#")
        if char == "$":
            raise FormulaError(token.at, r"a dollar within a formula: write \$")
        if char == "\\":
            raise FormulaError(token.at, "a lone backslash at the end of the formula")
        if (
            char in _CHARACTERS
            or unicodedata.category(char) == "Sm"
            or "\u0391" <= char <= "\u03c9"
        ):
            spoken = _CHARACTERS.get(char) or unicodedata.name(char, "symbol").lower()
            return Atom(_bracket(char), spoken)
        raise FormulaError(token.at, f"{char!r} in a formula: write words as \\text{{…}}")

    def _command(self, token: Token) -> Atom:
        name = token.text
        if name in table.SYMBOLS:
            return _symbol(name)
        if name in table.SPACES:
            return Atom(table.SPACES[name])
        if name in table.FUNCTIONS:
            return Atom(f"op({quoted(name)})", name)
        if name in table.LIMITS:
            return Atom(f"limits(op({quoted(_limit_name(name))}))", _limit_name(name), large=True)
        if name in table.FONTS:
            return self._font(token)
        if name in table.ACCENTS:
            inner = self._argument(token)
            return Atom(table.ACCENTS[name].format(inner.typst or '""'), f"{inner.spoken} {name}")
        if name in _ESCAPED:
            return Atom(_ESCAPED[name], name)
        if name == "|":
            return Atom('class("normal", ‖)', "double bar")
        if match := _BIG.fullmatch(name):
            return self._big(token, *match.groups())
        special = getattr(self, f"_on_{_HANDLERS.get(name, '')}", None)
        if special is not None:
            atom = special(token)
            return cast(Atom, atom)
        raise FormulaError(token.at, _unknown(name))

    def _font(self, token: Token) -> Atom:
        self._skip_space()
        if self._peek().kind == "open":
            mark = self._next
            raw, _ = self._raw_group(token)
            if re.fullmatch(r"(?:[A-Za-z0-9\s]|\\_)*", raw) and len(raw) > 1:
                word = re.sub(r"\s", "", raw).replace("\\_", "_")
                typst = table.FONTS[token.text].format(quoted(word))
                return Atom(typst, table.FONT_WORDS.get(token.text, "") + word)
            self._next = mark
        inner = self._argument(token)
        spoken = table.FONT_WORDS.get(token.text, "") + inner.spoken
        return Atom(table.FONTS[token.text].format(inner.typst or '""'), spoken)

    def _big(self, token: Token, size: str, side: str) -> Atom:
        delimiter, spoken = self._delimiter(token)
        if not delimiter:
            raise FormulaError(token.at, f"\\{token.text} needs a delimiter, not a dot")
        return Atom(f'class("{_SIDES[side]}", big{_SIZES[size]}({delimiter}))', spoken)

    def _delimiter(self, of: Token) -> tuple[str, str]:
        self._skip_space()
        token = self._take()
        if token.kind == "char" and token.text in _DELIMITERS:
            spoken = "" if token.text == "." else token.text
            return _DELIMITERS[token.text], spoken
        if token.kind == "command":
            if token.text in ("{", "}"):
                return "\\" + token.text, token.text
            if token.text == "|":
                return "‖", "double bar"
            if token.text == "backslash":
                return "backslash", "backslash"
            if token.text in table.DELIMITERS:
                char, spoken = table.DELIMITERS[token.text]
                return _bracket(char), spoken
        what = f"\\{token.text}" if token.kind == "command" else token.text
        raise FormulaError(
            token.at, f"\\{of.text} needs a delimiter such as ( [ \\{{ | \\langle, not {what!r}"
        )

    # commands with arguments

    def _on_fraction(self, token: Token) -> Atom:
        over, under = self._argument(token), self._argument(token)
        frame = _FRACTIONS[token.text]
        typst = frame.format(f"frac({over.typst or _EMPTY}, {under.typst or _EMPTY})")
        return Atom(typst, f"the fraction {over.spoken} over {under.spoken}, end fraction")

    def _on_binom(self, token: Token) -> Atom:
        over, under = self._argument(token), self._argument(token)
        typst = f"binom({over.typst or _EMPTY}, {under.typst or _EMPTY})"
        frame = {"dbinom": "display({})", "tbinom": "inline({})"}.get(token.text, "{}")
        return Atom(frame.format(typst), f"{over.spoken} choose {under.spoken}")

    def _on_sqrt(self, token: Token) -> Atom:
        self._skip_space()
        index = None
        if self._peek().kind == "char" and self._peek().text == "[":
            opening = self._take()
            atoms = []
            while not (self._peek().kind == "char" and self._peek().text == "]"):
                if self._at_stop():
                    raise FormulaError(opening.at, "this '[' is not closed")
                atoms.append(self._scripted())
                self._skip_space()
            self._take()
            index = join(atoms)
        inner = self._argument(token)
        body = inner.typst or _EMPTY
        if index is None:
            return Atom(f"sqrt({body})", f"the square root of {inner.spoken}, end root")
        return Atom(
            f"root({index.typst}, {body})", f"the root {index.spoken} of {inner.spoken}, end root"
        )

    def _on_text(self, token: Token) -> Atom:
        raw, start = self._raw_group(token)
        for match in re.finditer(r"\\(.?)|[${}~%#_^&]", raw, re.DOTALL):
            if match[1] is None or match[1] not in tuple("_%#&${} "):
                instead = "; write \\" + match[0] if match[0] in "_#%&" else ""
                message = f"{match[0]!r} within \\text: only words may stand there{instead}"
                raise FormulaError(start + match.start(), message)
        words = re.sub(r"\\(.)", r"\1", re.sub(r"\s+", " ", raw))
        return Atom(quoted(words), words.strip())

    def _on_operator(self, token: Token) -> Atom:
        raw, start = self._raw_group(token)
        match = re.search(r"[^A-Za-z0-9\s,\\_-]|\\(?![,_])", raw)
        if match:
            raise FormulaError(
                start + match.start(),
                f"{match[0]!r} within \\{token.text}: only letters may stand there",
            )
        words = re.sub(r"\s", "", raw).replace("\\,", " ").replace("\\_", "_")
        typst = f"op({quoted(words)})"
        starred = token.text.endswith("*")
        return Atom(f"limits({typst})" if starred else typst, words, large=starred)

    def _on_over(self, token: Token) -> Atom:
        extra, base = self._argument(token), self._argument(token)
        side = "b" if token.text == "underset" else "t"
        word = "below" if side == "b" else "above"
        typst = f"attach(limits({base.typst or _EMPTY}), {side}: {extra.typst or _EMPTY})"
        return Atom(typst, f"{base.spoken} with {extra.spoken} {word}")

    def _on_brace(self, token: Token) -> Atom:
        inner = self._argument(token)
        self._skip_space()
        extra = None
        if self._peek().text == _BRACES[token.text] and self._peek().kind in ("sub", "sup"):
            extra = self._argument(self._take())
        tail = f", {extra.typst or _EMPTY}" if extra else ""
        spoken = f"{inner.spoken}, braced{' as ' + extra.spoken if extra else ''},"
        return Atom(f"{token.text}({inner.typst or _EMPTY}{tail})", spoken)

    def _on_class(self, token: Token) -> Atom:
        return self._argument(token).inside(f'class("{_CLASSES[token.text]}", {{}})')

    def _on_mathop(self, token: Token) -> Atom:
        inner = self._argument(token)
        return Atom(f"limits(op({inner.typst or _EMPTY}))", inner.spoken, large=True)

    def _on_mod(self, token: Token) -> Atom:
        if token.text == "bmod":
            return Atom('class("binary", "mod")', "mod")
        inner = self._argument(token)
        return Atom(f'quad\\("mod"thick {inner.typst}\\)', f"modulo {inner.spoken}")

    def _on_colon(self, token: Token) -> Atom:
        return Atom('class("punctuation", \\:)', ":")

    def _on_not(self, token: Token) -> Atom:
        self._skip_space()
        what = self._take()
        if what.text not in table.NEGATED:
            raise FormulaError(
                token.at, r"\not stands before = < > \in \subset \subseteq \equiv \sim and the like"
            )
        return Atom(
            table.NEGATED[what.text], "not " + (_CHARS.get(what.text) or _symbol_row(what.text))[1]
        )

    def _on_left(self, token: Token) -> Atom:
        opening, before = self._delimiter(token)
        parts = [self._row()]
        while self._peek().is_command("middle"):
            bar, spoken = self._delimiter(self._take())
            parts += [Atom(f"mid({bar})", spoken), self._row()]
        if not self._peek().is_command("right"):
            raise FormulaError(token.at, r"this \left has no \right")
        closing, after = self._delimiter(self._take())
        inner = join(parts)
        typst = join([Atom(opening), inner, Atom(closing)]).typst
        return Atom(f"lr({typst})", f"{before} {inner.spoken} {after}".strip())

    # environments

    def _environment_name(self) -> str:
        r"""The name behind ``\begin``; the parser stays before it."""
        mark = self._next
        name, _ = self._raw_group(self._take())
        self._next = mark
        return name

    def _on_begin(self, token: Token) -> Atom:
        name, start = self._raw_group(token)
        if name in table.ALIGNED:
            raise FormulaError(
                token.at,
                f"{name!r} has to be the whole formula: use 'cases' or a matrix within one",
            )
        if name not in table.MATRICES and name != "cases":
            known = {*table.MATRICES, *table.ALIGNED, "cases"}
            raise FormulaError(start, f"unknown environment {name!r}{did_you_mean(name, known)}")
        align = ""
        if name == "array":
            columns, at = self._raw_group(token)
            bad = re.search(r"[^lcr\s]", columns)
            if bad:
                message = f"{bad[0]!r} in an array's columns: only l, c and r are set"
                raise FormulaError(at + bad.start(), message)
            sides = set(columns.split()[0]) if columns.split() else {"c"}
            if len(sides) > 1 or not columns.strip():
                raise FormulaError(at, "an array's columns all stand on one side: write {lll}, say")
            align = {"l": "align: alignleft, ", "r": "align: alignright, "}.get(sides.pop(), "")
        rows = self._rows(name, token)
        spoken = "; ".join(", ".join(cell.spoken for cell in row) for row in rows)
        if name == "cases":
            lines = ", ".join("&quad ".join(cell.typst for cell in row) or _EMPTY for row in rows)
            return Atom(f"cases({lines})", f"cases: {spoken}; end cases")
        lines = "; ".join(", ".join(cell.typst or _EMPTY for cell in row) for row in rows)
        delimiter = table.MATRICES[name]
        shown = f'"{delimiter}"' if delimiter else "nodelim"
        typst = f"mat(delim: {shown}, {align}{lines})"
        if name == "smallmatrix":
            typst = f"script({typst})"
        return Atom(typst, f"matrix: {spoken}; end matrix")

    def _aligned(self) -> Atom:
        token = self._take()
        name, _ = self._raw_group(token)
        if not self._block:
            raise FormulaError(token.at, f"{name!r} needs room: set the formula apart with $$")
        rows = self._rows(name, token)
        typst = " \\ ".join("&".join(cell.typst for cell in row) for row in rows)
        return Atom(typst, "; ".join(" ".join(cell.spoken for cell in row) for row in rows))

    def _rows(self, name: str, begin: Token) -> list[list[Atom]]:
        rows: list[list[Atom]] = [[]]
        while True:
            rows[-1].append(self._row())
            token = self._take()
            if token.is_command("\\", "cr"):
                self._row_space(token)
                rows.append([])
            elif token.is_command("end"):
                ended, at = self._raw_group(token)
                if ended != name:
                    raise FormulaError(at, f"\\begin{{{name}}} ends with \\end{{{ended}}}")
                break
            elif token.kind != "cell":
                raise FormulaError(begin.at, f"\\begin{{{name}}} has no \\end{{{name}}}")
        if len(rows) > 1 and not any(cell.typst for cell in rows[-1]):
            rows.pop()
        return rows

    def _row_space(self, token: Token) -> None:
        r"""``\\[2pt]``: the space between rows is Typst's."""
        if self._peek().kind == "char" and self._peek().text == "[":
            match = _ROW_SPACE.match(self._tex, self._peek().at)
            if match is None:
                raise FormulaError(
                    token.at, r"'[' right behind \\ is read as a length: write \\ {}["
                )
            while self._peek().at < match.end():
                self._take()


_EMPTY = '""'
_HANDLERS = (
    dict.fromkeys(_FRACTIONS, "fraction")
    | dict.fromkeys(("binom", "dbinom", "tbinom"), "binom")
    | dict.fromkeys(_TEXTS, "text")
    | dict.fromkeys(("operatorname", "operatorname*"), "operator")
    | dict.fromkeys(("overset", "underset", "stackrel"), "over")
    | dict.fromkeys(_BRACES, "brace")
    | dict.fromkeys(_CLASSES, "class")
    | dict.fromkeys(("bmod", "pmod"), "mod")
    | {name: name for name in ("sqrt", "mathop", "colon", "not", "left", "begin")}
)


def _bracket(char: str) -> str:
    """A character of which Typst would look for the partner, escaped; any other as it is."""
    return f"\\{char}" if char in "{}[]⟨⟩⌊⌋⌈⌉" else char


def _symbol_row(name: str) -> tuple[str, str]:
    return table.SYMBOLS.get(name, (name, name))


def _symbol(name: str) -> Atom:
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
    return Atom(_bracket(char), spoken, large=name in table.LARGE)


def _limit_name(name: str) -> str:
    return {"limsup": "lim sup", "liminf": "lim inf"}.get(name, name)


def _attach(base: Atom, scripts: dict[str, Atom], primes: int) -> Atom:
    if not scripts and not primes:
        return base
    above, below = scripts.get("^"), scripts.get("_")
    top = "\u2032" * primes + (above.typst if above else "")
    parts = [base.typst or _EMPTY]
    if top or above:
        parts.append(f"t: {top or _EMPTY}")
    if below:
        parts.append(f"b: {below.typst or _EMPTY}")
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


def _unknown(name: str) -> str:
    instead = table.INSTEAD.get(name)
    if instead:
        return f"\\{name} is not set: {instead}"
    known = {f"\\{word}" for word in KNOWN if word.isalpha()}
    hint = did_you_mean(f"\\{name}", known).replace("\\\\", "\\")
    return f"unknown command \\{name}{hint}"
