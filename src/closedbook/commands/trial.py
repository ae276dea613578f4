"""One run of an experiment, with arguments made up, to see what a card could say of it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from closedbook.model.bank import Bank, Generator
from closedbook.model.expect import Equals
from closedbook.model.value import Raw
from closedbook.source.values import Mistake, parse_value

_LONGEST = 40
_MADE_UP = {
    "int": "3", "float": "1.5", "str": "text", "bool": "true", "dict": "{}", "Any": "3",
    "Tensor": "(3,)", "Size": "(2, 3)", "tuple": "(2, 3)", "list": "[1, 2]", "Sequence": "[1, 2]",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trial:
    """Arguments as a card writes them, and one fact: its name, its value as YAML and as said."""

    arguments: dict[str, str]
    fact: str
    value: str
    said: str


def try_out(bank: Bank, experiments: Sequence[Generator]) -> tuple[Generator, Trial] | None:
    """The first experiment that runs with arguments made up; None where there is none.

    Runs the bank's own code, as ``cards verify`` does.
    """
    from closedbook.verify.job import Job
    from closedbook.verify.plan import Planner
    from closedbook.verify.workers.backends import open_backend

    backend = open_backend(1, None)
    setup = Planner(bank).setup
    try:
        for experiment in experiments:
            arguments = _arguments(bank, experiment)
            facts = dict.fromkeys(_facts(experiment), Equals(None, "None"))
            if arguments is None or not facts:
                continue
            given = {name: parse_value(_read(text)) for name, text in arguments.items()}
            job = Job("trial", experiment.name, given, facts)
            for name, fact in backend.alone(setup, job).facts.items():
                if (written := _written(fact)) is not None:
                    return experiment, Trial(arguments, name, *written)
    finally:
        backend.close(now=False)
    return None


def _arguments(bank: Bank, experiment: Generator) -> dict[str, str] | None:
    """Something for each parameter without a default; None where nothing comes to mind."""
    statement = _definition(experiment)
    if statement is None:
        return None
    hints = {a.arg: a.annotation for a in (*statement.args.args, *statement.args.kwonlyargs)}
    functions = [name for name, each in bank.generators.items() if each.role == "reference"]
    found = {}
    for name in experiment.required:
        hint = hints.get(name)
        if name in experiment.functions:
            value = functions[0] if functions else None
        else:
            value = None if hint is None else _made_up(hint)
        if value is None:
            return None
        found[name] = value
    return found


def _made_up(hint: ast.expr) -> str | None:
    """A value for an annotation, as YAML."""
    if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
        return _made_up(ast.parse(hint.value, mode="eval").body)
    if isinstance(hint, ast.BinOp):
        return _made_up(hint.left) or _made_up(hint.right)
    if isinstance(hint, ast.Subscript):
        name, inner = _last(hint.value), hint.slice
        if name == "Literal":
            first = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
            return str(first.value) if isinstance(first, ast.Constant) else None
        if name in ("list", "Sequence") and isinstance(inner, ast.Name) and inner.id == "str":
            return "[one, two, three]"
        return _MADE_UP.get(name)
    return _MADE_UP.get(_last(hint))


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _definition(experiment: Generator) -> ast.FunctionDef | None:
    statement = ast.parse(experiment.source).body[0]
    return statement if isinstance(statement, ast.FunctionDef) else None


def _facts(experiment: Generator) -> Iterator[str]:
    """The names of the facts that its source says it returns."""
    statement = _definition(experiment)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            for key in node.value.keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value


def _read(text: str) -> Raw:
    """What YAML makes of one of the values that are made up here."""
    if text == "{}":
        return {}
    return list(text[1:-1].split(", ")) if text.startswith("[") else text


def _written(fact: object) -> tuple[str, str] | None:
    """A fact as YAML, and as it is said in backticks; None for what is too much for a card."""
    if isinstance(fact, bool) or fact is None:
        return {True: "true", False: "false", None: "None"}[fact], str(fact)
    if isinstance(fact, int | float | tuple):
        said = str(fact)
        return (said, said) if len(said) <= _LONGEST else None
    if not isinstance(fact, str) or not 0 < len(fact) <= _LONGEST:
        return None
    plain = fact.isprintable() and fact == fact.strip() and not set(fact) & set('`{}\\"')
    try:
        return (json.dumps(fact, ensure_ascii=False), fact) if plain and parse_value(fact) else None
    except Mistake:
        return None
