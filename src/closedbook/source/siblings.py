"""Which files of a bank an import runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from closedbook.source.libraries import TOLD


class Siblings:
    """The Python files of a bank, by their paths from its root."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(paths)
        self._words = {word for path in self.paths for word in path[:-3].split("/")}

    def at(self, base: str) -> str | None:
        """The file that ``base``, a path without its ending, is imported from."""
        return next((p for p in (f"{base}.py", f"{base}/__init__.py") if p in self.paths), None)

    def run_by(self, path: str, node: ast.Import | ast.ImportFrom) -> list[str]:
        """The files that run where ``node`` stands in the file ``path``.

        An absolute import may find a file as well: a folder of the bank can be on ``sys.path``.
        """
        if isinstance(node, ast.ImportFrom) and node.level:
            package = path.split("/")[: -node.level]
            base = "/".join([*package, *(node.module or "").split(".")]).rstrip("/")
            found = (self.at(base), *(self.at(f"{base}/{alias.name}") for alias in node.names))
            return [file for file in found if file is not None] if package else []
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name}" for name in names]
        return [file for name in names for file in self._on_path(name)]

    def _on_path(self, name: str) -> list[str]:
        parts = name.split(".")
        if parts[0] in TOLD or parts[0] not in self._words:
            return []
        tails = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        ends = tuple(f"/{tail}{end}" for tail in tails for end in (".py", "/__init__.py"))
        return sorted(path for path in self.paths if f"/{path}".endswith(ends))
