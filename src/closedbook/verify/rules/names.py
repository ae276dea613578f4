"""The name rule: an exception, a warning or a dtype on the answer side stands where values do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from closedbook.model.bank import DrawnCard, Generator
from closedbook.verify.rules.finding import Finding

_NAMES = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Warning|Exception)|(?:float|u?int|complex|bfloat)(?:8|16|32|64|128))\b"
)

_MAYBE = re.compile(r"Error|Warning|Exception|(?:float|int|complex)\d")


def check_names(drawn: DrawnCard, generators: Mapping[str, Generator]) -> Iterator[Finding]:
    """Every such name on the answer side that neither the asking side nor a check has."""
    texts = [written for written in drawn.content.texts() if _MAYBE.search(written[1])]
    if not texts:
        return  # most cards: this is quicker than looking for the names
    exempt = {claim.say_loc for claim in drawn.claims if claim.unchecked}
    stated, asked = [], []
    for loc, text, side in texts:
        if side == "ask" and loc[0] != "options":
            asked.append(text)
        elif loc not in exempt and loc[-1] not in ("wrong", "because"):
            stated += [(loc, match) for match in _NAMES.finditer(text)]
    known = _names_in(drawn, generators)
    known.update(name for text in asked for name in _NAMES.findall(text))
    for loc, match in stated:
        if match[0] not in known:
            message = (
                f"{match[0]!r} is stated, but neither the asking side nor a check of this card "
                "has it"
            )
            yield Finding("name", loc, message, match.start(), match[0])


def _names_in(drawn: DrawnCard, generators: Mapping[str, Generator]) -> set[str]:
    """The names in the checks, in the code that is printed, and in the sources that are run."""
    texts = [listing.text for listing in drawn.listings.values()]
    for claim in drawn.claims:
        check = claim.check
        if check is None:
            continue
        texts.append(repr(check.arguments))
        for name, want in check.expect.items():
            texts.append(f"{name} {want!r}")
        called = (check.run, *(v for v in check.arguments.values() if isinstance(v, str)))
        texts += [generators[name].source for name in called if name in generators]
    return {name for text in texts for name in _NAMES.findall(text)}
