"""The code that a card prints is code that its checks run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from closedbook.model.bank import DrawnCard, Generator, Listing
from closedbook.model.claim import Check
from closedbook.verify.plan import is_run
from closedbook.verify.rules.code import lines_of, names_in, tokens
from closedbook.verify.rules.finding import Finding, quoted


def check_listings(drawn: DrawnCard, generators: Mapping[str, Generator]) -> Iterator[Finding]:
    """Each listing that no check of the card runs; that of a fix is run by the fix's own check."""
    for loc, listing in drawn.listings.items():
        fix = loc[0] == "fix"
        checks = [
            claim.check
            for claim in drawn.claims
            if claim.check is not None and is_run(claim) and (claim.role == "fix" or not fix)
        ]
        whose = "the fix's check runs" if fix else "a check of this card runs"
        message = _unrun(listing, run_by(checks, generators), generators, whose)
        if message:
            yield Finding("listing", loc, message)


def _unrun(
    listing: Listing, ran: frozenset[str], generators: Mapping[str, Generator], whose: str
) -> str:
    """What is wrong with a listing; empty where it ran."""
    if listing.of is not None:
        if listing.of in ran:
            return ""
        return f"{listing.of} is printed, and it is not what {whose}"
    sources = [lines_of(generators[name].source) for name in ran]
    for line in listing.text.splitlines():
        code = tokens(line)
        if code and not any(code in source for source in sources):
            return (
                f"{quoted(line)} is printed, and it is no line of what {whose}: "
                "print what runs, with {of: Name}"
            )
    return ""


def run_by(checks: Iterable[Check], generators: Mapping[str, Generator]) -> frozenset[str]:
    """The marked definitions that checks run: named in them, or in the source of one that runs."""
    found: set[str] = set()
    todo = [name for check in checks for name in (check.run, *_texts(check.arguments))]
    while todo:
        name = todo.pop()
        if name in generators and name not in found:
            found.add(name)
            todo += names_in(generators[name].source)
    return frozenset(found)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _texts(inner)
