"""The commands that take something: fractions, roots, fonts, delimiters, text.

To add one, write its function and give it a row in :data:`HANDLERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from closedbook.problem import did_you_mean
from closedbook.render.latex import symbols as table
from closedbook.render.latex.atoms import (
    EMPTY,
    Atom,
    FormulaError,
    bracket,
    join,
    quoted,
    spoken_of,
    symbol,
)
from closedbook.render.latex.environments import environment
from closedbook.render.latex.lex import Token

if TYPE_CHECKING:
    from closedbook.render.latex.parser import Parser

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
STYLES = {"displaystyle": "display", "textstyle": "inline", "scriptstyle": "script"}
_FRACTIONS = {"frac": "{}", "dfrac": "display({})", "tfrac": "inline({})", "cfrac": "display({})"}
_BRACES = {"underbrace": "_", "overbrace": "^"}
_TEXTS = frozenset({"text", "textrm", "textnormal"})


def command(parser: Parser, token: Token) -> Atom:
    """What a command stands for. Raises :class:`FormulaError` where it is not known."""
    name = token.text
    if name in table.SYMBOLS:
        return symbol(name)
    if name in table.SPACES:
        return Atom(table.SPACES[name])
    if name in table.FUNCTIONS:
        return Atom(f"op({quoted(name)})", name)
    if name in table.LIMITS:
        return Atom(f"limits(op({quoted(_limit_name(name))}))", _limit_name(name), large=True)
    if name in table.FONTS:
        return _font(parser, token)
    if name in table.ACCENTS:
        inner = parser.argument(token)
        return Atom(table.ACCENTS[name].format(inner.typst or '""'), f"{inner.spoken} {name}")
    if name in _ESCAPED:
        return Atom(_ESCAPED[name], name)
    if name == "|":
        return Atom('class("normal", ‖)', "double bar")
    if match := _BIG.fullmatch(name):
        return _big(parser, token, *match.groups())
    if name in HANDLERS:
        return HANDLERS[name](parser, token)
    raise FormulaError(token.at, _unknown(name))


def _font(parser: Parser, token: Token) -> Atom:
    parser.skip_space()
    if parser.peek().kind == "open":
        mark = parser.mark
        raw, _ = parser.raw_group(token)
        if re.fullmatch(r"(?:[A-Za-z0-9\s]|\\_)*", raw) and len(raw) > 1:
            word = re.sub(r"\s", "", raw).replace("\\_", "_")
            typst = table.FONTS[token.text].format(quoted(word))
            return Atom(typst, table.FONT_WORDS.get(token.text, "") + word)
        parser.back(mark)
    inner = parser.argument(token)
    spoken = table.FONT_WORDS.get(token.text, "") + inner.spoken
    return Atom(table.FONTS[token.text].format(inner.typst or '""'), spoken)


def _big(parser: Parser, token: Token, size: str, side: str) -> Atom:
    mark, spoken = delimiter(parser, token)
    if not mark:
        raise FormulaError(token.at, f"\\{token.text} needs a delimiter, not a dot")
    return Atom(f'class("{_SIDES[side]}", big{_SIZES[size]}({mark}))', spoken)


def delimiter(parser: Parser, of: Token) -> tuple[str, str]:
    """The delimiter behind a command, for Typst and aloud; empty for a dot."""
    parser.skip_space()
    token = parser.take()
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
            return bracket(char), spoken
    what = f"\\{token.text}" if token.kind == "command" else token.text
    raise FormulaError(
        token.at, f"\\{of.text} needs a delimiter such as ( [ \\{{ | \\langle, not {what!r}"
    )


def _on_fraction(parser: Parser, token: Token) -> Atom:
    over, under = parser.two_arguments(token)
    frame = _FRACTIONS[token.text]
    typst = frame.format(f"frac({over.typst or EMPTY}, {under.typst or EMPTY})")
    return Atom(typst, f"the fraction {over.spoken} over {under.spoken}, end fraction")


def _on_binom(parser: Parser, token: Token) -> Atom:
    over, under = parser.two_arguments(token)
    typst = f"binom({over.typst or EMPTY}, {under.typst or EMPTY})"
    frame = {"dbinom": "display({})", "tbinom": "inline({})"}.get(token.text, "{}")
    return Atom(frame.format(typst), f"{over.spoken} choose {under.spoken}")


def _on_sqrt(parser: Parser, token: Token) -> Atom:
    parser.skip_space()
    index = None
    if parser.peek().kind == "char" and parser.peek().text == "[":
        opening = parser.take()
        atoms = []
        while not (parser.peek().kind == "char" and parser.peek().text == "]"):
            if parser.at_stop():
                raise FormulaError(opening.at, "this '[' is not closed")
            atoms.append(parser.scripted())
            parser.skip_space()
        parser.take()
        index = join(atoms)
    inner = parser.argument(token)
    body = inner.typst or EMPTY
    if index is None:
        return Atom(f"sqrt({body})", f"the square root of {inner.spoken}, end root")
    return Atom(
        f"root({index.typst}, {body})", f"the root {index.spoken} of {inner.spoken}, end root"
    )


def _on_text(parser: Parser, token: Token) -> Atom:
    raw, start = parser.raw_group(token)
    for match in re.finditer(r"\\(.?)|[${}~%#_^&]", raw, re.DOTALL):
        if match[1] is None or match[1] not in tuple("_%#&${} "):
            instead = "; write \\" + match[0] if match[0] in "_#%&" else ""
            message = f"{match[0]!r} within \\text: only words may stand there{instead}"
            raise FormulaError(start + match.start(), message)
    words = re.sub(r"\\(.)", r"\1", re.sub(r"\s+", " ", raw))
    return Atom(quoted(words), words.strip())


def _on_operator(parser: Parser, token: Token) -> Atom:
    raw, start = parser.raw_group(token)
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


def _on_over(parser: Parser, token: Token) -> Atom:
    extra, base = parser.two_arguments(token)
    side = "b" if token.text == "underset" else "t"
    word = "below" if side == "b" else "above"
    typst = f"attach(limits({base.typst or EMPTY}), {side}: {extra.typst or EMPTY})"
    return Atom(typst, f"{base.spoken} with {extra.spoken} {word}")


def _on_brace(parser: Parser, token: Token) -> Atom:
    inner = parser.argument(token)
    parser.skip_space()
    extra = None
    if parser.peek().text == _BRACES[token.text] and parser.peek().kind in ("sub", "sup"):
        extra = parser.argument(parser.take())
    tail = f", {extra.typst or EMPTY}" if extra else ""
    spoken = f"{inner.spoken}, braced{' as ' + extra.spoken if extra else ''},"
    return Atom(f"{token.text}({inner.typst or EMPTY}{tail})", spoken)


def _on_class(parser: Parser, token: Token) -> Atom:
    return parser.argument(token).inside(f'class("{_CLASSES[token.text]}", {{}})')


def _on_mathop(parser: Parser, token: Token) -> Atom:
    inner = parser.argument(token)
    return Atom(f"limits(op({inner.typst or EMPTY}))", inner.spoken, large=True)


def _on_mod(parser: Parser, token: Token) -> Atom:
    if token.text == "bmod":
        return Atom('class("binary", "mod")', "mod")
    inner = parser.argument(token)
    return Atom(f'quad\\("mod"thick {inner.typst}\\)', f"modulo {inner.spoken}")


def _on_colon(parser: Parser, token: Token) -> Atom:
    return Atom('class("punctuation", \\:)', ":")


def _on_not(parser: Parser, token: Token) -> Atom:
    parser.skip_space()
    what = parser.take()
    if what.text not in table.NEGATED:
        raise FormulaError(
            token.at, r"\not stands before = < > \in \subset \subseteq \equiv \sim and the like"
        )
    return Atom(table.NEGATED[what.text], f"not {spoken_of(what.text)}")


def _on_left(parser: Parser, token: Token) -> Atom:
    opening, before = delimiter(parser, token)
    parts = [parser.row()]
    while parser.peek().is_command("middle"):
        bar, spoken = delimiter(parser, parser.take())
        parts += [Atom(f"mid({bar})", spoken), parser.row()]
    if not parser.peek().is_command("right"):
        raise FormulaError(token.at, r"this \left has no \right")
    closing, after = delimiter(parser, parser.take())
    inner = join(parts)
    typst = join([Atom(opening), inner, Atom(closing)]).typst
    return Atom(f"lr({typst})", f"{before} {inner.spoken} {after}".strip())


_Handler = Callable[["Parser", Token], Atom]
HANDLERS: Mapping[str, _Handler] = (
    dict.fromkeys(_FRACTIONS, _on_fraction)
    | dict.fromkeys(("binom", "dbinom", "tbinom"), _on_binom)
    | dict.fromkeys(_TEXTS, _on_text)
    | dict.fromkeys(("operatorname", "operatorname*"), _on_operator)
    | dict.fromkeys(("overset", "underset", "stackrel"), _on_over)
    | dict.fromkeys(_BRACES, _on_brace)
    | dict.fromkeys(_CLASSES, _on_class)
    | dict.fromkeys(("bmod", "pmod"), _on_mod)
    | {
        "sqrt": _on_sqrt,
        "mathop": _on_mathop,
        "colon": _on_colon,
        "not": _on_not,
        "left": _on_left,
        "begin": environment,
    }
)
_KNOWN = frozenset(
    {*table.SYMBOLS, *table.FUNCTIONS, *table.LIMITS, *table.SPACES, *table.FONTS}
    | {*table.ACCENTS, *STYLES, *HANDLERS, "right", "middle", "end", "limits", "nolimits"}
    | {f"{size}{side}" for size in _SIZES for side in _SIDES}
)


def _limit_name(name: str) -> str:
    return {"limsup": "lim sup", "liminf": "lim inf"}.get(name, name)


def _unknown(name: str) -> str:
    instead = table.INSTEAD.get(name)
    if instead:
        return f"\\{name} is not set: {instead}"
    known = {f"\\{word}" for word in _KNOWN if word.isalpha()}
    hint = did_you_mean(f"\\{name}", known).replace("\\\\", "\\")
    return f"unknown command \\{name}{hint}"
