"""A variant as the plain data that the Typst template takes.

The paper's data holds nothing of the key: what is not sent cannot be printed by mistake. The
key's data is the paper's, with ``key`` added to each piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any, Literal

from closedbook.export.exam.guards import SPACE
from closedbook.export.exam.inks import INKS
from closedbook.export.exam.settings import Settings
from closedbook.export.exam.words import WORDS
from closedbook.model.bank import Listing
from closedbook.paper.evidence import Ran, once
from closedbook.paper.exam import Award, HandIn, Option, Part, Question, Section, Variant
from closedbook.paper.points import format_points, minutes_text, points_text
from closedbook.render.tree import CodeBlock, Document
from closedbook.render.typst.nodes import to_typst

Data = dict[str, Any]
Kind = Literal["paper", "key"]

FONTS = ("Libertinus Serif", "New Computer Modern")
MONO_FONTS = ("DejaVu Sans Mono",)
_FLAT = ("par", "code", "strong", "emph", "link", "break")
"""Nodes that are as high as their text."""
_LARGE_LINE = 30
"""Letters that surely fit on a line in large print."""
_SHORT = 20
BAND = 14
"""The most questions in one row of the table of totals."""


def paper_and_key(
    variant: Variant, settings: Settings, fonts: Sequence[str] = ()
) -> tuple[Data, Data]:
    """The data of both, from one variant. ``fonts`` are the families that the bank brings."""
    return _data(variant, settings, "paper", fonts), _data(variant, settings, "key", fonts)


def _data(variant: Variant, settings: Settings, kind: Kind, fonts: Sequence[str]) -> Data:
    subtitle = f"{WORDS['variant']} {variant.label}"
    if kind == "key":
        subtitle = f"{WORDS['key']}, {subtitle}"
    return {
        "kind": kind,
        "exam": variant.exam,
        "title": variant.title,
        "document-title": f"{variant.title}: {subtitle}",
        "label": variant.label,
        "worth": f"{minutes_text(variant.minutes)}, {points_text(variant.points)}",
        "rules": nodes(variant.rules),
        "paper": variant.paper,
        "lang": variant.language,
        "loose": [],
        "large": settings.large_print,
        "duplex": settings.duplex,
        "fonts": [*FONTS, *fonts],
        "mono-fonts": [*MONO_FONTS, *fonts],
        "words": WORDS,
        "inks": INKS,
        "totals": _totals(variant),
        "sections": [_section(section, kind) for section in variant.sections],
    }


def nodes(document: Document, *, filled: bool = False) -> list[Any]:
    """The document as nodes of ``tree.typ``. Its mistakes were found when the bank was verified."""
    found, _ = to_typst(document, filled=filled)
    return list(found)


def answer_nodes(document: Document) -> list[Any]:
    """The document for the key's answers, code without colours: they are all of one ink."""
    plain = tuple(
        replace(block, language="") if isinstance(block, CodeBlock) else block for block in document
    )
    return nodes(plain)


def listing(code: Listing | None, *, answer: bool = False) -> list[Any]:
    """Code in a frame: with line numbers where it is asked about."""
    if code is None:
        return []
    text = code.text.rstrip("\n")
    if answer:
        return nodes((CodeBlock(text),))
    return nodes((CodeBlock(text, code.language, numbered=True),))


