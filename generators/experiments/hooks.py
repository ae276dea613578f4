"""What saved-tensor hooks see, and what torch's own operations save."""

import torch
from torch.autograd import Function
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from closedbook import experiment

from ._tools import draw, first, names, sample, watch


@experiment
def packing(function: type[Function], bias: bool = True) -> dict[str, int]:
    """How many tensors a pair of hooks packs in forward and unpacks in backward."""
    counts = {"packed": 0, "unpacked": 0}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        counts["packed"] += 1
        return tensor

    def unpack(tensor: torch.Tensor) -> torch.Tensor:
        counts["unpacked"] += 1
        return tensor

    arguments = sample(function)
    if not bias and "bias" in names(function):
        arguments.pop()
    with saved_tensors_hooks(pack, unpack):
        output = first(function.apply(*arguments))
    output.backward(torch.ones_like(output))
    return counts


@experiment
def pack_replaces(factor: int = 10) -> dict[str, float]:
    """What pack returns is what is kept; what unpack returns is what backward reads."""
    x = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    with saved_tensors_hooks(lambda t: t.item(), lambda v: torch.tensor(v * factor).double()):
        y = x.exp()
    y.backward()
    right = torch.tensor(3.0, dtype=torch.double).exp().item()
    return {"grad": x.grad.item(), "correct": right, "ratio": round(x.grad.item() / right, 6)}


@experiment
def hook_sees(function: type[Function]) -> dict[str, object]:
    """The shapes that a pack hook sees, and the tensors found among the node's attributes."""
    shapes: list[tuple[int, ...]] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        shapes.append(tuple(tensor.shape))
        return tensor

    with saved_tensors_hooks(pack, lambda t: t):
        output = first(function.apply(*sample(function)))
    kept = vars(output.grad_fn).values()
    on_ctx = sum(isinstance(value, torch.Tensor) for value in kept)
    return {"seen": len(shapes), "on_ctx": on_ctx}


@experiment
def packed_by_save_on_cpu(function: type[Function]) -> dict[str, object]:
    """save_on_cpu around the forward of a Function: how often is its pack hook called?"""
    hooks = save_on_cpu()
    given = hooks.pack_hook
    packed = []

    def pack(tensor: torch.Tensor) -> object:
        packed.append(tensor)
        return given(tensor)

    hooks.pack_hook = pack
    with hooks:
        function.apply(draw(3))
    return {
        "is_a_pair_of_hooks": isinstance(hooks, saved_tensors_hooks),
        "packed": len(packed),
    }


@experiment
def dropped_by_checkpoint(function: type[Function], exp: bool = False) -> dict[str, object]:
    """Inside a checkpoint: is what the Function keeps in memory between forward and backward?

    With ``exp`` its input is made by an operation that saves a tensor of its own. Each start of the
    block counts as a run, though checkpoint ends the second once it has what it needs.
    """
    states, runs = [], []

    def block(leaf: torch.Tensor) -> torch.Tensor:
        runs.append(1)
        hidden = leaf.exp() if exp else leaf * 1
        states.append(watch(hidden))
        return function.apply(hidden)

    leaf = draw(3)
    output = checkpoint(block, leaf, use_reentrant=False)
    before = states[0]()
    output.sum().backward()
    return {"between": before, "forward_runs": len(runs)}


@experiment
def saved_by_pow() -> dict[str, bool]:
    """Which tensor torch's pow keeps."""
    x = draw(3)
    y = x.pow(2)
    return {"saved_is_input": y.grad_fn._saved_self is x}


@experiment
def saved_by_exp() -> dict[str, bool]:
    """Which tensor torch's exp keeps, and what unpacking hands out."""
    x = draw(3)
    y = x.exp()
    saved = y.grad_fn._saved_result
    return {
        "saved_is_output": saved is y,
        "same_memory": saved.data_ptr() == y.data_ptr(),
        "same_node": saved.grad_fn is y.grad_fn,
    }


@experiment
def unpacked_objects(function: type[Function]) -> dict[str, bool]:
    """Whether saved_tensors hands out the very object that was saved, or another on its memory."""
    x = draw(3)
    y = function.apply(x)
    (saved,) = y.grad_fn.saved_tensors
    of_output = saved.data_ptr() == y.data_ptr()
    origin = y if of_output else x
    return {
        "is_output": of_output,
        "same_object": saved is origin,
        "same_memory": saved.data_ptr() == origin.data_ptr(),
    }


@experiment
def unpacked_marked(function: type[Function]) -> dict[str, bool]:
    """The same for a second output, marked as non-differentiable and the only one saved."""
    one, marked = function.apply(draw(3))
    (saved,) = one.grad_fn.saved_tensors
    return {"requires_grad": marked.requires_grad, "same_object": saved is marked}
