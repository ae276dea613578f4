"""What the names of an attempt stand for: which imports, which objects of torch.

The tables are the plain language of an attempt: tensors, their methods, the functions of torch,
and little else. They allow by name; whatever is not listed is outside.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULES: dict[str, frozenset[str] | None] = {
    "torch": None,
    "torch.nn": None,
    "torch.nn.functional": None,
    "torch.nn.init": None,
    "torch.linalg": None,
    "torch.special": None,
    "torch.func": None,
    "torch.autograd": _words(
        "Function Variable backward enable_grad function functional grad gradcheck gradgradcheck "
        "no_grad"
    ),
    "torch.autograd.function": _words("Function FunctionCtx once_differentiable"),
    "torch.autograd.functional": None,
    "torch.autograd.gradcheck": _words("GradcheckError gradcheck gradgradcheck"),
    "torch.amp": _words("autocast custom_bwd custom_fwd"),
    "torch.testing": _words("assert_close make_tensor"),
    "__future__": None,
    "abc": _words("ABC abstractmethod"),
    "collections": _words("Counter OrderedDict defaultdict deque"),
    "collections.abc": None,
    "contextlib": _words("nullcontext suppress"),
    "dataclasses": _words("dataclass field"),
    "functools": _words("cache lru_cache partial reduce"),
    "itertools": None,
    "math": None,
    "operator": _words("add matmul mul neg sub truediv"),
    "random": _words("choice randint random seed uniform"),
    "time": _words("monotonic perf_counter sleep time"),
    "typing": None,
    "warnings": _words("warn"),
}
"""Modules that an attempt may use, and which names of them; None: the public ones."""

_TORCH = _words(
    "FloatTensor DoubleTensor Size Tensor autograd device dtype einsum enable_grad finfo func "
    "functional is_grad_enabled is_tensor linalg manual_seed matmul nn no_grad norm special "
    "stack tensordot testing amp inf nan pi e"
)
_NOT = _words(
    "torch.nn.functional.has_torch_function torch.nn.functional.has_torch_function_unary "
    "torch.nn.functional.has_torch_function_variadic torch.nn.functional.handle_torch_function "
    "torch.nn.functional.boolean_dispatch torch.nn.functional.assert_int_or_pair "
    "torch.from_file torch.set_grad_enabled torch.nn.Module.apply typing.get_type_hints "
    "typing.ForwardRef typing.evaluate_forward_ref typing.get_args typing.get_origin"
)
BUILTINS = _words(
    "abs all any bool bytes callable chr classmethod complex dict divmod enumerate filter float "
    "format frozenset hasattr hash id int isinstance issubclass iter len list map max min "
    "next object ord pow print property range repr reversed round set slice sorted staticmethod "
    "str sum super tuple type zip Ellipsis NotImplemented"
) | {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
NOT_ATTRIBUTES = _words(
    "apply_ astype ctypes data_ptr dump dumps grad_fn map2_ map_ module_load obj record_stream "
    "register_hook register_post_accumulate_grad_hook set_ setfield setflags share_memory_ storage "
    "storage_type tofile typed_storage untyped_storage cr_frame f_back f_builtins f_code f_globals "
    "f_locals gi_frame tb_frame tb_next with_traceback"
) | frozenset(sys.stdlib_module_names)
_MORE_ATTRIBUTES = _words(
    "apply args backward extra_repr forward jvp mark_dirty mark_non_differentiable "
    "named_parameters needs_input_grad parameters register_buffer register_parameter "
    "bias weight save_for_backward save_for_forward saved_tensors set_materialize_grads "
    "setup_context vjp vmap"
)
AUTOGRAD = (
    "torch.autograd.grad",
    "torch.autograd.backward",
    "torch.autograd.functional",
    "torch.autograd.enable_grad",
    "torch.enable_grad",
    "torch.func",
)


def attribute_names() -> frozenset[str]:
    """Attributes that any value may be asked for: those of tensors, containers, text, numbers."""
    import torch

    kinds = (torch.Tensor, torch.Size, torch.dtype, str, list, dict, tuple, set, int, float)
    public = {name for kind in kinds for name in dir(kind) if not name.startswith("_")}
    return (frozenset(public) | _MORE_ATTRIBUTES) - NOT_ATTRIBUTES


@functools.cache
def kept_attributes() -> frozenset[str]:
    """Attributes by which Python and torch keep what is theirs: none may be made one's own."""
    import torch

    kinds: list[type] = [type, property, types.CodeType, types.FrameType, types.TracebackType]
    kinds += [types.GeneratorType, torch.autograd.function.BackwardCFunction]
    kinds += [torch.autograd.function.FunctionMeta, memoryview]
    names = {name for kind in kinds for name in dir(kind)} - {"close", "send", "throw"}
    own = torch.Tensor, torch.nn.Module, torch.autograd.Function
    private = {name for kind in own for name in dir(kind)} | {"_backward_cls"}
    return frozenset(names | {n for n in private if n.startswith("_")}) - attribute_names()


