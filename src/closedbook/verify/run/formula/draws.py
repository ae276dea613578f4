"""Hold a formula against a run: at the shapes as given, then at other draws and other shapes.

Only what the author left to chance is varied. Sizes that are equal stay equal and different ones
stay different, so what fits together keeps fitting. A size stays as it is where something fixed
depends on it: given values, strides, a plain whole number of the same value, or the formula itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from closedbook.model.expect import DEFAULT_ATOL, DEFAULT_RTOL
from closedbook.model.value import Number, Shape, TensorSpec, Value
from closedbook.verify.run.compare import show
from closedbook.verify.run.facts import NotReachedError, fact_of
from closedbook.verify.run.formula import language
from closedbook.verify.run.formula.language import FormulaError
from closedbook.verify.run.inputs import BadArgumentError, build
from closedbook.verify.words import apart

if TYPE_CHECKING:
    from closedbook.verify.run.function.run import FunctionRun

_TOLERANCE = {
    torch.float64: (DEFAULT_RTOL, DEFAULT_ATOL),
    torch.complex128: (DEFAULT_RTOL, DEFAULT_ATOL),
    torch.float32: (1e-4, 1e-5),
    torch.complex64: (1e-4, 1e-5),
}
"""rtol and atol by the coarser dtype of the two. In float64 a formula holds as a number does that
a card states. A float32 has 7 digits, of which sums over some hundred products in another order
lose up to three."""
_COARSE = (1e-2, 1e-2)
"""Likewise in half precision, which has 3 digits, or 2."""
_TOO_SMALL = 1e-3
"""Of smaller arguments a product of some has no more than what two numbers near 0 may differ by."""
_EXACT = (0.0, 0.0)
"""Whole numbers and truth values."""
Sides = tuple[str, str]


def formula_differs(run: FunctionRun, name: str, expression: str) -> Sides | None:
    """Return both sides in words where the fact ``name`` is not what ``expression`` gives.

    Raises FormulaError where the formula cannot be read or evaluated, NotReachedError and
    NoSuchFactError where the run as given does not have the fact.
    """
    tree = language.parse(expression)
    ask = run.plan.ask(name)
    if ask.tree is None:
        language.refuse_itself(tree, ask.key)
    else:
        _refuse_given(run, name, ask.tree)
    found = _compare(run, name, tree)
    if found is not None:
        return found
    _refuse_blind(run, name)
    for arguments, draw in _variations(run.given, language.whole_numbers_in(tree), run.plan.names):
        other = run.again(arguments, draw)
        try:
            other.value(name)
        except (NotReachedError, BadArgumentError):
            continue  # this Function does not take these shapes: nothing is shown by them
        found = _compare(other, name, tree)
        if found is not None:
            at = ", ".join(f"{key} {_said(value)}" for key, value in arguments.items())
            return found[0], f"{found[1]} with {at}"
    return None


def _refuse_given(run: FunctionRun, name: str, fact: ast.expr) -> None:
    """Raise FormulaError for a fact of which nothing comes from the run: it would hold anyway."""
    kinds = {run.plan.ask(part).kind for part in language.names_in(fact)}
    if kinds <= {"argument", "grad_output"} and not run.plan.in_place:
        raise FormulaError(f"{name} is made of what the run is given, and of nothing that it gives")


def _refuse_blind(run: FunctionRun, name: str) -> None:
    """Raise FormulaError where a wrong axis, or a wrong factor, could not show."""
    observed = run.value(name)
    if isinstance(observed, torch.Tensor) and not observed.numel():
        raise FormulaError(f"{name} has no elements, so any formula of its shape would do")
    if isinstance(observed, torch.Tensor) and bool(observed.isnan().all()):
        raise FormulaError(f"{name} is NaN throughout, and any other NaN would do")
    if (sizes := _sizes(run.given)) and sizes <= {0, 1}:
        raise FormulaError("every size here is 1, where no wrong axis shows: give sizes from 2")
    tensors = [v for v in run.run.arguments.values() if isinstance(v, torch.Tensor)]
    if tensors and not any(bool(tensor.any()) for tensor in tensors):
        raise FormulaError("every argument is 0 throughout, where no wrong factor shows")
    if _scale(run) < _TOO_SMALL:
        raise FormulaError(
            f"every argument is below {_TOO_SMALL:g} throughout, where no wrong factor shows"
        )


def _said(value: Value) -> str:
    if isinstance(value, TensorSpec) and value.shape is not None:
        return str(value.shape)
    return "as given" if isinstance(value, TensorSpec) else str(value)


def _variations(
    given: Mapping[str, Value], fixed: frozenset[int], arguments: Sequence[str] = ()
) -> Iterator[tuple[dict[str, Value], int]]:
    """The arguments to try after those given: another draw, then other sizes in two orders.

    Values that are given for ``arguments`` are stretched too, each by a factor of its own; a
    gradient that is given for an output stays as it is.
    """
    yield dict(given), 1
    loose = [key for key in given if key in arguments and _can_stretch(given[key])]
    if loose:
        stretched = {key: _stretched(given[key], place) for place, key in enumerate(loose)}
        yield {**given, **stretched}, 1
    sizes = sorted(_sizes(given) - _kept(given) - fixed - {0, 1})
    if not sizes:
        yield dict(given), 2
        return
    largest = max(_sizes(given))
    taken = _kept(given) | fixed
    free = [size for size in range(2, largest + len(sizes) + len(taken) + 3) if size not in taken]
    upward = dict(zip(sizes, free[-len(sizes) :], strict=True))
    downward = dict(zip(sizes, reversed(free[: len(sizes)]), strict=True))
    for draw, mapping in enumerate((upward, downward), start=2):
        yield {key: _resized(value, mapping) for key, value in given.items()}, draw


def _sizes(given: Mapping[str, Value]) -> set[int]:
    return {size for value in given.values() for size in _sizes_of(value)}


def _sizes_of(value: Value) -> tuple[int, ...]:
    if isinstance(value, Shape):
        return value.sizes
    if isinstance(value, TensorSpec) and value.shape is not None:
        return value.shape.sizes
    return ()


def _kept(given: Mapping[str, Value]) -> set[int]:
    """The sizes that something fixed depends on."""
    kept: set[int] = set()
    for value in given.values():
        if isinstance(value, Number) and isinstance(value.value, int):
            kept.add(value.value)
        elif isinstance(value, TensorSpec) and value.values is not None:
            kept.update(torch.tensor(value.values).shape)
        elif isinstance(value, TensorSpec) and value.strides is not None and value.shape:
            kept.update(value.shape.sizes)
    return kept


def _resized(value: Value, mapping: Mapping[int, int]) -> Value:
    if isinstance(value, Shape):
        return Shape(tuple(mapping.get(size, size) for size in value.sizes))
    if isinstance(value, TensorSpec) and value.shape is not None:
        return replace(value, shape=_resized(value.shape, mapping))  # type: ignore[arg-type]  # a Shape gives a Shape
    return value


def _can_stretch(value: Value) -> bool:
    if not isinstance(value, TensorSpec) or value.requires_grad is False:
        return False
    real = value.dtype is None or "float" in value.dtype or value.dtype in ("double", "half")
    return real and (value.values is not None or value.fill != "random") and value.strides is None


def _stretched(value: Value, place: int = 0) -> Value:
    """Values near those given: no sign changes and no zero, for a formula may need them so.

    Where two arguments are given alike, ``place`` tells them apart.
    """
    if not isinstance(value, TensorSpec) or not _can_stretch(value):
        return value
    try:
        tensor = build("stretched", replace(value, requires_grad=False))
    except BadArgumentError:
        return value
    if not tensor.is_floating_point():
        return value
    count = max(tensor.numel(), 1)
    factors = 1 + (torch.arange(count, dtype=torch.float64) + 1) / (3 * count + place)
    values = (tensor.double() * factors[: tensor.numel()].reshape(tensor.shape)).tolist()
    return replace(value, shape=None, values=values, fill="random")


def _compare(run: FunctionRun, name: str, tree: Any) -> Sides | None:
    from closedbook.verify.run.function.run import Names

    observed = run.value(name)
    computed = language.evaluate(tree, Names(run))
    return values_differ(observed, computed, scale=_scale(run))


def _scale(run: FunctionRun) -> float:
    """The largest of what the run is given, at most 1: of tiny arguments come tinier results."""
    tensors = [v.detach() for v in run.run.arguments.values() if isinstance(v, torch.Tensor)]
    largest = max((float(tensor.abs().max()) for tensor in tensors if tensor.numel()), default=1.0)
    return largest if largest < 1 else 1.0  # NaN is not below 1


def values_differ(observed: Any, computed: Any, scale: float = 1.0) -> Sides | None:
    """Return both sides in words where a run's value is not the formula's.

    Shapes must be equal, nothing is broadcast. NaN equals NaN. ``scale`` is that of the numbers
    around: by how much of it two numbers near zero may be apart.
    """
    if observed is None:
        return f"{_brief(computed)} from the formula", "None"
    if not isinstance(observed, torch.Tensor) and not isinstance(computed, torch.Tensor):
        left, right = fact_of(observed), fact_of(computed)
        if isinstance(left, int | float) and isinstance(right, int | float):
            return values_differ(_tensor(float(left)), _tensor(float(right)), scale)
        return None if left == right else (f"{show(right)} from the formula", show(left))
    one, other = _tensor(observed), _tensor(computed)
    if one.shape != other.shape:
        return f"shape {tuple(other.shape)} from the formula", f"shape {tuple(one.shape)}"
    coarsest = min((one.dtype, other.dtype), key=_fineness)
    rtol, atol = _TOLERANCE.get(coarsest, _COARSE if coarsest.is_floating_point else _EXACT)
    wide = torch.complex128 if one.is_complex() or other.is_complex() else torch.float64
    one, other = one.to(wide), other.to(wide)
    same = torch.isclose(one, other, rtol=rtol, atol=atol * scale, equal_nan=True)
    if bool(same.all()):
        return None
    first = [int(i) for i in (~same).nonzero()[0]]
    where = f" at {first}" if first else ""
    spot = tuple(first)
    seen, wanted = apart(one[spot].item(), other[spot].item())
    return f"{wanted} from the formula{where}", f"{seen}{where}"


def _fineness(dtype: torch.dtype) -> float:
    return -torch.finfo(dtype).eps if dtype.is_floating_point or dtype.is_complex else 0.0


def _tensor(value: Any) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value.detach()
    return torch.tensor(value, dtype=torch.float64)


def _brief(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    return show(fact_of(value))
