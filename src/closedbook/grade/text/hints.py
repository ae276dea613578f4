"""Helpful words for the usual hints: class missing, wrong file, no staticmethod, no apply."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from closedbook.grade.text.outline import Outline
from closedbook.grade.verdict import Remark
from closedbook.problem import did_you_mean

_STATIC = {"forward", "setup_context", "backward"}
_CONTEXT = {"ctx", "context", "self"}
"""What the first argument is called where it is meant to be the context."""


def find_class(outline: Outline, wanted: str, others: set[str]) -> tuple[str | None, str, int]:
    """The class that stands for ``wanted``: by name, or the one Function that there is.

    ``others`` are the names that the task has for its other classes. Returns the class's name in
    the attempt (None where there is none), a sentence about it (empty where nothing is odd), and
    a line.
    """
    if wanted in outline.classes:
        line = outline.classes[wanted].lineno
        if outline.is_function(wanted):
            return wanted, "", line
        return None, f"{wanted} is a class, but no subclass of torch.autograd.Function", line
    alias = outline.alias_of(wanted)
    if alias is not None and outline.is_function(alias):
        return alias, f"{wanted} is another name for {alias}", outline.classes[alias].lineno
    spare = [name for name in outline.functions() if name not in others]
    if len(spare) == 1:
        line = outline.classes[spare[0]].lineno
        return spare[0], f"{spare[0]} is graded as {wanted}: the only Function in the file", line
    return None, *_missing(outline, wanted, spare)


def _missing(outline: Outline, wanted: str, spare: list[str]) -> tuple[str, int]:
    """Why there is no such class, in the words that help most."""
    for statement in outline.values.get(wanted, []):
        if isinstance(statement, ast.FunctionDef):
            words = f"{wanted} is a plain function: autograd differentiates it, nothing is written"
            return f"{words}. Write a subclass of torch.autograd.Function", statement.lineno
    if len(spare) > 1:
        return f"no class {wanted}, and several that it could be: {', '.join(spare)}", 0
    other = next(iter(outline.classes), None)
    near = did_you_mean(wanted, outline.classes)
    if other is not None:
        return f"no class {wanted}{near}: is this the right file? It defines {other}", 0
    return f"no class {wanted}: is this the right file?", 0


def hints(outline: Outline, function: str) -> Iterator[Remark]:
    """What torch lets pass and a learner should know."""
    for name in sorted(_STATIC):
        method = outline.method(function, name)
        if method is None:
            continue
        decorators = {ast.unparse(decorator) for decorator in method.decorator_list}
        if "staticmethod" not in decorators:
            yield Remark(
                f"{name} has no @staticmethod: Functions are never instantiated", method.lineno
            )
    yield from _context_of_forward(outline, function)
    for node in outline.nodes:
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == function:
            words = f"{function}(...) is called: a Function runs by {function}.apply(...)"
            yield Remark(words, called.lineno)


def _context_of_forward(outline: Outline, function: str) -> Iterator[Remark]:
    """A ``forward(ctx, ...)`` beside a ``setup_context``: the inputs are then one too few."""
    forward = outline.method(function, "forward")
    if forward is None or outline.binding(function, "setup_context") is None:
        return
    first = next(iter([*forward.args.posonlyargs, *forward.args.args]), None)
    if first is not None and first.arg in _CONTEXT:
        yield Remark(
            f"forward takes {first.arg} beside a setup_context: where that is there, forward gets "
            f"the inputs alone, and setup_context gets ctx. Take {first.arg} out of forward",
            forward.lineno,
        )
