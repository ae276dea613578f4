"""The definitions in ``generators/``, known from their syntax: nothing is run or imported."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import Counter
from typing import Any, cast

from closedbook.model.bank import Generator, Generators
from closedbook.problem import Note, Place, Problem, did_you_mean
from closedbook.source.names import hint
from closedbook.source.python import MARKS, Definition, Module, parse_modules

_DEFINED = re.compile(r"^(?:class|def) +(\w+)", re.MULTILINE)
ANY = "**"
"""Stands among a generator's parameters where it takes any name, or where they are not known."""

_EXPECTED = {
    "reference": ({"example", "double_backward"}, {"example"}, "@reference(example={…})"),
    "flawed": ({"of", "caught_by"}, {"of", "caught_by"}, '@flawed(of=…, caught_by="…")'),
    "experiment": ({"isolated"}, set(), "@experiment"),
}


def index_generators(sources: dict[str, str]) -> tuple[Generators, list[Problem]]:
    """The marked definitions of the files ``path -> text`` by name, and what is wrong with them."""
    modules, problems = parse_modules(sources)
    index = Generators()
    for module in modules.values():
        for statement in module.tree.body:
            if not isinstance(statement, Definition):
                continue
            index.unmarked.setdefault(statement.name, _unmarked(module, statement))
            for decorator in statement.decorator_list:
                role = module.mark_of(decorator)
                if role is None:
                    continue
                problems += _decorator_problems(module, statement, decorator, role)
                generator = _generator(modules, module, statement, decorator, role)
                first = index.setdefault(generator.name, generator)
                if first is not generator:
                    note = Note("first defined here", first.place)
                    message = f"the name {generator.name!r} is taken: names are unique in a bank"
                    problems.append(_problem(module, statement, message, note))
    doubtful = doubtful_names(sources) if problems else frozenset()
    problems += _flawed_problems(index, modules, doubtful)
    return index, problems


def _unmarked(module: Module, statement: Definition) -> tuple[Place, str]:
    """Where a definition stands that no card can name, and what keeps it from being named."""
    place = Place(module.path, statement.lineno)
    for decorator in statement.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Name) and called.id in MARKS:
            return place, f"and does not import {called.id} (from closedbook import {called.id})"
    is_class = isinstance(statement, ast.ClassDef)
    return place, f"without {'@reference' if is_class else '@experiment'}"


def doubtful_names(sources: dict[str, str]) -> frozenset[str]:
    """Names of which no definition can be told: defined twice, or in a file that is no Python."""
    modules, _ = parse_modules(sources)
    marked = Counter(
        statement.name
        for module in modules.values()
        for statement in module.tree.body
        if isinstance(statement, Definition)
        and any(module.mark_of(decorator) for decorator in statement.decorator_list)
    )
    broken = (text for path, text in sources.items() if path not in modules)
    return frozenset(name for name, count in marked.items() if count > 1).union(
        *(_DEFINED.findall(text) for text in broken)
    )


def _problem(module: Module, node: ast.AST, message: str, *notes: Note) -> Problem:
    line = getattr(node, "lineno", 0)
    text = module.lines.line(line)
    column = len(text.encode()[: getattr(node, "col_offset", 0)].decode("utf-8", "ignore")) + 1
    return Problem(Place(module.path, line, column), message, excerpt=text, notes=notes)


def _decorator_problems(
    module: Module, statement: Definition, decorator: ast.expr, role: str
) -> list[Problem]:
    known, needed, usage = _EXPECTED[role]
    is_class = isinstance(statement, ast.ClassDef)
    if is_class == (role == "experiment"):
        what = "a function" if role == "experiment" else "a class (a torch.autograd.Function)"
        return [_problem(module, decorator, f"@{role} marks {what}, not {statement.name!r}")]
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    given = {keyword.arg for keyword in keywords}
    positional = isinstance(decorator, ast.Call) and decorator.args
    if positional or (needed - given and None not in given):
        return [_problem(module, decorator, f"@{role} is written {usage}")]
    return [
        _problem(
            module,
            keyword.value,
            f"@{role} takes no {keyword.arg!r}{did_you_mean(str(keyword.arg), known)}",
        )
        for keyword in keywords
        if keyword.arg is not None and keyword.arg not in known
    ]


def _generator(
    modules: dict[str, Module],
    module: Module,
    statement: Definition,
    decorator: ast.expr,
    role: str,
) -> Generator:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    mark = {k.arg: ast.unparse(k.value) for k in keywords if k.arg is not None}
    parameters, required = _signature(modules, module, statement)
    return Generator(
        name=statement.name,
        role=cast("Any", role),  # a key of _EXPECTED is a role
        path=module.path,
        line=statement.lineno,
        source=source_of(module, statement),
        mark=mark,
        parameters=parameters,
        required=required,
        functions=_functions(statement),
    )


