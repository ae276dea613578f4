"""What a run leaves changed, and what the next one sees of it: nothing."""

from __future__ import annotations

import json
import random

import numpy
import pytest
import torch

from closedbook.verify.run import chance
from tests.verify.small_bank import SmallBank, job

HEAD = """
import builtins, contextlib, decimal, gc, json, locale, logging, math, os, signal, sys, threading
import time, warnings
import numpy, torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from closedbook import experiment

KEPT = []

def enter(context):
    KEPT.append(context)
    context.__enter__()

class Doubles(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return 2 * function(*args, **(kwargs or {}))

class Halves(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))
"""
LEFT = {
    "autocast": ("enter(torch.autocast('cpu'))", "(torch.ones(2, 2) @ torch.ones(2, 2)).dtype"),
    "the dtype of autocast": (
        "torch.set_autocast_dtype('cpu', torch.float16)",
        "torch.get_autocast_dtype('cpu')",
    ),
    "no denormal numbers": ("torch.set_flush_denormal(True)", "5e-324 * float(len('x'))"),
    "hooks of modules": (
        "torch.nn.modules.module.register_module_forward_hook(lambda m, i, o: o * 0)",
        "torch.nn.ReLU()(torch.ones(1))",
    ),
    "saved-tensor hooks": (
        "enter(torch.autograd.graph.saved_tensors_hooks(lambda x: x * 0, lambda x: x))",
        "torch._C._autograd._top_saved_tensors_default_hooks(False)",
    ),
    "no saved-tensor hooks": (
        "enter(torch.autograd.graph.disable_saved_tensors_hooks('no'))",
        "torch._C._autograd._saved_tensors_hooks_is_enabled()",
    ),
    "a function mode": ("enter(Doubles())", "torch.add(torch.ones(1), 1)"),
    "a dispatch mode": ("enter(Halves())", "torch._C._len_torch_dispatch_stack()"),
    "a device": (
        "torch.set_default_device('meta')",
        "torch.ones(1).device, torch._C._len_torch_function_stack()",
    ),
    "inference mode": ("enter(torch.inference_mode())", "torch.ones(1).is_inference()"),
    "a level of forward AD": (
        "torch.autograd.forward_ad.enter_dual_level()",
        "torch.autograd.forward_ad._current_level",
    ),
    "precision of products": (
        "torch.set_float32_matmul_precision('medium')",
        "torch.get_float32_matmul_precision()",
    ),
    "determinism": (
        "torch.use_deterministic_algorithms(True)",
        "torch.are_deterministic_algorithms_enabled()",
    ),
    "what empty memory holds": (
        "torch.utils.deterministic.fill_uninitialized_memory = False",
        "torch.utils.deterministic.fill_uninitialized_memory",
    ),
    "no mkldnn": ("torch.backends.mkldnn.set_flags(False)", "torch.backends.mkldnn.enabled"),
    "one thread of autograd": (
        "torch.autograd.set_multithreading_enabled(False)",
        "torch._C._is_multithreading_enabled()",
    ),
    "how tensors are printed": ("torch.set_printoptions(precision=1)", "torch.tensor(1 / 3)"),
    "decimals": ("decimal.getcontext().prec = 3", "decimal.Decimal(1) / 3"),
    "numpy's errors": ("numpy.seterr(all='raise')", "sorted(numpy.geterr().items())"),
    "how arrays are printed": (
        "numpy.set_printoptions(precision=2)",
        "numpy.array([1 / 3])",
    ),
    "digits of a number": ("sys.set_int_max_str_digits(0)", "sys.get_int_max_str_digits()"),
    "a trace function": ("sys.settrace(lambda *a: None)", "sys.gettrace() is None"),
    "a profile function": ("sys.setprofile(lambda *a: None)", "sys.getprofile() is None"),
    "thresholds of gc": ("gc.set_threshold(1)", "gc.get_threshold()"),
    "callbacks of gc": ("gc.callbacks.append(lambda *a: None)", "len(gc.callbacks)"),
    "no log": ("logging.disable(50)", "logging.root.manager.disable"),
    "umask": ("os.umask(0o777)", "[os.umask(0o22), os.umask(0o22)][0]"),
    "a locale": ("locale.setlocale(locale.LC_ALL, 'C')", "locale.setlocale(locale.LC_ALL)"),
    "a signal's handler": (
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)",
        "signal.getsignal(signal.SIGUSR1)",
    ),
    "a blocked signal": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})",
        "sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ()))",
    ),
    "an environment": ("os.environ['LEFT'] = '1'", "os.environ.get('LEFT')"),
    "a bound torch.add": ("torch.add = torch.sub", "torch.add(torch.ones(1), 1)"),
    "a bound F.relu": ("F.relu = F.gelu", "F.relu(-torch.ones(1))"),
    "a bound Tensor.sum": ("torch.Tensor.sum = lambda self: 7", "torch.ones(2).sum()"),
    "a bound builtin": ("builtins.round = lambda x: 7", "round(1.2)"),
    "a bound len": ("builtins.len = builtins.isinstance = None", "len('four')"),
    "an unbound name": ("del torch.mul", "torch.mul(torch.ones(1), 3)"),
    "a new name": ("math.tau2 = 7", "hasattr(math, 'tau2')"),
    "a bound warn": ("warnings.warn = print", "warnings.warn is print"),
    "a bound clock": ("time.time = time.monotonic = lambda: 0", "time.time() > time.monotonic()"),
    "a bound getcwd": ("os.getcwd = lambda: '/nowhere'", "os.getcwd() == '/nowhere'"),
    "a bound collect": ("gc.collect = lambda: 7", "gc.collect is gc.__dict__.get('x')"),
    "a bound redirect": ("contextlib.redirect_stdout = None", "contextlib.redirect_stdout is None"),
    "a module that is gone": ("sys.modules['json'] = None", "__import__('json').dumps([1])"),
    "a module that is forbidden": ("sys.modules['this'] = None", "'this' in sys.modules"),
}  # fmt: skip


