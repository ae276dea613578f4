"""Do the cards of a bank know its references? Each is mutated, and each mutant must be caught.

A mutant is a reference with one small mistake: a transpose, a sum, a factor or a None left out, two
returns or factors swapped, a number off by one, a condition turned round, a statement dropped. It
is caught where the reference's own gradcheck fails on it, or a claim of some card does. Survivors
are listed, each with the reason why no value or shape can tell it, from the table below; one
without a reason fails the run.

    python benchmarks/mutation.py [BANK]
"""

from __future__ import annotations

import ast
import copy
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from closedbook.model.bank import Bank, Generator
from closedbook.source import load_bank
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from closedbook.verify.job import Job
from closedbook.verify.plan import Planner
from closedbook.verify.workers.backends import Processes, run_chunks

_SHIFT = (
    "log-softmax is the same for every shift of a row: this one only keeps exp within its range"
)
REASONS: dict[tuple[str, str], str] = {
    ("RowMax", "no ctx.mark_non_differentiable(index)"): (
        "an output of whole numbers is not differentiable, marked or not"
    ),
    ("LogSoftmax", "x - x.amax(1, keepdim=True) without its right side"): _SHIFT,
    ("LogSoftmax", "x - x.amax(1, keepdim=True) as x + x.amax(1, keepdim=True)"): _SHIFT,
}
"""(reference, mutation) -> why no value or shape can tell the mutant from the reference."""

_CALLS = """
    t transpose sum mean clone exp log neg pow sign view reshape expand expand_as unsqueeze squeeze
    mm matmul mul contiguous conj abs sqrt cos sin
"""
DROPPED_CALLS = frozenset(_CALLS.split())
SWAPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Gt: ast.GtE, ast.Lt: ast.LtE}


@dataclass(frozen=True)
class Mutant:
    """A reference with one mistake, as the source of its whole file."""

    reference: str
    what: str
    line: int
    source: str


def mutants_of(generator: Generator, source: str) -> Iterator[Mutant]:
    """Every mutant of a reference."""
    tree = ast.parse(source)
    found = next(
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == generator.name
    )
    seen = {ast.unparse(tree)}
    for path, node in _walk(found, ()):
        for what, made in _mistakes(node):
            changed = _replaced(tree, found, path, made)
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text not in seen:
                seen.add(text)
                yield Mutant(generator.name, what, getattr(node, "lineno", 0), text)


Steps = tuple[tuple[str, int | None], ...]


