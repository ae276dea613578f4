"""A claim: a sentence on the answer side, with the check that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from closedbook.model.expect import Expectation
from closedbook.model.origin import Loc
from closedbook.model.value import Value

DEFAULT_TIMEOUT = 20.0

Role = Literal["answer", "claim", "step", "result", "option", "fix", "card"]
"""What a claim is on its card. ``card``: the card's own check, where no sentence goes with it."""


@dataclass(frozen=True, slots=True)
class Check:
    """``run`` (a reference, a flawed Function or an experiment), its arguments, what to expect.

    ``expect`` is flat: a mapping such as ``saved: {after_backward: alive}`` has become
    ``saved.after_backward``. ``locs`` says for each fact where in the card its expectation
    stands; ``loc`` is the place of the check itself (of the inherited one where ``run`` and
    ``with`` come from the card). ``timeout`` is in seconds.
    """

    run: str
    arguments: Mapping[str, Value]
    expect: Mapping[str, Expectation]
    loc: Loc = ()
    locs: Mapping[str, Loc] = field(default_factory=dict)
    timeout: float = DEFAULT_TIMEOUT


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence (Markdown; empty for role ``card``) and its check.

    ``check`` is None only where ``unchecked`` gives the reason. ``loc`` is the claim's place in
    the card (``("claims", 0)``, ``("steps", 2)``, ``("answer",)``, ``("options", 1)``,
    ``("result",)``, ``("fix",)``), ``say_loc`` that of its text. ``quote`` names the fact whose
    text is printed below the sentence. ``versions`` is a specifier such as ``>=2.13``.
    """

    role: Role
    say: str
    loc: Loc
    say_loc: Loc
    check: Check | None
    unchecked: str | None = None
    quote: str | None = None
    versions: str | None = None
