"""What the outcome of a definition depends on: it, and all that it reaches, and nothing else."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping

from closedbook.model.bank import Bank
from closedbook.source.libraries import imported_libraries, version_of
from closedbook.source.python import Definition, Module, parse_modules

_DYNAMIC = frozenset(
    {"eval", "exec", "globals", "locals", "vars", "__import__", "importlib", "inspect", "sys",
     "__subclasses__", "__init_subclass__", "__getattr__"}
)  # fmt: skip
"""Names that can reach what no syntax tree shows: their user depends on its whole file."""

_ANYWHERE = frozenset({"__import__", "importlib", "import_module", "runpy"})
"""Names that can import any file: their user depends on all of them."""

_READING = frozenset(
    {"__file__", "__path__", "__spec__", "Path", "open", "load", "fromfile", "from_file", "loadtxt",
     "read_text", "read_bytes", "getcwd", "chdir", "listdir", "scandir", "glob", "get_data"}
)  # fmt: skip
"""Names that can read a file which is no Python: their user depends on all of these."""

Node = tuple[str, str | None]
"""A name in a module (path, name); None for everything in it."""

_DATA: Node = ("", None)
"""Stands for what lies beside the sources."""

EFFECTS = ""
"""The name that stands for what a module does when it is imported, beside binding names."""


class Digests:
    """The dependencies of the definitions in some files, at the granularity of definitions."""

    def __init__(self, sources: dict[str, str], data: Mapping[str, str] | None = None) -> None:
        """``data`` maps the files that are no Python to their digests."""
        self._modules, _ = parse_modules(sources)
        self._data = set((data or {}).items())
        self._homes: dict[str, str] = {}
        self._known_statements: dict[int, tuple[str, set[Node]]] = {}
        self._edges: dict[Node, tuple[set[tuple[str, str]], set[Node]]] = {}
        self._known: dict[tuple[str, bool], str] = {}
        for module in self._modules.values():
            for statement in module.tree.body:
                if isinstance(statement, Definition) and any(
                    module.mark_of(decorator) for decorator in statement.decorator_list
                ):
                    self._homes.setdefault(statement.name, module.path)

    @classmethod
    def of_bank(cls, bank: Bank) -> Digests:
        """Those of a bank, read from its files."""
        sources, data = {}, {}
        for path, digest in bank.digests.items():
            if not path.startswith("generators/"):
                continue
            if not path.endswith(".py"):
                data[path] = digest
            else:
                try:
                    sources[path] = (bank.root / path).read_text(encoding="utf-8-sig")
                except (OSError, UnicodeDecodeError):
                    continue
        return cls(sources, data)

    def digest_of(self, name: str, *, mark: bool = False) -> str:
        """SHA-256 (hex) of a marked definition and of all that it reaches.

        It covers the syntax, so comments and layout do not count, and the versions of libraries
        that are imported. closedbook's own decorator counts where ``mark``, and ``isolated``
        always. An unknown name has the digest of nothing.
        """
        key = (name, mark)
        if key not in self._known:
            digest = hashlib.sha256(f"{name} {mark}".encode())
            for path, text in sorted(self._reached(name, mark)):
                digest.update(f"{path}\0{text}\0".encode())
            self._known[key] = digest.hexdigest()
        return self._known[key]

    def _reached(self, name: str, mark: bool) -> set[tuple[str, str]]:
        home = self._homes.get(name)
        if home is None:
            return set()
        todo: list[Node] = [(home, name)]
        reached: set[tuple[str, str]] = set()
        if mark:
            module = self._modules[home]
            definition = module.definition(name)
            for decorator in definition.decorator_list if definition else ():
                if module.mark_of(decorator):
                    reached.add((home, ast.dump(decorator)))
                    todo += _named(self._modules, module, decorator)
        seen: set[Node] = set()
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                texts, following = self._edges_of(node)
                reached |= texts
                todo += following
        return reached

    def _edges_of(self, node: Node) -> tuple[set[tuple[str, str]], set[Node]]:
        """The statements that stand for a node, and the nodes that they mention."""
        if node not in self._edges:
            path, name = node
            texts: set[tuple[str, str]] = set()
            following: set[Node] = set()
            module = self._modules.get(path)
            if node == _DATA:
                texts |= self._data
            if module is not None:
                for statement in _statements_of(module, name):
                    text, mentioned = self._read(module, statement)
                    texts.add((path, text))
                    following |= mentioned
                following |= self._around(module, name)
            self._edges[node] = texts, following
        return self._edges[node]

    def _around(self, module: Module, name: str | None) -> set[Node]:
        """What a module's imports add to any name of it."""
        nodes: set[Node] = {(star, None) for star in module.stars}
        # A sibling runs when it is imported, whichever of its names is used.
        nodes |= {(imported.path, EFFECTS) for imported in module.imports.values()}
        nodes |= set(_packages(module.path, self._modules))
        imported = module.imports.get(name) if name else None
        if imported:
            nodes.add((imported.path, imported.name))
        return nodes

    def _read(self, module: Module, statement: ast.stmt) -> tuple[str, set[Node]]:
        key = id(statement)
        if key not in self._known_statements:
            nodes = set(_named(self._modules, module, statement))
            words = _words_of(statement)
            if not words.isdisjoint(_DYNAMIC):
                nodes.add((module.path, None))
            if not words.isdisjoint(_ANYWHERE):
                nodes.update((path, None) for path in self._modules)
            if not words.isdisjoint(_READING):
                nodes.add(_DATA)
            versions = map(version_of, sorted(imported_libraries(statement)))
            self._known_statements[key] = "\n".join([_dump(module, statement), *versions]), nodes
        return self._known_statements[key]


