"""Helpful words for the usual slips: class missing, wrong file, no staticmethod, no apply."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from closedbook.grade.reading import Reading
from closedbook.grade.verdict import Note
from closedbook.problem import did_you_mean

_STATIC = {"forward", "setup_context", "backward"}


def find_class(reading: Reading, wanted: str, others: set[str]) -> tuple[str | None, str, int]:
    """The class that stands for ``wanted``: by name, or the one Function that there is.

    ``others`` are the names that the task has for its other classes. Returns the class's name in
    the attempt (None where there is none), a sentence about it (empty where nothing is odd), and
    a line.
    """
    if wanted in reading.classes:
        line = reading.classes[wanted].lineno
        if reading.is_function(wanted):
            return wanted, "", line
        return None, f"{wanted} is a class, but no subclass of torch.autograd.Function", line
    alias = reading.alias_of(wanted)
    if alias is not None and reading.is_function(alias):
        return alias, f"{wanted} is another name for {alias}", reading.classes[alias].lineno
    spare = [name for name in reading.functions() if name not in others]
    if len(spare) == 1:
        line = reading.classes[spare[0]].lineno
        return spare[0], f"{spare[0]} is graded as {wanted}: the only Function in the file", line
    return None, *_missing(reading, wanted, spare)


def _missing(reading: Reading, wanted: str, spare: list[str]) -> tuple[str, int]:
    """Why there is no such class, in the words that help most."""
    for statement in reading.values.get(wanted, []):
        if isinstance(statement, ast.FunctionDef):
            words = f"{wanted} is a plain function: autograd differentiates it, nothing is written"
            return f"{words}. Write a subclass of torch.autograd.Function", statement.lineno
    if len(spare) > 1:
        return f"no class {wanted}, and several that it could be: {', '.join(spare)}", 0
    other = next(iter(reading.classes), None)
    near = did_you_mean(wanted, reading.classes)
    if other is not None:
        return f"no class {wanted}{near}: is this the right file? It defines {other}", 0
    return f"no class {wanted}: is this the right file?", 0


def slips(reading: Reading, function: str) -> Iterator[Note]:
    """What torch lets pass and a learner should know."""
    for name in sorted(_STATIC):
        method = reading.method(function, name)
        if method is None:
            continue
        decorators = {ast.unparse(decorator) for decorator in method.decorator_list}
        if "staticmethod" not in decorators:
            yield Note(
                f"{name} has no @staticmethod: Functions are never instantiated", method.lineno
            )
    for node in reading.nodes:
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == function:
            words = f"{function}(...) is called: a Function runs by {function}.apply(...)"
            yield Note(words, called.lineno)
