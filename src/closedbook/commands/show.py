"""``cards show``: one card as text, with what was observed when its checks ran."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from closedbook.commands.common import bank_option, check_known, open_bank, print_problems

if TYPE_CHECKING:
    from closedbook.model.bank import Bank, Card
    from closedbook.model.claim import Claim
    from closedbook.model.origin import Loc
    from closedbook.verify.verified import Evidence, VerifiedCard, VerifiedDraw

_WIDTH = 80
_INDENT = "  "
_TITLES = {
    "ask": "Ask",
    "text": "Text",
    "answer": "Answer",
    "why": "Why",
    "hint": "Hint",
    "right": "Right",
    "wrong": "Wrong",
    "because": "Because",
    "say": "Claim",
    "result": "Result",
    "code": "Code",
}


@click.command()
@click.argument("card_id", metavar="ID")
@bank_option
@click.option(
    "--draw",
    type=click.IntRange(min=1),
    metavar="N",
    help="The N-th draw of a card that varies (default: the one that the deck carries).",
)
def command(card_id: str, bank_dir: Path | None, draw: int | None) -> None:
    """Show one card as text, with its evidence.

    The card is verified first; where a claim does not hold, its problems are shown instead and
    the exit code is 1.
    """
    bank = open_bank(bank_dir)
    card = _find(bank, card_id)
    if card.content.retired:
        click.echo(f"{card_id} is retired ({card.origin.place()}): it is on no deck and no paper.")
        return
    verified = _verify(bank, card)
    if draw is not None and draw > len(verified.draws):
        raise click.UsageError(f"{card_id} has {len(verified.draws):,} draws, not {draw:,}")
    shown = verified.deck_draws()[0] if draw is None else verified.at(draw - 1)
    click.echo("\n".join(_lines(verified, shown)))


def _find(bank: Bank, card_id: str) -> Card:
    cards = {card.id: card for card in bank.cards}
    check_known("card", [card_id], cards)
    return cards[card_id]


def _verify(bank: Bank, card: Card) -> VerifiedCard:
    from closedbook.commands.verifying import verify_with_progress
    from closedbook.verify import Options

    verified, report = verify_with_progress(bank, options=Options(ids=(card.id,)))
    print_problems(report.problems)
    found = verified.card(card.id) if verified else None
    if found is None:
        raise click.exceptions.Exit(1)
    return found


def _lines(verified: VerifiedCard, shown: VerifiedDraw) -> Iterator[str]:
    card, content = verified.card, shown.drawn.content
    yield f"{card.id}  ({card.kind}, difficulty {content.difficulty})"
    yield f"{card.origin.place()}  {', '.join(content.outcome)}"
    if shown.drawn.draw:
        values = ", ".join(f"{name} = {value}" for name, value in shown.drawn.draw.items())
        yield f"{values}  (one of {len(verified.draws):,} draws)"
    listings = dict(shown.drawn.listings)
    told: set[int] = set()
    for loc, text, _ in content.texts():
        yield from _code(
            listings.pop((*loc[:1], "code") if loc[:1] == ("fix",) else ("code",), None)
        )
        yield from _text(loc, text, cloze=card.kind == "cloze")
        for number, claim in enumerate(shown.drawn.claims):
            if number not in told and claim.say_loc == loc:
                told.add(number)
                yield from _evidence(claim, shown.evidence[number])
    yield from _contract(shown)
    for number, claim in enumerate(shown.drawn.claims):
        if number not in told:
            yield from _code(listings.pop((*claim.loc, "code"), None), "Fix")
            yield from _evidence(claim, shown.evidence[number])


def _contract(shown: VerifiedDraw) -> Iterator[str]:
    """What a task's file must do, and the points of each."""
    from closedbook.model.kinds import Task

    content = shown.drawn.content
    if isinstance(content, Task):
        references = ", ".join(dict.fromkeys(content.references.values()))
        yield from ("", f"Contract: {content.file}, graded against {references}")
        for probe, point in content.contract.items():
            yield f"{_INDENT}{point.points!s:>4}  {probe}"


def _code(listing: object, title: str = "Code") -> Iterator[str]:
    from closedbook.model.bank import Listing

    if isinstance(listing, Listing):
        yield from ("", title + (f": {listing.of}" if listing.of else ""))
        yield textwrap.indent(listing.text.rstrip(), _INDENT * 2)


def _text(loc: Loc, text: str, *, cloze: bool) -> Iterator[str]:
    from closedbook.render.markdown import parse
    from closedbook.render.plain import to_text

    document, _ = parse(text, cloze=cloze and loc == ("text",))
    yield from ("", _title(loc))
    for line in to_text(document).rstrip().splitlines():
        yield _wrapped(line)


def _title(loc: Loc) -> str:
    """``Step 2: ask``; indices count from 1, as people do."""
    name = _TITLES.get(str(loc[-1]), str(loc[-1]))
    if loc[0] == "steps" and len(loc) == 3:
        return f"Step {int(loc[1]) + 1}: {name.lower()}"
    if loc[0] == "fix":
        return "Fix"
    return name


def _wrapped(line: str) -> str:
    """A line folded at 80 columns; one that is indented is code or a table and stays."""
    if line.startswith((" ", "|")) or len(line) + len(_INDENT) <= _WIDTH:
        return f"{_INDENT}{line}"
    # A tuple stays on one line: textwrap breaks at plain spaces alone.
    whole = re.sub(r"\([-\d., ]+\)", lambda match: match[0].replace(" ", "\xa0"), line)
    return textwrap.fill(
        whole,
        _WIDTH,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\xa0", " ")


def _evidence(claim: Claim, evidence: Evidence | None) -> Iterator[str]:
    from closedbook.model.expect import Formula
    from closedbook.paper.evidence import fact_lines

    if evidence is None:
        reason = claim.unchecked or f"holds for torch {claim.versions}"
        yield _wrapped(f"not checked: {reason}")
        return
    yield f"{_INDENT}✓ {evidence.run}  {evidence.place}"
    expect = claim.check.expect if claim.check else {}
    for name, value in fact_lines(evidence):
        match expect.get(name):
            case Formula(expression):
                yield f"{_INDENT * 3}{name} equals {expression}, over several draws and shapes"
            case _:
                yield f"{_INDENT * 3}{name} is {value}"
    if evidence.quote is not None:
        yield f"{_INDENT * 2}quoted, torch {evidence.torch}:"
        yield textwrap.indent(evidence.quote.rstrip(), _INDENT * 3)
