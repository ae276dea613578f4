"""The texts of a card that varies: Jinja in a sandbox, and only as much of it as cards need."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from closedbook.model.bank import Draw
from closedbook.model.gaps import GAP, GAPS_AT, near_gaps
from closedbook.model.origin import Loc
from closedbook.problem import did_you_mean

MAX_BITS = 4096
"""The size of a number that an expression may make."""

MARKS = ("{{", "{%", "{#")
_SEPARATOR = "\0"  # no text holds one: reading refuses control characters
_FUNCTIONS: dict[str, Any] = {"abs": abs, "len": len, "max": max, "min": min, "sum": sum}
_FILTERS = frozenset(
    {"abs", "count", "first", "float", "int", "join", "last", "length", "lower", "max", "min",
     "round", "string", "sum", "upper"}
)  # fmt: skip
_TESTS = frozenset({"divisibleby", "eq", "even", "ge", "gt", "in", "le", "lt", "ne", "odd"})
_NODES = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.Name, nodes.Const,
    nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow,
    nodes.Neg, nodes.Pos, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not,
    nodes.CondExpr, nodes.Concat, nodes.Tuple, nodes.List, nodes.Getitem, nodes.Filter,
    nodes.Test, nodes.Call,
)  # fmt: skip


class _Environment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, without its functions, and with bounds on what calculation can make."""

    intercepted_binops = frozenset(["*", "**", "%", "+"])

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Calculate with numbers alone, as long as the result stays small. Raises SecurityError."""
        if operator == "+" and type(left) is type(right):
            return left + right
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            raise SecurityError(f"{operator} is for numbers (join texts with ~)")
        if isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() + right.bit_length()
            if operator == "**":
                bits = left.bit_length() * abs(right)
            if bits > MAX_BITS:
                raise SecurityError(f"{operator} makes too large a number")
        return super().call_binop(context, operator, left, right)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """An item of a list or text by its number: names of attributes are no items."""
        if isinstance(obj, list | tuple | str) and isinstance(argument, int):
            return obj[argument]
        raise SecurityError("only a list and a text have items, by their number")


def _environment() -> _Environment:
    environment = _Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.globals = dict(_FUNCTIONS)
    environment.filters = {n: f for n, f in environment.filters.items() if n in _FILTERS}
    return environment


_ENVIRONMENT = _environment()


@dataclass(frozen=True, slots=True)
class TemplateMistake:
    """What is wrong with one text: at which place of the card, at which character."""

    loc: Loc
    message: str
    offset: int = 0


def is_template(text: str) -> bool:
    """Whether there is anything in a text for Jinja to fill in."""
    return any(mark in text for mark in MARKS)


class Templates:
    """The texts of one card, compiled once, filled in together for each draw."""

    def __init__(self, texts: Sequence[tuple[Loc, str]], names: Sequence[str]) -> None:
        self._texts = [(loc, text, _spare_gaps(text)) for loc, text in texts]
        self.mistakes: list[TemplateMistake] = []
        for loc, text, template in self._texts:
            self.mistakes += _mistakes(loc, text, template, names)
        self._whole: Template | None = None
        if not self.mistakes:
            self._compile()

    def _compile(self) -> None:
        joined = _SEPARATOR.join(template for _, _, template in self._texts)
        try:
            self._whole = _ENVIRONMENT.from_string(joined)
        except (TemplateSyntaxError, SyntaxError, RecursionError, MemoryError):
            for loc, text, template in self._texts:
                self.mistakes += _uncompilable(loc, text, template)
            if not self.mistakes:  # each of them can be compiled, all of them are too much
                self.mistakes = [
                    TemplateMistake((), "the texts of this card are too many to fill in")
                ]

    def fill(self, draw: Draw) -> tuple[list[str], list[TemplateMistake]]:
        """Every text under a draw, in their order; or what goes wrong in which of them."""
        if self._whole is None or not self._texts:
            return [], self.mistakes
        try:
            filled = self._whole.render(draw).split(_SEPARATOR)
        except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError):
            return [], self._failures(draw)
        if len(filled) != len(self._texts):
            return [], self._failures(draw)
        empty = [
            TemplateMistake(loc, "this text is empty for this draw")
            for (loc, _, _), text in zip(self._texts, filled, strict=True)
            if not text.strip()
        ]
        return filled, empty

    def _failures(self, draw: Mapping[str, Any]) -> list[TemplateMistake]:
        """Fill each text for itself, to tell where it goes wrong."""
        mistakes = []
        for loc, text, template in self._texts:
            try:
                if _SEPARATOR in _ENVIRONMENT.from_string(template).render(draw):
                    raise ValueError("a control character (U+0000) cannot stand in a text")
            except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError) as error:
                message = f"this cannot be filled in: {error}"
                mistakes.append(TemplateMistake(loc, message, _first_mark(text)))
        return mistakes


def _mistakes(loc: Loc, text: str, template: str, names: Sequence[str]) -> list[TemplateMistake]:
    """What can be told of one text without a draw."""
    if loc == GAPS_AT and (near := list(near_gaps(text))):
        return [TemplateMistake(loc, message, at) for at, message in near]
    try:
        everything = list(_ENVIRONMENT.parse(template).find_all(nodes.Node))
    except TemplateSyntaxError as error:
        at = _first_mark(text, error.lineno)
        return [TemplateMistake(loc, f"this is no Jinja: {_lower(error.message)}", at)]
    except (RecursionError, MemoryError):
        return [TemplateMistake(loc, "this expression is nested too deeply", _first_mark(text))]
    mistakes: dict[str, TemplateMistake] = {}
    for node in everything:
        _note(mistakes, loc, text, node, _refused(node))
    # Names are looked at where all the rest is as it should be: a loop makes names of its own.
    for node in everything if not mistakes else ():
        _note(mistakes, loc, text, node, _unknown(node, {*names, *_FUNCTIONS}))
    return list(mistakes.values())


def _uncompilable(loc: Loc, text: str, template: str) -> list[TemplateMistake]:
    """What only shows when a text is compiled."""
    try:
        _ENVIRONMENT.from_string(template)
    except TemplateSyntaxError as error:
        at = _first_mark(text, error.lineno)
        return [TemplateMistake(loc, f"this is no Jinja: {_lower(error.message)}", at)]
    except (SyntaxError, RecursionError, MemoryError):
        return [TemplateMistake(loc, "this expression is nested too deeply", _first_mark(text))]
    return []


def _lower(message: str | None) -> str:
    message = (message or "").rstrip(".")
    return message[:1].lower() + message[1:]


def _note(
    mistakes: dict[str, TemplateMistake], loc: Loc, text: str, node: nodes.Node, message: str | None
) -> None:
    if message is not None and message not in mistakes:
        called = node.node if isinstance(node, nodes.Call) else node
        word = getattr(called, "name", None) or getattr(called, "attr", None)
        at = _word_at(text, word, node.lineno)
        mistakes[message] = TemplateMistake(loc, message, at)


def _unknown(node: nodes.Node, known: set[str]) -> str | None:
    if not isinstance(node, nodes.Name) or node.name in known:
        return None
    return f"{node.name!r} is not among the names of 'vary'{did_you_mean(node.name, known)}"


def _refused(node: nodes.Node) -> str | None:
    """Why a piece of a template is not for cards."""
    if isinstance(node, nodes.Call):
        called = node.node
        if isinstance(called, nodes.Name) and called.name in _FUNCTIONS:
            return None
        return f"a text calls no functions but {', '.join(sorted(_FUNCTIONS))}"
    if isinstance(node, nodes.Getattr):
        return f"a value has no {node.attr!r}: draws are numbers and texts"
    if isinstance(node, nodes.Filter) and node.name not in _FILTERS:
        return f"no filter is called {node.name!r}{did_you_mean(node.name, _FILTERS)}"
    if isinstance(node, nodes.Test) and node.name not in _TESTS:
        return f"no test is called {node.name!r}{did_you_mean(node.name, _TESTS)}"
    if isinstance(node, (*_NODES, nodes.Helper)) or type(node) in (nodes.Slice, nodes.Keyword):
        return None
    return "a text holds expressions and {% if %}, no other statements of Jinja"


def _first_mark(text: str, line: int = 1) -> int:
    """The first ``{{`` or ``{%`` at or after a line."""
    start = sum(len(part) for part in text.splitlines(keepends=True)[: max(0, line - 1)])
    found = [at for mark in MARKS if (at := text.find(mark, start)) >= 0]
    return min(found, default=start)


def _word_at(text: str, word: str | None, line: int) -> int:
    """Where a word stands within the braces of a text."""
    start = _first_mark(text, line)
    if word is None:
        return start
    match = re.compile(rf"\b{re.escape(word)}\b").search(text, start)
    return match.start() if match else start


def _spare_gaps(text: str) -> str:
    """A text as Jinja may read it.

    Anki's ``{{c1::…}}`` is literal, and what it encloses is not. ``x^{{{ n }}}`` is an expression
    in LaTeX's braces: of three braces the first is literal.
    """
    if "{{{" not in text and not GAP.search(text):
        return text
    out: list[str] = []
    open_gaps = 0
    at = 0
    while at < len(text):
        gap = GAP.match(text, at)
        if gap is not None:
            open_gaps += 1
            out.append(_literal(gap[0]))
            at = gap.end()
        elif text.startswith("{{{", at):
            out.append(_literal("{"))
            at += 1
        elif text.startswith("{{", at) and (end := text.find("}}", at)) >= 0:
            out.append(text[at : end + 2])
            at = end + 2
        elif open_gaps and text.startswith("}}", at):
            # Of three braces the first belongs to what the gap encloses.
            inner = len(text) > at + 2 and text[at + 2] == "}"
            out.append("}" if inner else _literal("}}"))
            open_gaps -= not inner
            at += 1 if inner else 2
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _literal(text: str) -> str:
    return "{{ '" + text + "' }}"
