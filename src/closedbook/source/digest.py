"""What the outcome of a definition depends on: it, and all that it reaches, and nothing else."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from closedbook.model.bank import Bank
from closedbook.source.effects import effects_of
from closedbook.source.libraries import imported_libraries, version_of
from closedbook.source.mentions import (
    EFFECTS,
    Node,
    dump,
    named,
    packages,
    texts_of,
    words_of,
)
from closedbook.source.python import Definition, Module, parse_modules
from closedbook.source.siblings import Siblings

_DYNAMIC = frozenset(
    {"eval", "exec", "globals", "locals", "vars", "__import__", "importlib", "inspect", "sys",
     "__subclasses__", "__init_subclass__", "__getattr__"}
)  # fmt: skip
"""Names that can reach what no syntax tree shows: their user depends on its whole file."""

_ANYWHERE = frozenset({"__import__", "importlib", "import_module", "runpy", "__subclasses__"})
"""Names that can reach into any file: their user depends on all of them."""

_READING = frozenset(
    {"__file__", "__path__", "__spec__", "Path", "open", "load", "fromfile", "from_file", "loadtxt",
     "genfromtxt", "read_text", "read_bytes", "getcwd", "chdir", "listdir", "scandir", "glob",
     "get_data", "linecache", "fileinput", "mmap", "memmap", "sqlite3", "subprocess", "Popen",
     "system", "popen", "execv", "CDLL", "read_csv", "read_table", "load_file", "imread"}
)  # fmt: skip
"""Names that can read a file which is no Python: their user depends on all of these."""

_RUNNING = frozenset(
    {"eval", "exec", "compile", "literal_eval", "ast", "tokenize", "linecache", "glob", "rglob",
     "iterdir", "listdir", "scandir", "walk"}
)  # fmt: skip
"""Names that hint that a file which is read may be Python."""

_DATA: Node = ("", None)
"""Stands for what lies beside the sources."""

_PYTHON: Node = ("", "python")
"""Stands for the use of Python's sources as text; it matters to who reads files."""


class Digests:
    """The dependencies of the definitions in some files, at the granularity of definitions."""

    def __init__(self, sources: dict[str, str], data: Mapping[str, str] | None = None) -> None:
        """``data`` maps the files that are no Python to their digests."""
        self._modules, _ = parse_modules(sources)
        self._siblings = Siblings(sources)
        self._effects = effects_of(self._modules)
        self._sources = sources
        self._data = set((data or {}).items())
        # `d.csv`, and what builds such a name: `.csv`.
        paths = map(PurePosixPath, data or ())
        self._endings = tuple({path.suffix or path.name for path in paths})
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
                file = bank.root / path
                try:
                    if file.is_file():  # to open a pipe would wait for ever
                        sources[path] = file.read_text(encoding="utf-8-sig")
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
                    todo += named(self._modules, module, decorator)
        seen: set[Node] = set()
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                texts, following = self._edges_of(node)
                reached |= texts
                todo += following
        if {_DATA, _PYTHON} <= seen:
            reached |= self._sources.items()
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
                for statement in self._statements_of(module, name):
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
        nodes |= {(path, EFFECTS) for path in module.runs}
        nodes |= set(packages(module.path, self._modules))
        imported = module.imports.get(name) if name else None
        if imported:
            nodes.add((imported.path, imported.name))
        elif name and name not in module.bindings and name != "__getattr__":
            nodes.add((module.path, "__getattr__"))  # the module's own, where it has one
        return nodes

    def _statements_of(self, module: Module, name: str | None) -> Iterator[ast.stmt]:
        if name is None:
            yield from module.tree.body
            return
        yield from module.bindings.get(name, [])
        yield from self._effects[module.path]

    def _read(self, module: Module, statement: ast.stmt) -> tuple[str, set[Node]]:
        key = id(statement)
        if key not in self._known_statements:
            nodes = set(named(self._modules, module, statement))
            syntax = list(ast.walk(statement))
            nodes.update((path, None) for path in self._absolute(module, syntax))
            words, texts = words_of(syntax), texts_of(syntax)
            if not words.isdisjoint(_DYNAMIC):
                nodes.add((module.path, None))
            if not words.isdisjoint(_ANYWHERE):
                nodes.update((path, None) for path in self._modules)
            names_file = any(ending in text for text in texts for ending in self._endings)
            if names_file or not words.isdisjoint(_READING):
                nodes.add(_DATA)
            if not words.isdisjoint(_RUNNING) or any(".py" in text for text in texts):
                nodes.add(_PYTHON)
            versions = map(version_of, sorted(imported_libraries(statement)))
            self._known_statements[key] = "\n".join([dump(module, statement), *versions]), nodes
        return self._known_statements[key]

    def _absolute(self, module: Module, syntax: Iterable[ast.AST]) -> Iterator[str]:
        """The bank's files that an absolute import may find."""
        for node in syntax:
            if isinstance(node, ast.Import) or (
                isinstance(node, ast.ImportFrom) and not node.level
            ):
                yield from self._siblings.run_by(module.path, node)