def _walk(node: ast.AST, path: Steps) -> Iterator[tuple[Steps, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if name in ("decorator_list", "returns", "annotation", "bases"):
            continue
        if isinstance(value, ast.AST):
            yield (*path, (name, None)), value
            yield from _walk(value, (*path, (name, None)))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield (*path, (name, index)), item
                    yield from _walk(item, (*path, (name, index)))


def _replaced(tree: ast.Module, found: ast.ClassDef, path: Steps, made: ast.AST) -> ast.Module:
    changed = copy.deepcopy(tree)
    node: ast.AST = changed.body[tree.body.index(found)]
    for name, index in path[:-1]:
        child = getattr(node, name)
        node = child if index is None else child[index]
    name, index = path[-1]
    if index is None:
        setattr(node, name, made)
    else:
        getattr(node, name)[index] = made
    return changed


def _mistakes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What can go wrong with one node: in words, and what stands there then."""
    if not isinstance(node, ast.expr | ast.stmt):
        return
    shown = ast.unparse(node).splitlines()[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in DROPPED_CALLS:
            yield f"{shown} without .{node.func.attr}()", node.func.value
        if node.func.attr in ("mm", "matmul") and len(node.args) == 1:
            swapped = copy.deepcopy(node)
            assert isinstance(swapped.func, ast.Attribute)
            swapped.func.value, swapped.args[0] = swapped.args[0], swapped.func.value
            yield f"{shown} with its factors swapped", swapped
    elif isinstance(node, ast.BinOp):
        yield f"{shown} without its right side", node.left
        yield f"{shown} without its left side", node.right
        if type(node.op) in SWAPPED:
            other = copy.deepcopy(node)
            other.op = SWAPPED[type(node.op)]()
            yield f"{shown} as {ast.unparse(other)}", other
    elif isinstance(node, ast.UnaryOp):
        yield f"{shown} without its sign", node.operand
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        other_compare = copy.deepcopy(node)
        other_compare.ops[0] = SWAPPED[type(node.ops[0])]()
        yield f"{shown} as {ast.unparse(other_compare)}", other_compare
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node)
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        yield from _other_returns(node, node.value)
    elif isinstance(node, ast.If | ast.IfExp):
        turned = copy.deepcopy(node)
        turned.test = ast.UnaryOp(ast.Not(), turned.test)
        yield f"if {ast.unparse(node.test)} turned round", turned
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield f"no {shown}", ast.Pass()


def _other_constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.value, bool):
        yield f"{not node.value} for {node.value}", ast.Constant(not node.value)
    elif isinstance(node.value, int | float):
        yield f"{node.value + 1} for {node.value}", ast.Constant(node.value + 1)


def _other_returns(node: ast.Return, value: ast.Tuple) -> Iterator[tuple[str, ast.AST]]:
    shown = ast.unparse(node)
    for index, item in enumerate(value.elts):
        rest = [*value.elts[:index], *value.elts[index + 1 :]]
        is_none = isinstance(item, ast.Constant) and item.value is None
        if is_none and len(rest) > 0:
            yield f"{shown} without None at {index}", _return(rest)
        elif not is_none:
            nones = [*value.elts[:index], ast.Constant(None), *value.elts[index + 1 :]]
            yield f"{shown} with None at {index}", _return(nones)
        if index:
            order = [
                *value.elts[: index - 1],
                item,
                value.elts[index - 1],
                *value.elts[index + 1 :],
            ]
            yield f"{shown} with {index - 1} and {index} swapped", _return(order)


def _return(elements: list[ast.expr]) -> ast.Return:
    return ast.Return(ast.Tuple(copy.deepcopy(elements), ast.Load()))


def jobs_by_name(bank: Bank) -> dict[str, list[Job]]:
    """For each reference, its own check and one draw of every claim that reaches it."""
    planner = Planner(bank)
    jobs: dict[str, list[Job]] = {name: [] for name in bank.generators}
    for job in planner.contracts():
        jobs[job.run].append(job)
        catcher = bank.generators[job.run].mark.get("of", "")
        if catcher in jobs:
            jobs[catcher].append(job)
    for card in bank.cards:
        space, _ = space_of(card)
        assert space is not None
        drawn, problems = realise(card, next(iter(space.walk())), bank.generators)
        assert drawn is not None, problems
        for request in planner.requests(drawn):
            words = [request.job.run, *map(str, request.job.arguments.values())]
            for name in set(words) & set(jobs):
                jobs[name].append(replace(request.job, key=f"{card.id} {request.job.key}"))
    return jobs


def main() -> None:
    """Mutate, check, and print who caught what."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    bank, problems = load_bank(root)
    assert bank is not None
    assert not problems, problems
    jobs = jobs_by_name(bank)
    shared = Planner(bank).setup
    started = time.perf_counter()
    caught = {"its own gradcheck": 0, "cards alone": 0}
    survivors: list[Mutant] = []
    backend = Processes(2)
    with tempfile.TemporaryDirectory() as folder:
        for generator in bank.generators.values():
            if generator.role != "reference":
                continue
            source = (root / generator.path).read_text(encoding="utf-8")
            for number, mutant in enumerate(mutants_of(generator, source)):
                copied = Path(folder) / f"{generator.name}-{number}"
                shutil.copytree(root / "generators", copied / "generators")
                (copied / generator.path).write_text(mutant.source, encoding="utf-8")
                setup = replace(shared, root=copied, version=str(copied))
                todo = jobs[generator.name]
                failed = [
                    outcome.key
                    for outcomes in run_chunks(backend, setup, [todo])
                    for outcome in outcomes
                    if not outcome.holds
                ]
                own = next(job.key for job in todo if job.kind == "reference")
                if own in failed:
                    caught["its own gradcheck"] += 1
                elif failed:
                    caught["cards alone"] += 1
                else:
                    survivors.append(mutant)
                shutil.rmtree(copied)
    backend.close(now=False)
    total = sum(caught.values()) + len(survivors)
    for who, count in caught.items():
        print(f"{count:4} caught by {who}")
    print(f"{len(survivors):4} survived")
    unexplained = 0
    for mutant in survivors:
        reason = REASONS.get((mutant.reference, mutant.what))
        unexplained += reason is None
        print(f"     {mutant.reference}:{mutant.line}: {mutant.what}")
        print(f"         {reason or 'NO REASON IS KNOWN'}")
    rate = (total - len(survivors)) / total
    print(f"caught / mutants = {total - len(survivors)}/{total} = {rate:.3f}", end="")
    print(f" in {time.perf_counter() - started:.0f} s; {unexplained} survivors without a reason")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
