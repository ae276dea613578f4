"""Shortcuts: where an attempt calls what does the work that the task asks to write."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from closedbook.grade.text.names import AUTOGRAD, Unknown, resolve
from closedbook.grade.text.outline import Outline


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A call that does the work which the task asks to write: its line and its name."""

    line: int
    what: str


def builtins(outline: Outline, name: str, forbidden: Iterable[str]) -> list[Shortcut]:
    """Ready-made operations that forward calls.

    A forbidden ``torch.nn`` stands for all below it, a forbidden ``log_softmax`` for every
    function and method of that name.
    """
    roots = tuple(root for root in forbidden if "." in root or root == "torch")
    names = set(forbidden) - set(roots)
    nodes = outline.reach(name, ("forward", "setup_context"))
    named = [
        Shortcut(node.lineno, f".{node.attr}" if outline.path(node) is None else node.attr)
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr in names
    ]
    named += [
        Shortcut(node.lineno, path)
        for node in nodes
        if isinstance(node, ast.Name) and (path := outline.paths.get(node.id))
        if path.rpartition(".")[2] in names
    ]
    return _paths_below(outline, nodes, roots) + named


def autograd(outline: Outline, name: str) -> list[Shortcut]:
    """Places where the Function asks autograd for a gradient."""
    nodes = outline.reach(name)
    found = _paths_below(outline, nodes, AUTOGRAD)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in {"requires_grad_", "backward"}:
            own = (
                isinstance(node.value, ast.Name)
                and node.value.id in outline.classes
                and outline.scopes.binder(node.value) is None
            )
            own |= isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
            if not own:
                found.append(Shortcut(node.lineno, f".{node.attr}"))
    return sorted(found, key=lambda shortcut: shortcut.line)


def _paths_below(outline: Outline, nodes: list[ast.AST], roots: tuple[str, ...]) -> list[Shortcut]:
    found = []
    for node in nodes:
        path = outline.path(node) if isinstance(node, ast.Attribute | ast.Name) else None
        if path is None:
            continue
        for root in roots:
            below = path == root or path.startswith(root + ".")
            if below and not _is_module(path):
                found.append(Shortcut(getattr(node, "lineno", 0), path))
                break
    return found


def _is_module(path: str) -> bool:
    try:
        value, reached = resolve(path)
    except Unknown:
        return False
    return reached == path and type(value).__name__ == "module"
