"""A bank as it was read: units, cards, blueprints and the names of its generators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from closedbook.model.blueprint import BlueprintInfo
from closedbook.model.claim import Claim
from closedbook.model.kinds import Content
from closedbook.model.origin import Loc, Origin
from closedbook.model.unit import BankInfo, UnitInfo
from closedbook.problem import Place

Draw: TypeAlias = Mapping[str, int | str]
"""The values of one draw by their ``vary`` names; empty for a card that does not vary."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A folder of cards. ``id`` is the folder's name."""

    id: str
    info: UnitInfo
    origin: Origin


@dataclass(frozen=True, slots=True)
class Card:
    """One entry of a card file, as the author wrote it."""

    unit: Unit
    content: Content
    origin: Origin
    folder: Path
    """The folder of the card's file: figures stand beside it."""

    @property
    def id(self) -> str:
        """The card's permanent id."""
        return self.content.id

    @property
    def kind(self) -> str:
        """The kind's name."""
        return self.content.kind

    @property
    def deck(self) -> str:
        """The full name of the card's deck, levels joined by ``::``."""
        stem = self.origin.path.rsplit("/", 1)[-1].removesuffix(".yaml").removesuffix(".yml")
        sub = self.unit.info.subdecks.get(stem)
        return f"{self.unit.info.deck}::{sub}" if sub else self.unit.info.deck


@dataclass(frozen=True, slots=True)
class Blueprint:
    """An exam's plan. ``id`` is the file's name without ``.yaml``."""

    id: str
    info: BlueprintInfo
    origin: Origin


@dataclass(frozen=True, slots=True)
class Listing:
    """Code to be printed: its text, its language, and the definition that it is the source of."""

    text: str
    language: str = "python"
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Generator:
    """A definition in ``generators/``, known from its syntax tree: nothing was run or imported.

    ``mark`` holds the keyword arguments of its decorator as source text. ``parameters`` are the
    names that it takes (of ``forward`` without ``ctx`` for a Function), ``required`` those
    without a default. ``source`` is what ``code: {of: NAME}`` prints: decorators of closedbook
    left out, comments kept, dedented. ``functions`` are those of the parameters that take the
    name of a Function (annotated ``type[torch.autograd.Function]``).
    """

    name: str
    role: Literal["reference", "flawed", "experiment"]
    path: str
    line: int
    source: str
    mark: Mapping[str, str]
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    functions: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        """Where the definition stands."""
        return Place(self.path, self.line)


class Generators(dict[str, Generator]):
    """The marked definitions of ``generators/`` by name.

    ``unmarked`` says of each other function and class in there where it is defined, and in words
    what it lacks: ``without @experiment``.
    """

    def __init__(self) -> None:
        self.unmarked: dict[str, tuple[Place, str]] = {}


@dataclass(frozen=True, slots=True)
class Bank:
    """Everything that a bank's folder holds, checked for form, not yet for truth.

    ``cards`` stand in source order: units by folder name, files by name, entries as written;
    retired cards are among them.
    """

    root: Path
    info: BankInfo
    units: tuple[Unit, ...]
    cards: tuple[Card, ...]
    blueprints: tuple[Blueprint, ...]
    generators: Mapping[str, Generator]
    digests: Mapping[str, str] = field(default_factory=dict)
    """Path within the bank -> SHA-256 (hex) of the file, for every file that was read."""
    doubtful: frozenset[str] = frozenset()
    """Names in ``generators/`` of which nobody can say what they stand for, until it is mended."""
    unread: frozenset[str] = frozenset()
    """Ids of cards that are there, but not among ``cards``: their form is wrong."""
    unread_units: frozenset[str] = frozenset()
    """Ids of units that are there, but not among ``units``: their unit.yaml is wrong or missing."""

    def card(self, id: str) -> Card | None:
        """The card with that id."""
        return next((card for card in self.cards if card.id == id), None)


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A card under one draw: every text filled in, every claim and its check made out.

    ``content`` is of the same class as ``card.content``. ``listings`` holds the code that the
    card prints, by its place: ``("code",)``, ``("fix", "code")``.
    """

    card: Card
    draw: Draw
    content: Content
    claims: tuple[Claim, ...]
    listings: Mapping[Loc, Listing]

    def claims_at(self, *loc: Any) -> tuple[Claim, ...]:
        """The claims at or below a place: ``claims_at("steps", 0)``."""
        return tuple(claim for claim in self.claims if claim.loc[: len(loc)] == loc)
