"""From a plan to variants: each slot's card made out under its draw, with points and evidence."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from fractions import Fraction

from closedbook.model.bank import Blueprint
from closedbook.paper.exam import Question, Section, Variant
from closedbook.paper.labels import letters
from closedbook.paper.plan import Plan, Slot
from closedbook.paper.questions import Made, make_question
from closedbook.paper.trees import with_figures
from closedbook.problem import Problem
from closedbook.render.markdown import parse
from closedbook.render.tree import Document
from closedbook.verify.verified import VerifiedBank

_KEPT = 256
"""Questions kept from variant to variant: most variants share theirs, and memory stays flat."""


class Maker:
    """Makes variants of a plan, one at a time."""

    def __init__(self, verified: VerifiedBank, plan: Plan) -> None:
        self.verified = verified
        self.plan = plan
        self.problems: list[Problem] = []
        self._cards = {card.card.id: card for card in verified.cards}
        self._made: OrderedDict[tuple[str, int, Fraction], Question] = OrderedDict()

    def variant(self, index: int) -> Variant:
        """The variant at that place of the plan. What is wrong with a card joins ``problems``."""
        blueprint, slots = self.plan.blueprint, self.plan.variants[index]
        info = blueprint.info
        sections = []
        number = 0
        for at, section in enumerate(info.sections):
            questions = []
            for slot in slots:
                if slot.section == at:
                    number += 1
                    questions.append(_placed(self._question(slot), number, slot))
            intro = _text(section.intro, blueprint)
            sections.append(
                Section(at + 1, section.title, intro, section.minutes, tuple(questions))
            )
        return Variant(
            exam=blueprint.id,
            title=info.title,
            label=self.plan.labels[index],
            minutes=info.minutes,
            rules=_text(info.rules, blueprint),
            paper=info.paper,
            language=self.verified.bank.info.language,
            sections=tuple(sections),
        )

    def _question(self, slot: Slot) -> Question:
        key = (slot.card, slot.draw, slot.points)
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key]
        made = Made(self._cards[slot.card].at(slot.draw), self.verified.bank)
        question, problems = make_question(made, slot.points)
        self.problems += problems
        self._made[key] = question
        if len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return question


def _placed(question: Question, number: int, slot: Slot) -> Question:
    """The question with its number, and its options in the variant's order."""
    if not slot.options:
        return replace(question, number=number)
    options = tuple(
        replace(question.options[written], letter=letters(at))
        for at, written in enumerate(slot.options)
    )
    return replace(question, number=number, options=options)


def _text(text: str | None, blueprint: Blueprint) -> Document:
    if text is None:
        return ()
    document, _ = parse(text)
    return with_figures(document, blueprint.origin.path.rpartition("/")[0])
