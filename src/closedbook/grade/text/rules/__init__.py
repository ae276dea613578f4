"""The rules of the plain language. One row a node type: what is outside it, at such a node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from closedbook.grade.text.breach import Breach
from closedbook.grade.text.lookup import Lookup
from closedbook.grade.text.rules.attributes import attribute
from closedbook.grade.text.rules.definitions import class_, function
from closedbook.grade.text.rules.imports import import_
from closedbook.grade.text.rules.names import name
from closedbook.grade.text.rules.statements import capture, global_, odd

TABLE: dict[type[ast.AST], Callable[[Lookup, Any], Iterator[Breach]]] = {
    ast.AsyncFunctionDef: odd,
    ast.AsyncFor: odd,
    ast.AsyncWith: odd,
    ast.Await: odd,
    ast.MatchClass: odd,
    ast.Import: import_,
    ast.ImportFrom: import_,
    ast.Attribute: attribute,
    ast.Name: name,
    ast.FunctionDef: function,
    ast.ClassDef: class_,
    ast.Global: global_,
    ast.ExceptHandler: capture,
    ast.MatchAs: capture,
    ast.MatchStar: capture,
    ast.MatchMapping: capture,
}
"""What is not in it is inside the language; two names with underscores are looked for anywhere."""
