"""What ``bank.yaml`` and ``unit.yaml`` say."""

from __future__ import annotations

import datetime
from typing import Annotated

from pydantic import Field

from closedbook.model.kinds.base import Several, Slug, Slugs, Strict, Text


class BankInfo(Strict):
    """``cards/bank.yaml``. ``id`` is permanent: it is part of every note's GUID."""

    id: Slug
    title: Text
    language: Text = "en"


class Resource(Strict):
    """Something to read, and where exactly."""

    title: Text
    read: Text | None = None
    url: Text | None = None


class Preset(Strict):
    """Anki's deck options that come with the deck, where the importer lets them."""

    name: Text
    new_per_day: Annotated[int, Field(ge=0)] = 20
    reviews_per_day: Annotated[int, Field(ge=0)] = 200
    desired_retention: Annotated[float, Field(ge=0.7, le=0.99)] = 0.9


class SyllabusItem(Strict):
    """Something that the unit is to teach, and the cards that teach it: none, as yet, perhaps.

    ``part`` is the heading that it stands under, such as ``Traps``.
    """

    part: Text
    item: Text
    cards: Slugs = ()


class UnitInfo(Strict):
    """``unit.yaml``.

    ``subdecks`` maps a card file's name without ``.yaml`` to the last part of its deck's name;
    the files that it does not name go into ``deck`` itself. ``syllabus`` says which cards cover
    what the unit is to teach; ``cards coverage`` prints it. ``after`` and ``leads_to`` name units
    of the bank by id or title, or other subjects in words; see :mod:`closedbook.model.course`.
    """

    title: Text
    deck: Text
    outcomes: Annotated[dict[Slug, Text], Field(min_length=1)]
    description: Text | None = None
    subdecks: dict[str, Text] = {}
    resources: dict[Slug, Resource] = {}
    syllabus: tuple[SyllabusItem, ...] = ()
    after: Annotated[tuple[Text, ...], Several] = ()
    leads_to: Annotated[tuple[Text, ...], Several] = ()
    preset: Preset | None = None
    exam_on: datetime.date | None = None