def _totals(variant: Variant) -> list[Data]:
    """The table of totals in bands of questions, each with the parts above its columns."""
    cells = [
        (section.number, question) for section in variant.sections for question in section.questions
    ]
    rows = -(-len(cells) // BAND)
    bands = []
    for index in range(rows):  # of even length: 15 are 7 and 8, not 14 and 1
        row = cells[index * len(cells) // rows : (index + 1) * len(cells) // rows]
        numbers = [number for number, _ in row]
        parts = [{"label": str(n), "span": numbers.count(n)} for n in dict.fromkeys(numbers)]
        bands.append(
            {
                "parts": parts,
                "numbers": [str(question.number) for _, question in row],
                "points": [format_points(question.points) for _, question in row],
                "total": format_points(variant.points) if index == rows - 1 else None,
            }
        )
    return bands


def _section(section: Section, kind: Kind) -> Data:
    worth = [points_text(section.points)]
    if section.minutes:
        worth.append(minutes_text(section.minutes))
    return {
        "number": section.number,
        "title": section.title,
        "worth": ", ".join(worth),
        "intro": nodes(section.intro),
        "questions": [_question(question, kind) for question in section.questions],
    }


def _question(question: Question, kind: Kind) -> Data:
    data: Data = {
        "number": question.number,
        "card": question.card,
        "what": f"question {question.number}",
        "points": points_text(question.points),
        "stem": nodes(question.stem, filled=kind == "key"),
        "code": listing(question.listing),
        "several": len(question.right_letters) > 1,
        "options": [_option(option, kind) for option in question.options],
        "parts": [_part(part, question.number, kind) for part in question.parts],
        "hand-in": _hand_in(question.hand_in) if question.hand_in else None,
    }
    if kind == "key":
        answer = _key(question)
        data["key"] = {**answer, "short": _is_short(answer)}
    return data


def _option(option: Option, kind: Kind) -> Data:
    data: Data = {"letter": option.letter, "text": nodes(option.text)}
    if kind == "key":
        data["key"] = {"right": option.right, "because": answer_nodes(option.because)}
    return data


def _part(part: Part, number: int, kind: Kind) -> Data:
    space = part.space
    data: Data = {
        "label": part.label,
        "what": f"{SPACE}question {number}{part.label}",
        "ask": nodes(part.ask),
        "points": points_text(part.points),
        "space": {"style": space.style, "lines": space.lines, "cm": space.cm},
    }
    if kind == "key":
        own = part.label != ""  # what answers an only part stands with the whole question
        answer: Data = {
            "awards": [_award(award) for award in part.awards] if own else [],
            "code": listing(part.listing, answer=True),
            "why": answer_nodes(part.why),
            "evidence": _evidence(once([award.evidence for award in part.awards])),
        }
        data["key"] = {**answer, "short": _is_short(answer)}
    return data


def _is_short(answer: Data) -> bool:
    """Whether an answer of the key fits on a page in any print, so that it need not break."""
    return _rows(answer) <= _SHORT


def _rows(value: Any) -> float:
    """About as many lines as it takes in large print, or more; without end where none can tell."""
    if isinstance(value, str):
        return len(value) / _LARGE_LINE
    if isinstance(value, dict):
        if "k" in value and value["k"] not in _FLAT:
            return inf
        row = value.get("k") == "par" or "k" not in value
        return row + sum(_rows(item) for name, item in value.items() if name != "k")
    return sum(map(_rows, value)) if isinstance(value, list | tuple) else 0


def _hand_in(hand_in: HandIn) -> Data:
    return {
        "file": hand_in.file,
        "classes": list(hand_in.classes),
        "forbidden": list(hand_in.forbidden),
        "command": hand_in.command,
        "contract": [
            {"points": format_points(award.points), "says": nodes(award.says)}
            for award in hand_in.contract
        ],
        "broken": nodes(hand_in.broken),
        "broken-points": points_text(hand_in.broken_award.points) if hand_in.broken_award else "",
    }


def _key(question: Question) -> Data:
    """What the key adds below a question, beyond what stands at its options and parts."""
    broken = question.hand_in.broken_award if question.hand_in else None
    awards = [*question.awards, *([broken] if broken else [])]
    if not question.by_parts:
        awards += [award for part in question.parts for award in part.awards]
    in_parts = {
        evidence.run
        for part in question.parts
        for award in part.awards
        if question.by_parts and (evidence := award.evidence)
    }
    model = question.hand_in.model if question.hand_in else ()
    return {
        "letters": list(question.right_letters),
        "awards": [_award(award) for award in awards],
        "blanks": list(question.blanks),
        "result": answer_nodes(question.result),
        "why": answer_nodes(question.why),
        "code": [listing(code, answer=True) for code in model],
        "evidence": _evidence([e for e in question.evidence if e.run not in in_parts]),
        "source": question.source,
    }


def _award(award: Award) -> Data:
    data: Data = {"points": points_text(award.points), "says": answer_nodes(award.says)}
    if award.quote is not None:
        data["quote"] = award.quote
    if award.unchecked is not None:
        data["unchecked"] = award.unchecked
    return data


def _evidence(found: Sequence[Ran]) -> list[Data]:
    return [
        {
            "run": one.run,
            "facts": [(fact.name, fact.sign, fact.text) for fact in one.facts],
            "torch": one.torch,
            "place": str(one.place),
        }
        for one in found
    ]
