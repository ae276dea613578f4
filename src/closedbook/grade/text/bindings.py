"""What the text of an attempt binds: names, attributes, and what stands for two things."""

from __future__ import annotations

import ast

from closedbook.grade.text.names import NOT_ATTRIBUTES, imports, kept_attributes
from closedbook.grade.text.scopes import Scopes, identifiers


def ambiguous(tree: ast.Module) -> set[ast.ClassDef]:
    """Classes whose name may stand for something else when it is graded.

    A later class of the same name at the top replaces an earlier one; anything else is in doubt.
    """
    classes: dict[str, list[ast.ClassDef]] = {}
    others: set[str] = set()
    scopes = Scopes(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            classes.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others |= {node.id} if scopes.binder(node) is None else set()
        elif not isinstance(node, ast.arg):
            others |= set(identifiers(node))
    doubtful = set()
    for name, found in classes.items():
        nested = [node for node in found if not isinstance(scopes.parents[node], ast.Module)]
        if name in others or (nested and len(found) > 1):
            doubtful |= {*found}
    return doubtful


def twice(tree: ast.Module) -> set[str]:
    """Names that imports bind to more than one thing. ``import a.b`` binds ``a`` alone."""
    found: dict[str, set[str]] = {}
    for name, path, statement in imports(tree):
        whole = isinstance(statement, ast.Import) and path.startswith(f"{name}.")
        found.setdefault(name, set()).add(name if whole else path)
    return {name for name, paths in found.items() if len(paths) > 1}


def own_attributes(nodes: list[ast.AST]) -> frozenset[str]:
    """Attributes that the attempt itself makes: on ctx, on self, in its classes."""
    names = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef):
                    names.add(statement.name)
                targets = getattr(statement, "targets", [getattr(statement, "target", None)])
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return (
        frozenset(name for name in names if not name.startswith("__"))
        - NOT_ATTRIBUTES
        - kept_attributes()
    )


def stores(tree: ast.AST) -> list[str]:
    """Every name that is bound in a tree, as often as it is: variables, parameters, definitions."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.append(node.id)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node is not tree:
            names.append(node.name)
    return names