def _statements_of(module: Module, name: str | None) -> Iterator[ast.stmt]:
    if name is None:
        yield from module.tree.body
        return
    yield from module.bindings.get(name, [])
    yield from module.effects


def _words_of(statement: ast.stmt) -> set[str]:
    """The names and attributes that a statement uses, and what it defines."""
    words: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, Definition):
            words.add(node.name)
    return words


def _dump(module: Module, statement: ast.stmt) -> str:
    """The syntax of a statement, its closedbook decorators left out but for ``isolated``."""
    if not isinstance(statement, Definition):
        return ast.dump(statement)
    ours = [d for d in statement.decorator_list if module.mark_of(d)]
    if not ours:
        return ast.dump(statement)
    isolated = [
        ast.dump(keyword)
        for decorator in ours
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if keyword.arg == "isolated"
    ]
    kept = statement.decorator_list
    statement.decorator_list = [d for d in kept if d not in ours]
    try:
        return ast.dump(statement) + "".join(isolated)
    finally:
        statement.decorator_list = kept


def _named(modules: dict[str, Module], module: Module, root: ast.AST) -> list[Node]:
    """The names of its module, or of siblings, that a piece of syntax mentions.

    A name that is local to a function but equal to one of the module counts as that one: rather a
    check that runs once too often than one that does not run.
    """
    nodes: list[Node] = []
    whole: dict[str, int] = {}
    skipped = _own_decorators(module, root)
    for node in ast.walk(root):
        if node in skipped:
            continue
        if isinstance(node, ast.ImportFrom):
            nodes += _imported(modules, module.path, node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            imported = module.imports.get(node.value.id)
            if imported is not None and imported.name is None:
                nodes += _attribute(modules, imported.path, node.attr)
                whole[node.value.id] = whole.get(node.value.id, 0) - 1
        if isinstance(node, ast.Name):
            imported = module.imports.get(node.id)
            if imported is None:
                nodes.append((module.path, node.id))
            elif imported.name is None:
                whole[node.id] = whole.get(node.id, 0) + 1
            else:
                nodes.append((imported.path, imported.name))
    # A module that is handed on as a whole may be used in any way.
    nodes += [(module.imports[name].path, None) for name, uses in whole.items() if uses > 0]
    return nodes


def _imported(modules: dict[str, Module], path: str, node: ast.ImportFrom) -> Iterator[Node]:
    """What an import in the midst of other code reaches: a module counts as a whole."""
    package = path.split("/")[: -node.level]
    if not node.level or not package:
        return
    base = "/".join([*package, *(node.module or "").split(".")]).rstrip("/")
    within = [p for p in (f"{base}.py", f"{base}/__init__.py") if p in modules]
    for alias in node.names:
        inner = f"{base}/{alias.name}"
        yield from ((p, None) for p in modules if p == f"{inner}.py" or p.startswith(f"{inner}/"))
        yield from ((p, None if alias.name == "*" else alias.name) for p in within)


def _attribute(modules: dict[str, Module], path: str, name: str) -> list[Node]:
    """What ``module.name`` reaches: a binding, a module of a package, or else all of it."""
    target = modules.get(path)
    if target is not None and (name in target.bindings or name in target.imports):
        return [(path, name)]
    below = path.removesuffix("__init__.py")
    inner = [p for p in (f"{below}{name}.py", f"{below}{name}/__init__.py") if p in modules]
    return [(p, None) for p in (path, *inner)]


def _own_decorators(module: Module, root: ast.AST) -> set[ast.AST]:
    if not isinstance(root, Definition):
        return set()
    ours = [d for d in root.decorator_list if module.mark_of(d)]
    return {node for decorator in ours for node in ast.walk(decorator)}


def _packages(path: str, modules: dict[str, Module]) -> list[Node]:
    """The ``__init__.py`` files that run before a module does."""
    parts = path.split("/")[:-1]
    above = ("/".join(parts[: n + 1]) + "/__init__.py" for n in range(len(parts)))
    return [(init, EFFECTS) for init in above if init in modules]
