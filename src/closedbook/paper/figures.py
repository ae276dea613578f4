"""Which figures a variant shows, and where."""

from __future__ import annotations

from closedbook.paper.exam import Question, Variant
from closedbook.render.tree import Document
from closedbook.render.walk import images_of


def variant_figures(variant: Variant) -> tuple[str, ...]:
    """The figures of paper and key, named from the bank's folder, each once and sorted."""
    found: list[Document] = [variant.rules]
    for section in variant.sections:
        found.append(section.intro)
        for question in section.questions:
            found += _documents(question)
    return tuple(sorted({image.path for document in found for image in images_of(document)}))


def answer_figures(question: Question) -> int:
    """How many figures the key's answers hold."""
    return sum(len(images_of(document)) for document in _answers(question))


def _documents(question: Question) -> list[Document]:
    asked = [question.stem, *(option.text for option in question.options)]
    asked += [part.ask for part in question.parts]
    if question.hand_in is not None:
        asked += [question.hand_in.broken, *(award.says for award in question.hand_in.contract)]
    return [*asked, *_answers(question)]


def _answers(question: Question) -> list[Document]:
    """The texts that only the key prints."""
    found = [question.result, question.why, *(option.because for option in question.options)]
    found += [award.says for award in question.awards]
    found += [award.says for part in question.parts for award in part.awards]
    return [*found, *(part.why for part in question.parts)]
