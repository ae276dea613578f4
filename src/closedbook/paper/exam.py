"""One variant, made out to the last word: what every output of an exam is made from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from closedbook.model.bank import Draw, Listing
from closedbook.model.kinds import KindName
from closedbook.paper.evidence import Ran
from closedbook.paper.space import Space
from closedbook.render.tree import Document


@dataclass(frozen=True, slots=True)
class Award:
    """What earns points: the sentence that a grader looks for, and what shows that it is true.

    ``unchecked`` is the author's reason where no program showed it.
    """

    points: Fraction
    says: Document
    evidence: Ran | None = None
    quote: str | None = None
    unchecked: str | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One box. ``written`` is its place in the card, from 0; ``because`` the misconception."""

    letter: str
    text: Document
    right: bool
    because: Document = ()
    written: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a question with room for its answer. ``label`` is empty for an only part."""

    label: str
    ask: Document
    space: Space
    awards: tuple[Award, ...] = ()
    why: Document = ()
    listing: Listing | None = None
    """Code that the key prints as this part's answer."""

    @property
    def points(self) -> Fraction:
        """What the part is worth."""
        return sum((award.points for award in self.awards), Fraction(0))


@dataclass(frozen=True, slots=True)
class HandIn:
    """A file to hand in: its name, what it must define and may not call, and how it is judged."""

    file: str
    classes: tuple[str, ...]
    forbidden: tuple[str, ...]
    command: str
    contract: tuple[Award, ...]
    broken: Document = ()
    broken_award: Award | None = None
    model: tuple[Listing, ...] = ()
    """The references' own source, for the key."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An answer that is one finite number, right within ``tolerance`` of it."""

    value: float
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """One question of one variant.

    ``stem`` keeps a cloze's gaps as :class:`~closedbook.render.tree.Gap` nodes and spans.
    ``blanks`` holds what belongs in them, in reading order, each with its award. A question has
    options, or blanks, or a file to hand in, or parts.
    """

    number: int
    card: str
    kind: KindName
    points: Fraction
    difficulty: int
    draw: Draw
    stem: Document
    listing: Listing | None = None
    options: tuple[Option, ...] = ()
    blanks: tuple[str, ...] = ()
    quantities: tuple[Quantity | None, ...] = ()
    """For each of ``blanks`` the number that it is, None where it is none."""
    parts: tuple[Part, ...] = ()
    hand_in: HandIn | None = None
    awards: tuple[Award, ...] = ()
    """What earns the points of options and blanks; parts and files carry their own."""
    typed: bool = False
    """Whether the answer is one short text that can be compared."""
    quantity: Quantity | None = None
    """The answer where it is a single number."""
    result: Document = ()
    why: Document = ()
    evidence: tuple[Ran, ...] = ()
    """Everything that ran for this question, each once."""
    source: str = ""

    @property
    def right_letters(self) -> tuple[str, ...]:
        """The letters of the right options."""
        return tuple(option.letter for option in self.options if option.right)

    @property
    def by_parts(self) -> bool:
        """Whether the question has lettered parts, and not a single answer."""
        return any(part.label for part in self.parts)

    @property
    def all_awards(self) -> tuple[Award, ...]:
        """Everything on this question that earns points; the sum is ``points``."""
        found = [*self.awards, *(award for part in self.parts for award in part.awards)]
        if self.hand_in is not None:
            found += self.hand_in.contract
            if self.hand_in.broken_award is not None:
                found.append(self.hand_in.broken_award)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the paper."""

    number: int
    title: str
    intro: Document
    minutes: int | None
    questions: tuple[Question, ...]

    @property
    def points(self) -> Fraction:
        """What the section is worth."""
        return sum((question.points for question in self.questions), Fraction(0))


@dataclass(frozen=True, slots=True)
class Variant:
    """A whole paper with its answers."""

    exam: str
    """The blueprint's id."""
    title: str
    label: str
    minutes: int
    rules: Document
    paper: Literal["a4", "us-letter"]
    language: str
    sections: tuple[Section, ...]

    @property
    def points(self) -> Fraction:
        """The total, which is the sum."""
        return sum((section.points for section in self.sections), Fraction(0))

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions, in the order of their numbers."""
        return tuple(question for section in self.sections for question in section.questions)