def _functions(statement: Definition) -> tuple[str, ...]:
    """The parameters of an experiment that are annotated as classes of Functions."""
    if isinstance(statement, ast.ClassDef):
        return ()
    arguments = (*statement.args.args, *statement.args.kwonlyargs)
    return tuple(
        a.arg
        for a in arguments
        if a.annotation is not None
        and (text := ast.unparse(a.annotation).strip("'\"")).startswith(("type[", "Type["))
        and text.rstrip("]").endswith("Function")
    )


def source_of(module: Module, statement: Definition) -> str:
    """The text of a definition: closedbook's decorators left out, comments kept, dedented."""
    first = min([statement.lineno, *(d.lineno for d in statement.decorator_list)])
    dropped: set[int] = set()
    for decorator in statement.decorator_list:
        if module.mark_of(decorator) is not None:
            dropped.update(range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1))
    end = _end_of(module, statement)
    kept = [module.lines.line(n) for n in range(first, end + 1) if n not in dropped]
    return textwrap.dedent("\n".join(kept)) + "\n"


def _end_of(module: Module, statement: Definition) -> int:
    """The last line of a definition, with the comments that end its block."""
    end = line = statement.end_lineno or statement.lineno
    while line < len(module.lines.starts):
        line += 1
        text = module.lines.line(line)
        indent = len(text) - len(text.lstrip())
        if text.lstrip().startswith("#") and indent > statement.col_offset:
            end = line
        elif text.strip():
            break
    return end


def _signature(
    modules: dict[str, Module], module: Module, statement: Definition
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that a definition takes, and those of them without a default."""
    if not isinstance(statement, ast.ClassDef):
        return _arguments(statement.args)
    methods = _methods(modules, module, statement)
    forward = methods.get("forward")
    if forward is None:
        return (ANY,), ()
    return _arguments(forward.args, skip=0 if "setup_context" in methods else 1)


def _arguments(arguments: ast.arguments, skip: int = 0) -> tuple[tuple[str, ...], tuple[str, ...]]:
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    defaults = len(arguments.defaults)
    required = positional[: len(positional) - defaults] if defaults else positional
    keyword = [a.arg for a in arguments.kwonlyargs]
    needed = [
        a.arg
        for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]
    rest = [ANY] if arguments.kwarg or arguments.vararg else []
    names = (*positional[skip:], *keyword, *rest)
    return names, (*required[skip:], *needed)


def _methods(
    modules: dict[str, Module], module: Module, statement: ast.ClassDef, depth: int = 0
) -> dict[str, ast.FunctionDef]:
    """The methods of a class, with those that it inherits from classes of the bank."""
    methods: dict[str, ast.FunctionDef] = {}
    for base in reversed(statement.bases):
        found = _class_of(modules, module, base) if depth < 10 else None
        if found is not None:
            methods.update(_methods(modules, *found, depth + 1))
    methods.update({s.name: s for s in statement.body if isinstance(s, ast.FunctionDef)})
    return methods


def _class_of(
    modules: dict[str, Module], module: Module, base: ast.expr
) -> tuple[Module, ast.ClassDef] | None:
    name = base.id if isinstance(base, ast.Name) else None
    home: Module | None = module
    if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
        imported = module.imports.get(base.value.id)
        home = modules.get(imported.path) if imported and imported.name is None else None
        name = base.attr
    if home is None or name is None:
        return None
    for _ in range(10):
        imported = home.imports.get(name)
        if imported is None or imported.name is None or imported.path not in modules:
            break
        home, name = modules[imported.path], imported.name
    definition = home.definition(name)
    return (home, definition) if isinstance(definition, ast.ClassDef) else None


def _flawed_problems(
    index: Generators, modules: dict[str, Module], doubtful: frozenset[str]
) -> list[Problem]:
    """A flawed Function names what catches it: an experiment, or one of torch's two checks."""
    catchers = {name: g for name, g in index.items() if g.role == "experiment"}
    builtin = {"gradcheck", "gradgradcheck"}
    problems = []
    for generator in index.values():
        if generator.role != "flawed" or "caught_by" not in generator.mark:
            continue
        text = generator.mark["caught_by"]
        name = text[1:-1] if text[:1] in "'\"" else None
        if name is None or name in {*catchers, *builtin, *doubtful}:
            continue
        message = f"no experiment is called {name!r}{hint(name, index, {*catchers, *builtin})}"
        module = modules[generator.path]
        definition = module.definition(generator.name)
        if definition is not None:
            decorator = next(d for d in definition.decorator_list if module.mark_of(d))
            problems.append(_problem(module, decorator, message))
    return problems
