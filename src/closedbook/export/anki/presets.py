"""Anki's deck options that come with a unit.

Anki takes them over only where the learner ticks "Import any deck presets" at the first import;
FSRS itself cannot be switched on by a package.
"""

from __future__ import annotations

from typing import Any

from closedbook.export.anki.identity import preset_id
from closedbook.model.bank import Bank
from closedbook.model.unit import Preset
from closedbook.problem import Problem

DEFAULT = 1
"""The id of the preset that every collection has."""


def presets_of(bank: Bank) -> tuple[dict[int, dict[str, Any]], list[Problem]]:
    """The bank's presets by id. Two units that give one preset different values are a problem."""
    seen: dict[str, Preset] = {}
    problems: list[Problem] = []
    for unit in bank.units:
        preset = unit.info.preset
        if preset is None:
            continue
        if seen.setdefault(preset.name, preset) != preset:
            message = f"preset {preset.name!r} has other values in another unit"
            problems.append(unit.origin.problem(("preset",), message))
    return {id_of(bank, preset): as_json(bank, preset) for preset in seen.values()}, problems


def id_of(bank: Bank, preset: Preset | None) -> int:
    """The id of a unit's preset, Anki's own where the unit has none."""
    return DEFAULT if preset is None else preset_id(bank.info.id, preset.name)


def as_json(bank: Bank, preset: Preset) -> dict[str, Any]:
    """The preset as Anki's collections store it (schema 11)."""
    return _json(id_of(bank, preset), preset)


def _json(id: int, preset: Preset) -> dict[str, Any]:
    return {
        "id": id,
        "name": preset.name,
        "mod": 0,
        "usn": -1,
        "maxTaken": 60,
        "autoplay": True,
        "timer": 0,
        "replayq": True,
        "dyn": False,
        "desiredRetention": preset.desired_retention,
        "new": {
            "bury": True,
            "delays": [1.0, 10.0],
            "initialFactor": 2500,
            "ints": [1, 4, 0],
            "order": 1,
            "perDay": preset.new_per_day,
        },
        "rev": {
            "bury": True,
            "ease4": 1.3,
            "ivlFct": 1.0,
            "maxIvl": 36500,
            "perDay": preset.reviews_per_day,
            "hardFactor": 1.2,
        },
        "lapse": {
            "delays": [10.0],
            "leechAction": 1,
            "leechFails": 8,
            "minInt": 1,
            "mult": 0.0,
        },
    }


DEFAULT_JSON = _json(DEFAULT, Preset(name="Default"))
"""Anki's own preset, for formats that cannot leave it out."""
