"""Which card, which numbers and which order of options stand where on each variant."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from closedbook.model.bank import Blueprint, Draw
from closedbook.model.kinds import Question
from closedbook.paper.choose import choose, rivals
from closedbook.paper.labels import letters
from closedbook.paper.pool import Group, Wishes, points_of, read_wishes
from closedbook.paper.seed import ranked, shuffled, some_of
from closedbook.problem import Note, Problem, has_errors
from closedbook.verify.verified import VerifiedBank, VerifiedCard


@dataclass(frozen=True, slots=True)
class Slot:
    """One question of one variant: ``options`` are the card's own places in printed order."""

    section: int
    card: str
    draw: int
    points: Fraction
    options: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """All variants, in order; ``labels[i]`` is the letter of ``variants[i]``."""

    blueprint: Blueprint
    seed: int
    labels: tuple[str, ...]
    variants: tuple[tuple[Slot, ...], ...]


@dataclass(frozen=True, slots=True)
class Used:
    """What recent papers used: cards, and the draws of each."""

    draws: Mapping[str, Sequence[Draw]] = field(default_factory=dict)

    def __contains__(self, card: str) -> bool:
        return card in self.draws


def make_plan(
    verified: VerifiedBank,
    blueprint: Blueprint,
    *,
    used: Used | None = None,
    variants: int | None = None,
    seed: int | None = None,
) -> tuple[Plan | None, list[Problem]]:
    """Choose and arrange. The same bank, blueprint and seed give the same plan anywhere.

    Cards that ``used`` holds are chosen last, and a warning counts those that had to be. None
    comes with errors at the blueprint's lines.
    """
    wishes = read_wishes(verified.bank, blueprint)
    if has_errors(wishes.problems):
        return None, wishes.problems
    planner = _Planner(
        verified,
        blueprint,
        wishes,
        used or Used(),
        variants or blueprint.info.variants,
        blueprint.info.seed if seed is None else seed,
    )
    plan = planner.plan()
    return (None if has_errors(planner.problems) else plan), planner.problems


