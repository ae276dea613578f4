"""What is known of a Function before it runs: its arguments, and how each fact's name is read."""

from __future__ import annotations

import ast
import functools
import inspect
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from closedbook.model.value import Value
from closedbook.problem import did_you_mean
from closedbook.verify.run.facts import TENSOR_FACTS
from closedbook.verify.run.formula import language
from closedbook.verify.run.inputs import BadArgumentError
from closedbook.verify.run.loading import BrokenGeneratorError, Definition

_MOST_ASKS = 4096
CHECKS = ("gradcheck", "gradgradcheck")
_SPECIAL = ("returned", "returned.shapes", "saved.count", "saved.shapes", "needs_input_grad")
_GENERAL = ("raises", "warns", *CHECKS, *(f"{check}.message" for check in CHECKS))


@dataclass(frozen=True, slots=True)
class Ask:
    """How one fact is found: of what kind it is, of which tensor, which of its attributes."""

    kind: str
    key: str = ""
    attribute: str = ""
    tree: ast.expr | None = None


class _Whole(inspect.BoundArguments):
    """The arguments of a call that gives every one of them by its position."""

    @property
    def args(self) -> tuple[Any, ...]:
        """All of them."""
        return tuple(self.arguments.values())

    @property
    def kwargs(self) -> dict[str, Any]:
        """None of them."""
        return {}

    def apply_defaults(self) -> None:
        """There is nothing to add."""


class _Signature(inspect.Signature):
    """A signature that binds such a call as every signature does, in a fifth of the time."""

    def bind(self, /, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        """The arguments by name. Raises TypeError where they do not fit."""
        parameters = self.parameters
        kinds = [parameter.kind for parameter in parameters.values()]
        if kwargs or len(args) != len(kinds) or not _BY_POSITION.issuperset(kinds):
            return super().bind(*args, **kwargs)
        return _Whole(self, OrderedDict(zip(parameters, args, strict=True)))


_BY_POSITION = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}


class FunctionPlan:
    """A Function's arguments in order, which of them have defaults, and its observed double."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.function: Any = definition.value
        signature = inspect.signature(self.function.forward)
        # torch asks for it, and binds to it, on every call of a separate forward
        self.function.forward.__signature__ = _Signature(list(signature.parameters.values()))
        parameters = list(signature.parameters.values())
        base = torch.autograd.Function.setup_context
        self.separate = self.function.setup_context is not base
        if not self.separate:
            parameters = parameters[1:]
        self.names = tuple(parameter.name for parameter in parameters)
        self.required = tuple(p.name for p in parameters if p.default is p.empty)
        self.defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self.in_place = any(
            "mark_dirty" in getattr(getattr(part, "__code__", None), "co_names", ())
            for part in (self.function.forward, self.function.setup_context)
        )
        self.variadic = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
        self._asks: dict[str, Ask] = {}

    def check(self, arguments: Mapping[str, Value]) -> None:
        """Raise BadArgumentError where ``arguments`` do not fit ``forward``.

        Raises BrokenGeneratorError where none would.
        """
        name = self.definition.name
        if self.variadic:
            raise BrokenGeneratorError(
                f"{name}.forward takes a variable number of arguments: they have no names here",
                self.definition.place,
            )
        for given in arguments:
            if given not in self.names and not _numbered(given, "grad_output"):
                raise BadArgumentError(
                    f"{name} takes {_listed(self.names)}, not {given!r}"
                    f"{did_you_mean(given, (*self.names, 'grad_output'))}",
                    given,
                )
        for needed in self.required:
            if needed not in arguments:
                raise BadArgumentError(f"{name} needs {needed!r} in 'with'")

    @functools.cached_property
    def observed(self) -> Any:
        """The same Function, whose backward also notes what it handed back.

        It has the same name, so that messages of torch read alike.
        """
        name = "backward"
        if self.function.vjp is not torch.autograd.Function.vjp:
            name = "vjp"
        inner = getattr(self.function, name)
        noted: list[Any] = []

        def note(ctx: Any, *gradients: Any) -> Any:
            handed = inner(ctx, *gradients)
            noted.append(handed)
            return handed

        double = type(
            self.function.__name__,
            (self.function,),
            {name: staticmethod(note), "__module__": self.function.__module__},
        )
        double.noted = noted  # type: ignore[attr-defined]  # a class made here, with a list of its own
        return double

    def ask(self, name: str) -> Ask:
        """Return how the fact of that name is found; kind ``unknown`` where it is none."""
        found = self._asks.get(name)
        if found is None:
            if len(self._asks) >= _MOST_ASKS:  # cards that vary may bring ever new expressions
                self._asks.clear()
            found = self._asks[name] = self._read(name)
        return found

    def _read(self, name: str) -> Ask:
        if name in _GENERAL:
            return Ask("general", name)
        if name in _SPECIAL:
            return Ask("special", name)
        stem, _, attribute = name.rpartition(".")
        if attribute not in TENSOR_FACTS:
            stem, attribute = name, ""
        kind = self._kind(stem)
        if kind is not None:
            return Ask(kind, stem, attribute)
        if stem.isidentifier() or not any(mark in name for mark in "(.[+-*/@"):
            return Ask("unknown", name)
        try:
            tree = language.parse(name)
            # "77 + 0" is so whatever runs: a fact is one of the run.
            named = language.names_in(tree)
            return Ask("expression", name, tree=tree) if named else Ask("unknown", name)
        except language.FormulaError:
            return Ask("unknown", name)

    def _kind(self, stem: str) -> str | None:
        if _numbered(stem, "output"):
            return "output"
        if stem.startswith("grad_") and stem[5:] in self.names:
            return "grad"
        if _numbered(stem, "grad_output"):
            return "grad_output"
        return "argument" if stem in self.names else None

    def known(self, outputs: tuple[str, ...], grad_outputs: tuple[str, ...]) -> list[str]:
        """Return the names of facts, to say what an unknown one may have meant."""
        gradients = [f"grad_{name}" for name in self.names]
        stems = [*outputs, *gradients, *self.names, *grad_outputs]
        return [
            *stems,
            *(f"{stem}.{attribute}" for stem in stems for attribute in TENSOR_FACTS),
            *_SPECIAL,
            *_GENERAL,
        ]


def _numbered(stem: str, word: str) -> bool:
    return stem == word or (stem.startswith(word) and stem[len(word) :].isdigit())


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in names) or "no arguments"


@functools.lru_cache(maxsize=1024)
def plan_of(definition: Definition) -> FunctionPlan:
    """Return the plan of a definition, made once."""
    return FunctionPlan(definition)
