"""Names of generators that lead nowhere: what was probably meant, or what the definition lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from closedbook.model.bank import Generator, Generators
from closedbook.problem import did_you_mean


def hint(name: str, generators: Mapping[str, Generator], known: Iterable[str] | None = None) -> str:
    """What to say behind ``nothing is called NAME``; ``known`` are the names that would do."""
    unmarked = generators.unmarked if isinstance(generators, Generators) else {}
    if name not in generators and name in unmarked:
        place, lack = unmarked[name]
        return f": {place} defines it {lack}"
    return did_you_mean(name, generators if known is None else known)


def no_reference(name: str, generators: Mapping[str, Generator]) -> str:
    """Why a task cannot be graded against ``name``."""
    known = [each for each, generator in generators.items() if generator.role == "reference"]
    found = generators.get(name)
    if found is None:
        return f"no reference is called {name!r}{hint(name, generators, known)}"
    wanted = "a task is graded against a torch.autograd.Function that is marked @reference"
    what = "an experiment" if found.role == "experiment" else "marked @flawed"
    return f"{wanted}: {name!r} is {what}{did_you_mean(name, known)}"
