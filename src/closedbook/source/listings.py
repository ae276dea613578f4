"""``code`` on a card: literal text, or the source of a definition in ``generators/``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from closedbook.model.bank import Generator, Listing
from closedbook.model.kinds import Content, Trap
from closedbook.model.kinds.base import CodeOf
from closedbook.model.origin import Loc
from closedbook.problem import did_you_mean
from closedbook.source.names import hint
from closedbook.source.values import Found, Mistake

_BEGIN = re.compile(r"^\s*#\s*part:\s*(?P<name>\S.*?)\s*$")
_END = re.compile(r"^\s*#\s*end:\s*(?P<name>\S.*?)\s*$")


def listings_of(
    content: Content, generators: Mapping[str, Generator], found: Found
) -> dict[Loc, Listing]:
    """The code that a card prints, by its place; what is wrong with it goes into ``found``."""
    listings: dict[Loc, Listing] = {}
    for loc, code in _codes(content):
        if isinstance(code, str):
            listings[loc] = Listing(code)
            continue
        try:
            listings[loc] = _listing(code, generators)
        except Mistake as mistake:
            found.add(loc, mistake)
    return listings


def _codes(content: Content) -> Iterator[tuple[Loc, str | CodeOf]]:
    if content.code is not None:
        yield ("code",), content.code
    if isinstance(content, Trap):
        yield ("fix", "code"), content.fix.code


def _listing(code: CodeOf, generators: Mapping[str, Generator]) -> Listing:
    generator = generators.get(code.of)
    if generator is None:
        message = f"nothing that generators/ marks is called {code.of!r}{hint(code.of, generators)}"
        raise Mistake(message, "of")
    if code.lines is not None and code.part is not None:
        raise Mistake("'lines' and 'part' both say what to show: give one of them", "part")
    lines = generator.source.rstrip("\n").split("\n")  # of Python's line ends, not of Unicode's
    if code.part is not None:
        lines = _part(lines, code.part, code.of)
    else:
        lines = [line for line in lines if not _BEGIN.match(line) and not _END.match(line)]
    if code.lines is not None:
        first, last = (int(number[:9]) for number in code.lines.split(".."))
        if not 1 <= first <= last <= len(lines):
            raise Mistake(
                f"{code.of} has lines 1 to {len(lines)}; {code.lines} is not among them", "lines"
            )
        lines = lines[first - 1 : last]
    return Listing(_dedented(lines), of=code.of)


def _part(lines: list[str], name: str, of: str) -> list[str]:
    """The lines between ``# part: NAME`` and ``# end: NAME``, inner markers left out."""
    names = [match["name"] for line in lines if (match := _BEGIN.match(line))]
    if name not in names:
        known = f"; it has {', '.join(names)}" if names else ""
        raise Mistake(f"{of} has no '# part: {name}'{did_you_mean(name, names) or known}", "part")
    shown: list[str] = []
    inside = False
    for line in lines:
        begin, end = _BEGIN.match(line), _END.match(line)
        if begin and begin["name"] == name:
            inside = True
        elif end and end["name"] == name and inside:
            return shown
        elif inside and not begin and not end:
            shown.append(line)
    raise Mistake(f"'# part: {name}' of {of} has no '# end: {name}'", "part")


def _dedented(lines: list[str]) -> str:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    cut = min(indents, default=0)
    return "\n".join(line[cut:] for line in lines).strip("\n") + "\n"
