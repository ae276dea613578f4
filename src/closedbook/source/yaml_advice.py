"""What the YAML parser found, in words that say what to write instead."""

from __future__ import annotations

import re

from yaml.error import MarkedYAMLError

from closedbook.source.fault import Fault, taken_for

_VALUE = re.compile(r"^\s*(?:- +)*(?:[^\s:#'\"{\[][^:#]*:[ \t]+|- +)?(?P<value>\S.*)$")
_QUOTED_TAIL = re.compile(r"""^(?P<quote>["']).*(?P=quote)\s*(?P<tail>[^\s,:}\]#].*)$""")


def advise(text: str, error: MarkedYAMLError) -> Fault:
    """The fault that an error of the parser stands for."""
    mark = error.problem_mark or error.context_mark
    at = min(mark.index if mark else 0, len(text))
    problem = error.problem or ""
    context_at = error.context_mark.index if error.context_mark else at
    for rule in (_by_character, _by_problem, _by_line):
        fault = rule(text, at, problem, context_at)
        if fault is not None:
            return fault
    where = f" ({error.context})" if error.context else ""
    return Fault(at, f"this is not YAML: {problem}{where}")


def _by_character(text: str, at: int, problem: str, context_at: int) -> Fault | None:
    """A character that cannot begin a value."""
    if "cannot start any token" not in problem:
        return None
    char = text[at : at + 1]
    if char == "\t":
        return Fault(at, "a tab: YAML is indented with spaces")
    return Fault(
        at, f"a text cannot begin with {char} in YAML: put it in quotes, or write it under |"
    )


def _by_problem(text: str, at: int, problem: str, context_at: int) -> Fault | None:
    """Problems whose words say enough."""
    if "unexpected end of stream" in problem and text[context_at : context_at + 1] in "\"'":
        return Fault(context_at, "this quote is never closed")
    if "maximum nesting depth" in problem:
        return Fault(at, "nested too deep")
    if "undefined alias" in problem:
        return Fault(
            at,
            taken_for("*", "an alias"),
        )
    if "unknown escape character" in problem:
        at -= text[at : at + 1] != "\\"
        escape = text[at : at + 2]
        return Fault(
            at, f"{escape} means nothing in double quotes: use single quotes, or write it under |"
        )
    if "another document" in problem:
        return Fault(at, "a file holds one document: remove the line ---")
    if "unknown directive" in problem:
        return Fault(context_at, "a line cannot begin with % in YAML: indent the text, or quote it")
    if "tag" in problem:
        return Fault(
            context_at,
            taken_for("!", "a tag"),
        )
    if "comment or line break" in problem:
        return Fault(at, "after | or > the text begins on the next line, indented")
    if "entries are not allowed" in problem:
        return Fault(at, "a list begins on a line of its own (or quote a text that begins with -)")
    return None


def _by_line(text: str, at: int, problem: str, context_at: int) -> Fault | None:
    """Problems that show in the line where they were found, or in the one before it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)].rstrip("\r")
    value = _VALUE.match(line)
    if value is not None:
        begin = start + value.start("value")
        written = value["value"]
        if written.startswith(("{{", "{%")):
            return Fault(
                begin,
                taken_for(written[:2], "a mapping"),
            )
        tail = _QUOTED_TAIL.match(written)
        if tail is not None and "did not find expected" in problem:
            return Fault(
                start + value.start("value") + tail.start("tail"),
                "the text goes on after its closing quote: quote all of it, or write it under |",
            )
    if "mapping values are not allowed" in problem:
        return _colon(text, at, line, start)
    if "',' or ']'" in problem:
        return Fault(context_at, "this [ is never closed (or quote a text that begins with [)")
    if "',' or '}'" in problem:
        return Fault(context_at, "this { is never closed (or quote a text that begins with {)")
    if "expected key" in problem or "'-' indicator" in problem or "document start" in problem:
        return Fault(at, "this line does not fit the indentation of the lines before it")
    if "expected node content" in problem:
        return Fault(at, f"a text cannot begin with {text[at : at + 1]} in YAML: put it in quotes")
    return None


def _colon(text: str, at: int, line: str, start: int) -> Fault:
    before = line[: at - start]
    if re.search(r":\s", before):
        return Fault(at, "a text that holds ': ' goes in quotes, or under |")
    return Fault(at, "this line does not fit the indentation of the lines before it")
