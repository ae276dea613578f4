"""Whether every text of a card can be shown, in Anki and on paper."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from closedbook.model.bank import Card, DrawnCard
from closedbook.model.gaps import ANY_GAP, GAPS_AT, NO_GAP, almost, near_gaps, next_number
from closedbook.model.kinds import Cloze
from closedbook.model.origin import Loc
from closedbook.problem import Problem, did_you_mean
from closedbook.render import code, maths, walk
from closedbook.render.figures import figure_problem
from closedbook.render.markdown import braces_in, parse
from closedbook.render.tree import Document, GapSpan, MathBlock, TextProblem

_GAP_ELSEWHERE = "a gap stands in the 'text' of a cloze, nowhere else"
_LITERAL = (
    "this card does not vary, so {} … {} is printed as it stands: give it 'vary', "
    "or write literal braces as code, in backticks"
)
_DIGITS = re.compile(r"\d+")


def check_card(drawn: DrawnCard) -> list[Problem]:
    """What is wrong with the texts of a drawn card, each problem at its character.

    Under a draw the text differs from the file; there a problem stands at the text's beginning.
    """
    card = drawn.card
    problems: list[Problem] = []
    written = {loc: text for loc, text, _ in card.content.texts()} if drawn.draw else None
    for loc, text, _ in drawn.content.texts():
        cloze = _has_gaps(card, loc)
        found = sorted(
            check_text(text, cloze=cloze) + _figures(text, cloze, card) + _braces(text, loc, card),
            key=lambda problem: problem.offset,
        )
        same = written is None or written.get(loc) == text
        problems += [
            card.origin.problem(
                loc,
                problem.message,
                offset=problem.offset if same else None,
                severity=problem.severity,
                card=card.id,
            )
            for problem in found
        ]
    return problems


def check_text(text: str, *, cloze: bool = False) -> tuple[TextProblem, ...]:
    """What is wrong with one text, figures aside, by offset."""
    alike = text if cloze else _DIGITS.sub("1", text)
    # the draws of a card differ in their numbers, which never make a mistake of this kind
    return () if alike != text and not _check(alike, False) else _check(text, cloze)


@lru_cache(maxsize=65536)
def _check(text: str, cloze: bool) -> tuple[TextProblem, ...]:
    document, problems = parse(text, cloze=cloze)
    found = [*problems]
    if not document and not found:
        found.append(TextProblem(0, "this text is empty"))
    if cloze and document and not found and not walk.gaps_of(document):
        found.append(TextProblem(0, NO_GAP))
    found += _formulas(document)
    found += _languages(document, text)
    return tuple(sorted(found, key=lambda problem: problem.offset))


def _braces(text: str, loc: Loc, card: Card) -> tuple[TextProblem, ...]:
    """What is wrong with double braces that would be printed as they stand.

    In code and formulas they may be meant. What a varying card is filled with may hold any.
    """
    of_cloze = isinstance(card.content, Cloze) and loc == GAPS_AT
    if of_cloze and not ANY_GAP.search(text):
        return ()  # who reads the bank has told of a cloze without gaps
    found: dict[str, TextProblem] = {}
    told = {at for at, _ in near_gaps(text)} if of_cloze else set()
    for offset, written in braces_in(text, cloze=of_cloze):
        if offset in told or (of_cloze and ANY_GAP.match(written)):
            continue
        if ANY_GAP.match(written):
            message = _GAP_ELSEWHERE
        elif card.content.vary is not None:
            continue
        elif of_cloze and written.startswith("{{"):
            message = almost(next_number(text), written[2:])
        else:
            message = _LITERAL.format(written[:2], written[-2:])
        found.setdefault(message, TextProblem(offset, message))
    return tuple(found.values())


def _has_gaps(card: Card, loc: Loc) -> bool:
    """Whether gaps are written at ``loc``: who reads the bank has told of a cloze without any."""
    content = card.content
    return isinstance(content, Cloze) and loc == ("text",) and bool(ANY_GAP.search(content.text))


def _formulas(document: Document) -> list[TextProblem]:
    found = []
    for node in walk.maths_of(document):
        _, problems = maths.translate(node.tex, node.gaps, block=isinstance(node, MathBlock))
        found += [
            TextProblem(node.offset + _with_marks(problem.offset, node.gaps), problem.message)
            for problem in problems
        ]
    return found


def _with_marks(index: int, gaps: tuple[GapSpan, ...]) -> int:
    """The index in the text with its gap marks of a character of the text without them."""
    marks = 0
    for gap in gaps:
        if index >= gap.start:
            marks += len(f"{{{{c{gap.number}::")
        if index >= gap.end and index > gap.start:
            marks += len("}}") + (len(f"::{gap.hint}") if gap.hint else 0)
    return index + marks


def _languages(document: Document, text: str) -> list[TextProblem]:
    found = []
    for node in walk.code_of(document):
        language = node.language
        if not language or language.lower() in code.PLAIN or code.lexer_of(language):
            continue
        fence = re.search(rf"^[ >]*(?:```+|~~~+)[ ]*({re.escape(language)})", text, re.MULTILINE)
        message = f"no highlighting for {language!r}{did_you_mean(language, code.languages())}"
        found.append(TextProblem(fence.start(1) if fence else 0, message, "warning"))
    return found


def _figures(text: str, cloze: bool, card: Card) -> tuple[TextProblem, ...]:
    if "![" not in text:
        return ()
    document, _ = parse(text, cloze=cloze)
    root = _root(card)
    return tuple(
        TextProblem(image.offset, fault)
        for image in walk.images_of(document)
        if (fault := figure_problem(image.path, card.folder, root))
    )


def _root(card: Card) -> Path:
    """The bank's folder: as far above the card's folder as its path is deep."""
    above = card.origin.path.count("/")
    return card.folder.parents[above - 1] if above else card.folder
