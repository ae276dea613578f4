"""Pygments' lexers, run faster: one regular expression a state instead of one a rule.

A lexer of Pygments tries the rules of its state one after another, some seventy for Python, until
one fits. Here they are tried at once, as the alternatives of one expression, in the same order:
the first that fits is the same rule. A lexer that works in another way runs as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from pygments.lexer import Lexer, RegexLexer
from pygments.token import STANDARD_TYPES, Error, Whitespace, _TokenType

Piece: TypeAlias = tuple[str, str]
"""A class of Pygments (empty for none) and characters."""

_FLAGS_FIRST = re.compile(r"\(\?([aimsu]+)\)(.*)", re.DOTALL)
_COUNTS_GROUPS = re.compile(r"\\[1-9]|\(\?P[=<]|\(\?\(|\(\?[aimsu]*x")
"""A reference to a group, or a flag under which a comment could hide what is put behind it."""


class _Rule(NamedTuple):
    """``name`` is the class of what fits; None where ``action``, if any, cuts it further."""

    match: Callable[[str, int], re.Match[str] | None]
    name: str | None
    action: Any
    go: Any


class _State(NamedTuple):
    """``match`` tries every rule; the ``lastindex`` of what it finds is the rule's key."""

    match: Callable[[str, int], re.Match[str] | None]
    rules: dict[int | None, _Rule]


def pieces(lexer: Lexer, code: str) -> Iterator[Piece]:
    """The code in the pieces that ``lexer.get_tokens_unprocessed`` finds."""
    if is_combined(lexer):
        return _run(lexer, code)
    return ((class_of(kind), value) for _, kind, value in lexer.get_tokens_unprocessed(code))


def is_combined(lexer: Lexer) -> TypeGuard[RegexLexer]:
    """Whether the lexer's rules can be tried at once; some keep rules of their own."""
    return isinstance(lexer, RegexLexer) and "_tokens" not in vars(lexer) and _combines(type(lexer))


@lru_cache(maxsize=256)
def class_of(kind: _TokenType) -> str:
    """Pygments' short class of a token, or that of the next more general one."""
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    return STANDARD_TYPES.get(kind, "")


@lru_cache(maxsize=64)
def _combines(lexer: type[RegexLexer]) -> bool:
    """Whether the rules of a lexer mean the same as alternatives of one expression."""
    return (
        lexer.get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed
        and not lexer.flags & re.VERBOSE
        and not any(
            _COUNTS_GROUPS.search(match.__self__.pattern)
            for state in lexer._tokens  # type: ignore[attr-defined]  # made by its metaclass
            for match, _, _ in lexer._tokens[state]  # type: ignore[attr-defined]  # the same
        )
    )


@lru_cache(maxsize=1024)
def _state(lexer: type[RegexLexer], name: str) -> _State:
    """A state of a lexer, its rules put together."""
    alternatives, rules, groups = [], {}, 0
    for match, action, go in lexer._tokens[name]:  # type: ignore[attr-defined]  # the same
        pattern = match.__self__
        text = _FLAGS_FIRST.sub(r"(?\1:\2)", pattern.pattern, count=1)
        # The empty group tells which rule it was. It stands behind, so that the expression's
        # first characters are seen by `re`, which passes over what cannot begin here.
        alternatives.append(f"(?:{text})()")
        groups += pattern.groups + 1
        name_ = class_of(action) if type(action) is _TokenType else None
        rules[groups] = _Rule(match, name_, action, go)
    return _State(re.compile("|".join(alternatives), lexer.flags).match, rules)


def _run(lexer: RegexLexer, code: str) -> Iterator[Piece]:
    kind, stack, at = type(lexer), ["root"], 0
    match, rules = _state(kind, "root")
    while True:
        found = match(code, at)
        if found is None:
            if at == len(code):
                return
            if code[at] == "\n":  # what began in this line ends with it
                stack = ["root"]
                match, rules = _state(kind, "root")
            yield class_of(Whitespace if code[at] == "\n" else Error), code[at]
            at += 1
            continue
        rule = rules[found.lastindex]
        end = found.end()
        if rule.name is not None:
            yield rule.name, code[at:end]
        elif rule.action is not None:
            for _, token, value in rule.action(lexer, rule.match(code, at)):
                yield class_of(token), value
        at = end
        if rule.go is not None:
            _go(stack, rule.go)
            match, rules = _state(kind, stack[-1])


def _go(stack: list[str], to: Any) -> None:
    """Change the stack of states as a rule asks: Pygments' own words for it.

    A number below 0 takes as many states off, but for the last; names are put on top.
    """
    if isinstance(to, int):
        del stack[max(1, len(stack) + to if to < 0 else to) :]
        return
    for name in (to,) if isinstance(to, str) else to:
        if name == "#push":
            stack.append(stack[-1])
        elif name != "#pop":
            stack.append(name)
        elif len(stack) > 1:
            stack.pop()