@pytest.mark.parametrize("left", LEFT)
def test_what_an_experiment_leaves_is_put_back(bank: SmallBank, left: str) -> None:
    """Of what one experiment sets, enters, or binds to something else the next one sees nothing."""
    leave, look = LEFT[left]
    bank.add(
        "experiments/e.py",
        f"{HEAD}\n@experiment\ndef leaves():\n    {leave}\n    return {{'left': True}}\n"
        f"\n@experiment\ndef looks():\n    return {{'seen': str(({look}))}}\n",
    )
    (alone,) = bank.run(job("looks", expect={"seen": ""}))
    leaves, after = bank.run(
        job("leaves", expect={"left": True}), job("looks", expect={"seen": ""})
    )
    assert leaves.holds, leaves
    assert alone.facts == after.facts != {}
    assert (round(1.2), len("here"), json.dumps([])) == (1, 4, "[]")  # nor does this process


FUNCTIONS = """
import random
import numpy, torch
from closedbook import reference

@reference(example={"input": (1,)})
class FromRandom(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input * 0 + random.random()
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

@reference(example={"input": (1,)})
class FromNumpy(FromRandom):
    @staticmethod
    def forward(ctx, input):
        return input * 0 + numpy.random.rand()

@reference(example={"input": (1,)})
class Counts(FromRandom):
    @staticmethod
    def forward(ctx, input):
        seen = torch.get_num_threads() + 8 * torch.are_deterministic_algorithms_enabled()
        torch.set_num_threads(2)
        torch.use_deterministic_algorithms(True)
        torch.Tensor.neg = lambda self: self
        return input * 0 + seen

@reference(example={"input": (1,)})
class Negates(FromRandom):
    @staticmethod
    def forward(ctx, input):
        return (input * 0 + 3).neg()
"""


@pytest.mark.parametrize("name", ["FromRandom", "FromNumpy", "Counts", "Negates"])
def test_each_run_of_a_function_begins_alike(bank: SmallBank, name: str) -> None:
    """Seeds, switches and torch's own names are the same, whichever runs came before."""
    bank.add("functions/f.py", FUNCTIONS)
    jobs = [job(name, {"input": (size,)}, {"output": 0}, key=str(size)) for size in (1, 2, 1)]
    (first,), (_, second, third) = (
        bank.run(jobs[0]),
        bank.run(job("Counts", {"input": (1,)}), *jobs[1:]),
    )
    value = first.facts["output"][0]
    assert (second.facts["output"], third.facts["output"]) == ([value] * 2, [value])


@pytest.mark.parametrize(
    "disturb",
    [
        "random.random()",
        "random.seed(7)",
        "random.gauss(0, 1)",
        "[random.random() for _ in range(312)]",
        "random.setstate(random.Random(3).getstate())",
    ],
)
def test_python_s_generator_is_seeded_again_when_it_moved(disturb: str) -> None:
    """However it is drawn from or seeded, the next run draws what the first one drew."""
    chance.seed()
    drawn = draw()
    chance.seed()
    eval(disturb)  # noqa: S307  # one of the lines above
    chance.seed()
    assert draw() == drawn


def draw() -> list[float]:
    """Numbers from each generator that is seeded here."""
    return [*map(random.uniform, (0, 0), (1, 1)), random.gauss(0, 1), numpy.random.rand()]


def test_an_experiment_may_close_what_it_prints_on(bank: SmallBank) -> None:
    """It is not the end of the report: what was printed is there."""
    bank.add(
        "experiments/e.py",
        HEAD
        + """
@experiment
def closes():
    print("before")
    sys.stdout.close()
    raise ValueError("after")
""",
    )
    assert "before" in (bank.outcome("closes").error or "")


def test_a_stolen_alarm_rings_for_the_next_one(bank: SmallBank) -> None:
    """A handler and a timer that one run leaves do not keep another from being ended in time."""
    bank.add(
        "experiments/e.py",
        HEAD
        + """
@experiment
def steals():
    signal.signal(signal.SIGALRM, lambda *a: None)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {}

@experiment
def waits():
    time.sleep(30)
""",
    )
    _, waits = bank.run(job("steals", timeout=5), job("waits", timeout=5.1))
    assert (waits.error or "").startswith("took longer than 5.1 s and was ended\n")
    assert waits.seconds < 20


def test_a_file_that_changes_a_switch_does_so_for_no_run(bank: SmallBank) -> None:
    """What a file of the bank sets when it is imported is put back before its first run, too."""
    bank.add(
        "experiments/e.py",
        HEAD
        + """
torch.set_default_dtype(torch.float64)
torch.add = torch.sub

@experiment
def looks():
    return {"seen": str((torch.ones(1).dtype, torch.add is torch.sub))}
""",
    )
    seen = [bank.outcome("looks", expect={"seen": ""}).facts["seen"] for _ in range(2)]
    assert seen == ["(torch.float32, False)"] * 2
    assert torch.get_default_dtype() is torch.float32
