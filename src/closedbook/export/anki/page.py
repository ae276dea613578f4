"""A card's texts as the HTML of Anki's fields, and the problems met on the way."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence

from closedbook.export.anki.evidence import evidence_html, release_of
from closedbook.export.anki.media import Media
from closedbook.model.bank import Card, Generator, Listing
from closedbook.model.claim import Claim
from closedbook.model.origin import Loc
from closedbook.problem import Problem
from closedbook.render import escape
from closedbook.render.html import to_html
from closedbook.render.markdown import parse
from closedbook.render.plain import to_text
from closedbook.render.tree import CodeBlock, Image
from closedbook.verify.verified import VerifiedDraw

QUOTE = '<figure class="observed">'
"""What a quote of an observed text begins with in a field; nothing of an author's can."""
_QUOTE_END = "</figure>"
_QUOTES = re.compile(f"{QUOTE}.*?{_QUOTE_END}", re.DOTALL)


class Page:
    """Renders the texts of one verified draw. Collects ``problems`` and the figures it ``used``."""

    def __init__(self, verified: VerifiedDraw, media: Media) -> None:
        self.verified = verified
        self.drawn = verified.drawn
        self.card: Card = verified.drawn.card
        self.problems: list[Problem] = []
        self.used: dict[str, str] = {}
        self._media = media

    def html(self, text: str | None, *loc: str | int) -> str:
        """Markdown at ``loc`` of the card as HTML; empty for None."""
        return self._html(text, loc, cloze=False) if text else ""

    def cloze(self, text: str, *loc: str | int) -> str:
        """Markdown with gaps, as the field that Anki's ``cloze:`` filter reads."""
        return self._html(text, loc, cloze=True)

    def plain(self, text: str) -> str:
        """Markdown as plain text, escaped: what a typed answer is compared with.

        Anki takes ``[sound:…]`` out before it compares, and shows the rest as code, where MathJax
        reads nothing.
        """
        document, _ = parse(text)
        text = escape.text(unicodedata.normalize("NFC", to_text(document)))
        return text.replace("[", "&#91;")

    def _html(self, text: str, loc: Loc, *, cloze: bool) -> str:
        document, mistakes = parse(text, cloze=cloze)
        self.problems += (
            self.card.origin.problem(
                loc,
                mistake.message,
                offset=mistake.offset,
                severity=mistake.severity,
                card=self.card.id,
            )
            for mistake in mistakes
            if mistake.severity == "error"
        )

        def source(image: Image) -> str:
            return self._source(image, loc)

        return to_html(document, target="cloze" if cloze else "field", image=source)

    def _source(self, image: Image, loc: Loc) -> str:
        """The flat name of a figure in Anki's media folder."""
        file, mistake = self._media.find(self.card, image.path)
        if file is None:
            self.problems.append(
                self.card.origin.problem(loc, mistake, offset=image.offset, card=self.card.id)
            )
            return ""
        self.used[image.path] = file.name
        return file.name

    def code(self, *loc: str | int) -> str:
        """The code that the card prints at ``loc``; empty where it prints none."""
        listing = self.drawn.listings.get(loc)
        return "" if listing is None else self.listing(listing)

    @staticmethod
    def listing(listing: Listing) -> str:
        """Code as a highlighted block."""
        return _highlighted(listing.text, listing.language)

    def claim(self, claim: Claim) -> str:
        """A claim's sentence, and the text that it quotes as it was observed."""
        return self.html(claim.say, *claim.say_loc) + self.quote(claim)

    def claims(self, *loc: str | int) -> str:
        """The claims below ``loc``: one by itself, several as a list."""
        shown = [self.claim(claim) for claim in self.drawn.claims_at(*loc)]
        if len(shown) < 2:
            return "".join(shown)
        return f'<ul class="claims">{"".join(f"<li>{each}</li>" for each in shown)}</ul>'

    def quotes(self, *loc: str | int) -> str:
        """What the claims below ``loc`` quote, without their sentences."""
        return "".join(map(self.quote, self.drawn.claims_at(*loc)))

    def quote(self, claim: Claim) -> str:
        """The text that a claim quotes, and the torch that said it; empty where it quotes none."""
        evidence = self.verified.evidence_of(claim) if claim.quote else None
        if evidence is None or evidence.quote is None:
            return ""
        text = escape.text(evidence.quote.rstrip("\n"), "field")
        return (
            f"{QUOTE}<pre><code>{text}</code></pre>"
            f"<figcaption>torch {escape.text(release_of(evidence.torch))}</figcaption>{_QUOTE_END}"
        )

    def evidence(self, *loc: str | int) -> str:
        """The small print at the foot: what ran for the claims below ``loc``, and the source."""
        return evidence_html(self.verified, self.drawn.claims_at(*loc))

    def evidence_with(self, references: Sequence[Generator]) -> str:
        """The same for a card that shows ``references`` as its answer."""
        return evidence_html(self.verified, self.drawn.claims, references)


@functools.lru_cache(maxsize=256)
def _highlighted(text: str, language: str) -> str:
    """Code as HTML; several cards print the same definition."""
    return to_html((CodeBlock(text, language),), target="field")


def quotes_in(fields: str) -> list[str]:
    """Every quote of an observed text in a note's fields, as :meth:`Page.quote` made it."""
    return _QUOTES.findall(fields)