def imports(tree: ast.AST) -> Iterator[tuple[str, str, ast.stmt]]:
    """``(name, dotted path, statement)`` of everything that import statements bind."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                yield bound, alias.name if alias.asname else bound, node
                if not alias.asname and alias.name != bound:
                    yield bound, alias.name, node
        elif isinstance(node, ast.ImportFrom):
            module = f"{'.' * node.level}{node.module or ''}"
            for alias in node.names:
                names = _all_of(module) if alias.name == "*" else (alias.name,)
                for name in names:
                    yield alias.asname or name, f"{module}.{name}", node


@functools.cache
def _all_of(module: str) -> tuple[str, ...]:
    """What a star import binds; the star itself where the module is not listed."""
    if module not in MODULES:
        return ("*",)
    found = importlib.import_module(module)
    public = [name for name in vars(found) if not name.startswith("_")]
    return tuple(getattr(found, "__all__", public))


def path_of(node: ast.AST | None, paths: Mapping[str, str]) -> str | None:
    """``torch.nn.functional.linear`` for ``F.linear``; None where the root is no name of these."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in paths:
        return ".".join([paths[node.id], *reversed(parts)])
    return None


def root_of(node: ast.AST) -> ast.AST:
    """``F`` for ``F.linear``: what attributes are asked of."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


class Unknown(Exception):  # noqa: N818  it is an answer: this path is not in the tables
    """The dotted path leads out of what an attempt may use."""


def resolve(path: str) -> tuple[Any, str]:
    """The object at a dotted path and the path of it; follows only listed modules.

    Stops at the first object that is no module: attributes of it are the caller's to judge.
    Raises :class:`Unknown`.
    """
    parts = path.split(".")
    if parts[0] not in MODULES and ".".join(parts[:2]) not in MODULES:
        raise Unknown(path)
    here, value = parts[0], importlib.import_module(parts[0])
    for part in parts[1:]:
        if not inspect.ismodule(value):
            break
        value, here = _member(value, here, part), f"{here}.{part}"
    return value, here


def _member(module: types.ModuleType, path: str, name: str) -> Any:
    dotted = f"{path}.{name}"
    if dotted in MODULES:
        value = getattr(module, name, None)
        if dotted == "torch.autograd.gradcheck" and value is not None:
            return value
        return importlib.import_module(dotted)
    if path not in MODULES or dotted in _NOT or name.startswith("_"):
        raise Unknown(dotted)
    value = getattr(module, name, _MISSING)
    listed = MODULES[path]
    known = name in listed if listed is not None else _public(module, path, name, value)
    if value is _MISSING or not known or inspect.ismodule(value):
        raise Unknown(dotted)
    return value


_MISSING = object()


def _public(module: types.ModuleType, path: str, name: str, value: Any) -> bool:
    """Whether a name belongs to what a module offers, not to what it happens to import."""
    if path == "torch":
        import torch

        return (
            name in _TORCH
            or isinstance(value, torch.dtype | torch.layout | torch.memory_format)
            or (isinstance(value, types.BuiltinFunctionType | type(torch.mm)) and _plain(name))
        )
    if path == "torch.nn":
        return isinstance(value, type)
    offered = getattr(module, "__all__", None)
    if offered is not None and path != "torch.nn.functional":
        return name in offered
    origin = getattr(value, "__module__", None) or path
    return path in {"math", "itertools"} or (callable(value) and origin.startswith("torch"))


def _plain(name: str) -> bool:
    return not name.startswith(("set_", "init", "fork", "wait", "import_", "parse_", "unify_"))