class _Planner:
    def __init__(
        self,
        verified: VerifiedBank,
        blueprint: Blueprint,
        wishes: Wishes,
        used: Used,
        count: int,
        seed: int,
    ) -> None:
        self.blueprint = blueprint
        self.info = blueprint.info
        self.wishes = wishes
        self.used = used
        self.count = count
        self.key = (blueprint.id, seed)
        self.seed = seed
        self.cards: dict[str, VerifiedCard] = {card.card.id: card for card in verified.cards}
        self.problems: list[Problem] = list(wishes.problems)

    def plan(self) -> Plan | None:
        chosen = self._chosen()
        if chosen is None:
            return None
        self._say_what_recurs(chosen)
        draws = self._draws(chosen)
        labels = tuple(letters(index) for index in range(self.count))
        variants = tuple(
            self._variant(labels[index], chosen[index], draws[index]) for index in range(self.count)
        )
        return Plan(self.blueprint, self.seed, labels, variants)

    def _chosen(self) -> list[list[list[str]]] | None:
        """For each variant and section its drawn cards."""
        groups = [
            Group(index, section.pick, self.wishes.pools[index])
            for index, section in enumerate(self.info.sections)
            if section.pick is not None
        ]
        everything = sorted({card for group in groups for card in group.cards})
        first = choose(groups, self._fresh_first(ranked(everything, *self.key, "cards")))
        if short := rivals(groups, first):
            self.problems.append(self._rivalry([groups[index] for index in short]))
            return None
        if self.info.same_cards:
            return [self._by_section(groups, first)] * self.count
        return self._different_cards(groups, everything)

    def _fresh_first(self, names: Sequence[str]) -> list[str]:
        """Stable: cards of recent papers last."""
        return sorted(names, key=lambda name: name in self.used)

    def _by_section(
        self, groups: Sequence[Group], held: Sequence[Sequence[str]]
    ) -> list[list[str]]:
        drawn: list[list[str]] = [[] for _ in self.info.sections]
        for group, cards in zip(groups, held, strict=True):
            drawn[group.section] += cards
        return drawn

    def _different_cards(
        self, groups: Sequence[Group], everything: Sequence[str]
    ) -> list[list[list[str]]]:
        """Cards of its own for each variant, of equal difficulty and points section by section."""
        profile = self._profile(groups, everything)
        room = {name: min(len(self.cards[name].draws), self.count) for name in everything}
        uses: Counter[str] = Counter()
        chosen = []
        for index in range(self.count):
            order = ranked(everything, *self.key, "cards", index)
            order.sort(key=lambda name: (name in self.used, -(room[name] - uses[name])))
            held = choose(profile, order)
            uses.update(card for cards in held for card in cards)
            chosen.append(self._by_section(profile, held))
        return chosen

    def _profile(self, groups: Sequence[Group], everything: Sequence[str]) -> list[Group]:
        """The groups split by difficulty and points, as one choice happens to fall.

        Of several choices, the one whose scarcest split repeats a question least often.
        """
        choices = []
        for attempt in range(24):
            order = self._fresh_first(ranked(everything, *self.key, "profile", attempt))
            choices.append(self._split(groups, choose(groups, order)))
        return min(choices, key=self._repeats)

    def _split(self, groups: Sequence[Group], held: Sequence[Sequence[str]]) -> list[Group]:
        found = []
        for group, cards in zip(groups, held, strict=True):
            kinds = Counter(self._profile_of(group.section, card) for card in cards)
            for kind, count in sorted(kinds.items()):
                alike = tuple(c for c in group.cards if self._profile_of(group.section, c) == kind)
                found.append(Group(group.section, count, alike))
        return found

    def _repeats(self, groups: Sequence[Group]) -> int:
        """How many questions have to stand on two variants with equal numbers, at least."""
        repeats = 0
        for group in groups:
            room = sum(min(len(self.cards[card].draws), self.count) for card in group.cards)
            repeats += max(0, group.count * self.count - room)
        return repeats

    def _profile_of(self, section: int, card: str) -> tuple[int, Fraction]:
        return (
            self.cards[card].card.content.difficulty,
            points_of(self.info.sections[section], card),
        )

    def _draws(self, chosen: Sequence[Sequence[Sequence[str]]]) -> list[dict[str, int]]:
        """For each variant the draw of each of its cards, different ones while they last."""
        places: dict[str, list[int]] = defaultdict(list)
        for variant in range(self.count):
            for section, drawn in enumerate(chosen[variant]):
                for card in (*self.wishes.fixed[section], *drawn):
                    places[card].append(variant)
        found: list[dict[str, int]] = [{} for _ in range(self.count)]
        for card, variants in places.items():
            indices = self._draws_of(card, len(variants))
            for at, variant in enumerate(variants):
                found[variant][card] = indices[at % len(indices)]
        return found

    def _draws_of(self, card: str, wanted: int) -> list[int]:
        draws = self.cards[card].draws
        recent = [dict(draw) for draw in self.used.draws.get(card, ())]
        if not recent or len(draws) == 1:
            return some_of(range(len(draws)), min(wanted, len(draws)), *self.key, "draws", card)
        fresh = [index for index, draw in enumerate(draws) if dict(draw) not in recent]
        found = some_of(fresh, min(wanted, len(fresh)), *self.key, "draws", card)
        if len(found) < wanted:
            stale = [index for index in range(len(draws)) if index not in set(fresh)]
            more = min(wanted - len(found), len(stale))
            found += some_of(stale, more, *self.key, "stale draws", card)
        return found

    def _variant(
        self, label: str, drawn: Sequence[Sequence[str]], draws: Mapping[str, int]
    ) -> tuple[Slot, ...]:
        slots: list[Slot] = []
        for index, section in enumerate(self.info.sections):
            cards = [*self.wishes.fixed[index], *drawn[index]]
            mode = section.shuffle or self.info.shuffle
            if mode in ("questions", "both"):
                cards = ranked(cards, *self.key, "order", label)
            for card in cards:
                options = self._options(card, label, mode in ("options", "both"))
                points = points_of(section, card)
                slots.append(Slot(index, card, draws[card], points, options))
        return tuple(slots)

    def _options(self, card: str, label: str, move: bool) -> tuple[int, ...]:
        """A permutation of the options' places; those marked ``last`` keep the end."""
        content = self.cards[card].card.content
        if not isinstance(content, Question):
            return ()
        pinned = [index for index, option in enumerate(content.options) if option.last]
        free = [index for index, option in enumerate(content.options) if not option.last]
        if move:
            free = shuffled(free, *self.key, "options", label, card)
        return (*free, *pinned)

    def _rivalry(self, groups: Sequence[Group]) -> Problem:
        titles = [f"'{self.info.sections[group.section].title}'" for group in groups]
        picks = sum(group.count for group in groups)
        cards = {card for group in groups for card in group.cards}
        return self.blueprint.origin.problem(
            ("sections", groups[-1].section, "pick"),
            f"sections {', '.join(titles[:-1])} and {titles[-1]} pick {picks} cards together, "
            f"and their pools hold {len(cards)}",
        )

    def _say_what_recurs(self, chosen: Sequence[Sequence[Sequence[str]]]) -> None:
        """Warn of drawn cards that recent papers used, section by section."""
        for index, section in enumerate(self.info.sections):
            again = sorted(
                {card for variant in chosen for card in variant[index] if card in self.used}
            )
            if not again:
                continue
            pool = self.wishes.pools[index]
            stale = sum(card in self.used for card in pool)
            self.problems.append(
                self.blueprint.origin.problem(
                    ("sections", index, "pick"),
                    f"section '{section.title}' uses {len(again)} of recent papers' cards again: "
                    f"its pool holds {len(pool)}, and {stale} of them stood on recent papers",
                    severity="warning",
                    notes=tuple(Note(card) for card in again),
                )
            )
