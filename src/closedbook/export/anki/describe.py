"""What stands below a deck's name: what it teaches, what it was checked with, what is retired."""

from __future__ import annotations

from closedbook.export.anki.evidence import release_of
from closedbook.export.anki.lock import Lock
from closedbook.model import course
from closedbook.model.bank import Unit
from closedbook.verify.verified import VerifiedBank

_MOST = 40


def description(verified: VerifiedBank, unit: Unit, lock: Lock) -> str:
    """A unit's deck description in Markdown."""
    outcomes = "\n".join(f"- {text}" for text in unit.info.outcomes.values())
    parts = [
        unit.info.description or f"**{unit.info.title}**",
        f"After this unit you can:\n\n{outcomes}",
        *_resources(unit),
        *_subjects(verified, "Comes after", unit.info.after),
        *_subjects(verified, "Leads to", unit.info.leads_to),
        f"{verified.bank.info.title}. Every answer was checked by a program, on torch "
        f"{release_of(verified.torch)}.",
    ]
    search = retired_search(lock)
    if search:
        parts.append(
            "Some cards were retired. This finds them in the browser, to suspend or delete:\n\n"
            f"    {search}"
        )
    return "\n\n".join(parts)


def _resources(unit: Unit) -> list[str]:
    """What to read beside the cards, in Markdown; nothing where the unit names nothing."""
    lines = [
        f"- {f'[{each.title}]({each.url})' if each.url else each.title}"
        f"{f'. {each.read}' if each.read else ''}"
        for each in unit.info.resources.values()
    ]
    return ["To read:\n\n" + "\n".join(lines)] if lines else []


def _subjects(verified: VerifiedBank, title: str, entries: tuple[str, ...]) -> list[str]:
    """What comes before or after the unit, in Markdown; nothing where it names nothing."""
    names = course.subjects(entries, verified.bank.units)
    return [f"{title}:\n\n" + "\n".join(f"- {name}" for name in names)] if names else []


def retired(lock: Lock) -> list[tuple[str, str]]:
    """The id (as in the note's first field) and the note type's name of each retired note."""
    found = []
    for key, entry in sorted(lock.notes.items()):
        if entry.retired:
            card, _, part = key.partition("/")
            kind, _, rest = part.partition(".")
            found.append((_shown_id(card, rest), f"closedbook {kind}"))
    return found


def _shown_id(card: str, rest: str) -> str:
    """The first field of a note: ``card``, ``card/2`` for a step, ``card#2`` for a draw."""
    step, _, draw = f".{rest}".partition(".draw.")
    step = step.removeprefix(".")
    return card + (f"/{step}" if step else "") + (f"#{draw}" if draw else "")


def retired_search(lock: Lock) -> str:
    """A search for Anki's browser that finds the retired notes; empty where there are none."""
    terms = [f'("note:{type_name}" "Id:{shown}")' for shown, type_name in retired(lock)]
    return " OR ".join(terms[:_MOST])
