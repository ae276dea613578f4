"""What a rule of the language may look up about the file that its node stands in."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from closedbook.grade.text.bindings import ambiguous, own_attributes, stores, twice
from closedbook.grade.text.live import live
from closedbook.grade.text.names import attribute_names, imports, path_of
from closedbook.grade.text.scopes import Scopes

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Lookup:
    """One file: the nodes that can run, its scopes, imports, and what binds its names.

    ``paths`` maps a name to the dotted path that it stands for; ``imported`` are those of its
    names that import statements bind. ``stored`` and ``loaded`` count names.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.nodes = live(tree)
        self.scopes = Scopes(tree)
        self.parents = self.scopes.parents
        self.paths = {name: path for name, path, _ in imports(tree)}
        self.imported = frozenset(self.paths)
        self.twice = twice(tree)
        self.stored = Counter(stores(tree))
        self.ambiguous = ambiguous(tree)
        self._bound_in: dict[ast.AST, Counter[str]] = {}
        self.paths |= dict(self._aliases(tree))
        self.loaded = Counter(n.id for n in self.nodes if isinstance(n, ast.Name))
        self.known = attribute_names() | own_attributes(self.nodes)

    def _aliases(self, tree: ast.Module) -> Iterator[tuple[str, str]]:
        """``Tensor = torch.Tensor`` at the top of the file is one more name for the class."""
        for statement in tree.body:
            if not isinstance(statement, ast.Assign | ast.AnnAssign):
                continue
            path = self.path(statement.value)
            if isinstance(statement, ast.AnnAssign):
                targets: list[ast.expr] = [statement.target]
            else:
                targets = statement.targets
            for target in targets:
                if path is not None and isinstance(target, ast.Name):
                    yield target.id, path

    def path(self, node: ast.AST | None) -> str | None:
        """The dotted path that an expression spells, whatever a function may call its own."""
        return path_of(node, self.paths)

    def binds(self, function: ast.AST) -> Counter[str]:
        """How often a function binds each name; counted once."""
        if function not in self._bound_in:
            self._bound_in[function] = Counter(stores(function))
        return self._bound_in[function]

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that a node stands in, from the inside out."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def enclosing(self, node: ast.AST) -> ast.AST | None:
        """The function that a node stands in; None at the top of the file or of a class."""
        return next((p for p in self.above(node) if isinstance(p, _FUNCTIONS)), None)
