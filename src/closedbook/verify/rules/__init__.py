"""The rules that a drawn card is read against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from closedbook.model.bank import DrawnCard, Generator
from closedbook.verify.rules.choices import check_options
from closedbook.verify.rules.claims import check_claims
from closedbook.verify.rules.finding import Finding
from closedbook.verify.rules.listings import check_listings
from closedbook.verify.rules.names import check_names
from closedbook.verify.rules.numbers import check_numbers


def check_card(drawn: DrawnCard, generators: Mapping[str, Generator]) -> Iterator[Finding]:
    """Every finding of every rule."""
    yield from check_claims(drawn)
    yield from check_options(drawn)
    yield from check_numbers(drawn, generators)
    yield from check_names(drawn, generators)
    yield from check_listings(drawn, generators)
