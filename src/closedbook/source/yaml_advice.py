"""What the YAML parser found, in words that say what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from yaml.error import MarkedYAMLError

from closedbook.source.fault import Fault, taken_for
from closedbook.source.quotes import runaway_quote

_VALUE = re.compile(r"^\s*(?:- +)*(?:[^\s:#'\"{\[][^:#]*:[ \t]+|- +)?(?P<value>\S.*)$")
_AFTER_QUOTE = re.compile(r"""^(?P<quote>["']).*(?P=quote)\s*(?P<tail>[^\s,:}\]#].*)$""")
_AFTER_BRACKET = re.compile(r"^(?:\[[^\]]*\]|\{[^}]*\})\s*(?P<tail>[^\s,:}\]#].*)$")
_INDENTATION = "this line does not fit the indentation of the lines before it"


@dataclass(frozen=True, slots=True)
class _Trouble:
    """An error of the parser: its words, and where in the text it was noticed and had begun."""

    text: str
    words: str
    at: int
    began: int

    @property
    def char(self) -> str:
        """The character at which the parser stopped."""
        return self.text[self.at : self.at + 1]

    @property
    def line(self) -> tuple[int, str]:
        """The line at which it stopped, and where that begins."""
        start = max(self.text.rfind("\n", 0, self.at), self.text.rfind("\r", 0, self.at)) + 1
        return start, re.split(r"[\r\n]", self.text[start:], maxsplit=1)[0]


def advise(text: str, error: MarkedYAMLError) -> Fault:
    """The fault that an error of the parser stands for."""
    mark = error.problem_mark or error.context_mark
    at = min(mark.index if mark else 0, len(text))
    began = min(error.context_mark.index, len(text)) if error.context_mark else at
    words = f"{error.problem or ''} ({error.context})" if error.context else error.problem or ""
    if (quote := runaway_quote(text, at)) is not None:
        return quote
    trouble = _Trouble(text, words, at, began)
    for part, rule in _RULES:
        fault = rule(trouble) if part in words else None
        if fault is not None:
            return fault
    return Fault(at, f"this is not YAML: {words}")


def _begins(trouble: _Trouble) -> Fault:
    """A character that cannot begin a value."""
    if trouble.char == "\t":
        return _tab(trouble)
    return Fault(
        trouble.at,
        f"a text cannot begin with {trouble.char} in YAML: put it in quotes, or write it under |",
    )


def _tab(trouble: _Trouble) -> Fault:
    at = trouble.text.find("\t", trouble.line[0])
    return Fault(at if at >= 0 else trouble.at, "a tab: YAML is indented with spaces")


def _unclosed(trouble: _Trouble) -> Fault | None:
    if trouble.text[trouble.began : trouble.began + 1] not in ('"', "'"):
        return None
    return Fault(trouble.began, "this quote is never closed")


def _alias(trouble: _Trouble) -> Fault:
    at = trouble.at - 1 if trouble.text[trouble.at - 1 : trouble.at] == "*" else trouble.at
    return Fault(min(at, trouble.began), taken_for("*", "an alias"))


def _anchor(trouble: _Trouble) -> Fault:
    return Fault(trouble.began, taken_for("&", "an anchor"))


def _escape(trouble: _Trouble) -> Fault:
    at = trouble.at if trouble.char == "\\" else trouble.at - 1
    escape = trouble.text[at : at + 2]
    return Fault(
        at, f"{escape} means nothing in double quotes: use single quotes, or write it under |"
    )


def _value(trouble: _Trouble) -> Fault | None:
    """A value that YAML began to read as something else, told by its line."""
    start, line = trouble.line
    found = _VALUE.match(line)
    if found is None:
        return None
    at, written = start + found.start("value"), found["value"]
    if written.startswith(("{{", "{%")):
        return Fault(at, taken_for(written[:2], "a mapping"))
    tail = _AFTER_QUOTE.match(written)
    if tail is not None:
        return Fault(
            at + tail.start("tail"),
            "the text goes on after its closing quote: quote all of it, or write it under |",
        )
    if _AFTER_BRACKET.match(written):
        what = "a list" if written[0] == "[" else "a mapping"
        return Fault(at, taken_for(written[0], what))
    return None


def _unfinished(trouble: _Trouble) -> Fault:
    bracket = trouble.text[trouble.began : trouble.began + 1]
    message = f"this {bracket} is never closed (or quote a text that begins with {bracket})"
    return Fault(trouble.began, message)


def _content(trouble: _Trouble) -> Fault:
    """Where a value should begin, and none does."""
    if trouble.char.strip():
        return _begins(trouble)
    opened = trouble.text[trouble.began : trouble.began + 1] in ("[", "{")
    return _unfinished(trouble) if opened else Fault(trouble.at, "a value is missing here")


def _colon(trouble: _Trouble) -> Fault:
    start, line = trouble.line
    if re.search(r":\s", line[: trouble.at - start]):
        return Fault(trouble.at, "a text that holds ': ' goes in quotes, or under |")
    return Fault(trouble.at, _INDENTATION)


def _says(message: str, *, began: bool = False) -> Callable[[_Trouble], Fault]:
    """A rule that always says the same."""
    return lambda trouble: Fault(trouble.began if began else trouble.at, message)


_RULES: tuple[tuple[str, Callable[[_Trouble], Fault | None]], ...] = (
    ("cannot start any token", _begins),
    ("tab character", _tab),
    ("unexpected end of stream", _unclosed),
    ("document indicator", _unclosed),
    ("maximum nesting depth", _says("nested too deeply")),
    ("alias", _alias),
    ("anchor", _anchor),
    ("unknown escape", _escape),
    ("another document", _says("a file holds one document: remove the line ---")),
    ("directive", _says(
        "a line cannot begin with % in YAML: indent the text, or quote it", began=True
    )),
    ("tag", _says(taken_for("!", "a tag"), began=True)),
    ("comment or line break", _says("after | or > the text begins on the next line, indented")),
    ("entries are not allowed", _says(
        "a list begins on a line of its own (or quote a text that begins with -)"
    )),
    ("", _value),
    ("mapping values are not allowed", _colon),
    ("',' or ']'", _unfinished),
    ("',' or '}'", _unfinished),
    ("expected key", _says(_INDENTATION)),
    ("'-' indicator", _says(_INDENTATION)),
    ("document start", _says(_INDENTATION)),
    ("expected node content", _content),
)  # fmt: skip
"""The words that the parser uses, and what they come from; the first rule that knows wins."""
