"""Run an experiment once and offer the facts that it returned."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import torch

from closedbook.model.value import Value
from closedbook.problem import did_you_mean
from closedbook.verify.run.binding import bind
from closedbook.verify.run.care import Care, Warned, surroundings
from closedbook.verify.run.facts import (
    NoSuchFactError,
    NotReachedError,
    Raised,
    Verdict,
    raised_of,
)
from closedbook.verify.run.formula import language
from closedbook.verify.run.formula.draws import values_differ
from closedbook.verify.run.inputs import plain
from closedbook.verify.run.limit import from_outside
from closedbook.verify.run.loading import Definition, Failure, Generators
from closedbook.verify.run.scrub import scrub
from closedbook.verify.verified import Fact

_MOST_BITS = 10_000
_DEEPEST = 64


class ExperimentRun:
    """One run of an experiment. Raises BadArgumentError when the arguments do not fit."""

    def __init__(
        self,
        definition: Definition,
        arguments: Mapping[str, Value],
        care: Care,
        generators: Generators,
    ) -> None:
        self.definition = definition
        self.given = arguments
        self.care = care
        self.generators = generators
        self._facts: dict[str, Fact] | None = None
        self._raised: Raised | None = None
        self._refused: Failure | None = None
        self._warned: tuple[Warned, ...] = ()
        self.printed = ""

    def run(self) -> None:
        """Call the experiment, once, with the engine's care around it."""
        if self._facts is not None:
            return
        self._facts = {}
        returned: Any = None
        imported = len(sys.modules)
        arguments = bind(self.definition, self.given, self.generators)
        self.care.full()
        if len(sys.modules) != imported:  # what an imported file changes is not for one run alone
            arguments = bind(self.definition, self.given, self.generators)
        with surroundings(self.care) as printed:
            try:
                returned = self.definition.value(**arguments)
            except BaseException as error:  # an experiment may raise anything
                if from_outside(error):
                    raise
                self._raised = raised_of(error, self.generators.root)
        self._warned = self.care.take()
        self.printed = scrub(printed.getvalue(), self.generators.root)
        if self._raised is None:
            self._take(returned)

    def _take(self, returned: Any) -> None:
        try:
            self._facts = flat(self.definition.name, returned)
        except BadFactError as problem:
            self._refused = Failure(str(problem), self.definition.place, broken=True)
        else:
            root = self.generators.root
            self._facts = {name: _scrubbed(fact, root) for name, fact in self._facts.items()}

    def failed(self) -> Raised | Failure | None:
        """Return what went wrong with the run as a whole."""
        self.run()
        return self._raised or self._refused

    def fact(self, name: str) -> Fact:
        """Return a fact of the run; see :class:`closedbook.verify.run.facts.Source`."""
        self.run()
        if name == "raises":
            return self._raised.said if self._raised else None
        if name == "warns":
            return [warned.said for warned in self._warned]
        facts = self._facts or {}
        if name in facts:
            return facts[name]
        if self._raised is not None:
            raise NotReachedError(self._raised.said)
        if self._refused is not None:
            raise NotReachedError(self._refused.text)
        known = sorted({*facts, "raises", "warns"})
        below = [key for key in facts if key.startswith(f"{name}.")]
        if below:
            raise NoSuchFactError(f"no such fact: it has {', '.join(below)}")
        hint = did_you_mean(name, known) or f": it returned {', '.join(facts) or 'none'}"
        raise NoSuchFactError(f"no such fact{hint}")

    def everything(self) -> dict[str, Fact]:
        """Return every fact, ``raises`` and ``warns`` among them where there are any."""
        self.run()
        found = dict(self._facts or {})
        if self._raised is not None:
            found["raises"] = self._raised.said
        if self._warned:
            found["warns"] = [warned.said for warned in self._warned]
        return found

    def raised(self) -> Raised | None:
        """Return what the experiment raised."""
        self.run()
        return self._raised

    def warned(self, names: frozenset[str]) -> tuple[Warned, ...]:
        """Return what was warned of during the run."""
        self.run()
        return self._warned

    def verdict(self, name: str) -> Verdict:
        """Read a verdict that the experiment returned: ``passes``, ``fails``, a truth value."""
        fact = self.fact(name)
        if isinstance(fact, bool):
            return Verdict(passes=fact)
        if isinstance(fact, str) and fact in ("passes", "fails"):
            return Verdict(passes=fact == "passes")
        raise NoSuchFactError(
            f"no verdict: {name!r} is {fact!r}; an experiment returns 'passes' or 'fails'"
        )

    def formula(self, name: str, expression: str) -> tuple[str, str] | None:
        """Compare a fact with a formula of the experiment's arguments and its other facts."""
        observed, tree = self.fact(name), language.parse(expression)
        if name not in self.given:
            language.refuse_itself(tree, name)
        known: dict[str, Any] = {key: _number(plain(value)) for key, value in self.given.items()}
        facts = {key: _number(value) for key, value in (self._facts or {}).items() if key != name}
        known |= facts
        return values_differ(_number(observed), language.evaluate(tree, known))


def _number(value: Any) -> Any:
    """A list of numbers as a tensor, so that a formula can use it; anything else as it is."""
    if isinstance(value, list):
        try:
            return torch.tensor(value, dtype=torch.float64)
        except (TypeError, ValueError):
            return value
    return value


def _scrubbed(fact: Fact, root: Any) -> Fact:
    if isinstance(fact, str):
        return scrub(fact, root)
    return [_scrubbed(item, root) for item in fact] if isinstance(fact, list) else fact


class BadFactError(ValueError):
    """What an experiment returned is no flat mapping of plain data; the text gives advice."""


def flat(name: str, returned: Any) -> dict[str, Fact]:
    """Return an experiment's facts, a mapping within flattened by a dot. Raises BadFactError."""
    if not isinstance(returned, Mapping):
        raise BadFactError(
            f"{name} returned {type(returned).__name__}: an experiment returns a dict of facts"
        )
    facts: dict[str, Fact] = {}
    for key, value in returned.items():
        if not isinstance(key, str):
            raise BadFactError(f"{name}: a fact's name is a text, not {key!r}")
        inside = value.items() if isinstance(value, Mapping) else ()
        found = {f"{key}.{inner}": item for inner, item in inside}
        for fact, item in (found if isinstance(value, Mapping) else {key: value}).items():
            if fact in facts:
                raise BadFactError(f"{name}: the fact {fact!r} is given twice")
            facts[fact] = _plain(name, fact, item)
    return facts


def _plain(experiment: str, name: str, value: Any, depth: int = 0) -> Fact:
    """Return ``value`` where it is plain data. Raises BadFactError with what to write instead."""
    if type(value) is int and value.bit_length() > _MOST_BITS:
        raise BadFactError(f"{experiment}: fact {name!r} is a number that is too long to be shown")
    if depth > _DEEPEST:
        what = f"nested more than {_DEEPEST} levels deep, or within itself"
        raise BadFactError(f"{experiment}: fact {name!r} is {what}")
    if value is None or type(value) in (bool, int, float, str):
        return value  # type: ignore[no-any-return]  # one of the plain types
    if isinstance(value, torch.Size):
        return tuple(value)
    if type(value) is tuple and all(type(item) is int for item in value):
        return value
    if type(value) in (list, tuple):
        return [_plain(experiment, name, item, depth + 1) for item in value]
    raise BadFactError(f"{experiment}: fact {name!r} is {_advice(value)}")


def _advice(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        short = ".item()" if value.numel() == 1 else ".tolist()"
        return f"a live tensor: return {short}, or tuple(x.shape) for its shape"
    if isinstance(value, BaseException):
        return "an exception, whose traceback keeps its tensors alive: return str(e)"
    if isinstance(value, torch.dtype):
        return "a torch.dtype: return str(x.dtype)"
    if isinstance(value, Mapping):
        return "a mapping within a mapping: facts are flat, one level within is the most"
    if type(value).__module__ == "numpy":
        return f"a numpy {type(value).__name__}: return .item() or .tolist()"
    if isinstance(value, set | frozenset):
        return "a set, which has no order: return sorted(…)"
    return f"a {type(value).__name__}: facts are None, bool, int, float, str, shapes and lists"
