"""Switches of torch and of Python that a run may leave changed: each is read and set again."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the public getsignal takes ten times as long
import contextlib
import gc
import importlib
import locale
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy
import torch
import torch.autograd.forward_ad
from torch.utils import deterministic

Row = tuple[Callable[[], Any], Callable[[Any], object]]
"""How a switch is read, and how it is set to what was read."""

_CPU = "cpu"
_SHOWN = vars(torch._tensor_str.PRINT_OPTS)  # nothing public reads the print options
_DENORMAL = 5e-324
_SIGNALS = tuple(map(int, sorted(signal.valid_signals())))


def _anomaly() -> tuple[bool, bool]:
    return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


def _set_autocast(enabled: bool) -> None:
    depth = torch.autocast_increment_nesting()
    while depth > 0:  # what was entered and not left
        depth = torch.autocast_decrement_nesting()
    torch.clear_autocast_cache()
    torch.set_autocast_enabled(_CPU, enabled)


TORCH: tuple[Row, ...] = (
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_num_threads, torch.set_num_threads),
    (torch.is_warn_always_enabled, torch.set_warn_always),
    (_anomaly, lambda now: torch.autograd.set_detect_anomaly(*now)),
    (torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode),
    (
        lambda: deterministic.fill_uninitialized_memory,  # type: ignore[attr-defined]  # a property of the module
        lambda now: setattr(deterministic, "fill_uninitialized_memory", now),
    ),
    (lambda: torch.is_autocast_enabled(_CPU), _set_autocast),
    (
        lambda: torch.get_autocast_dtype(_CPU),
        lambda now: torch.set_autocast_dtype(_CPU, now),
    ),
    (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    (torch._C._get_mkldnn_enabled, torch._C._set_mkldnn_enabled),
    (torch._C._is_multithreading_enabled, torch.autograd.set_multithreading_enabled),
    (lambda: dict(_SHOWN), _SHOWN.update),
)
"""What Functions, too, are run with; all of it is read in two microseconds."""


def leave_torch_modes() -> None:
    """Leave what was entered and not left, and take away hooks that act everywhere."""
    if torch._C._len_torch_function_stack():
        torch.set_default_device(None)
        while torch._C._len_torch_function_stack():
            torch._C._pop_torch_function_stack()
    while torch._C._len_torch_dispatch_stack():
        torch._C._pop_torch_dispatch_stack(None)
    if not torch._C._autograd._saved_tensors_hooks_is_enabled():  # type: ignore[attr-defined]  # not in torch's stubs
        torch._C._autograd._saved_tensors_hooks_enable()
    while torch._C._autograd._top_saved_tensors_default_hooks(False) is not None:
        torch._C._autograd._pop_saved_tensors_default_hooks()
    if torch.is_inference_mode_enabled():
        held = torch.inference_mode(mode=False)
        held.__enter__()
        _HELD.append(held)  # it ends with this object
    while torch.autograd.forward_ad._current_level >= 0:
        torch.autograd.forward_ad.exit_dual_level()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    if not _DENORMAL * 1.0:  # torch can set it and not say it; Python's numbers show it
        torch.set_flush_denormal(False)


_HELD: list[torch.inference_mode] = []


def _hooks() -> list[Any]:
    modules = map(importlib.import_module, ("torch.nn.modules.module", "torch.optim.optimizer"))
    return [
        hooks
        for module in modules
        for name, hooks in vars(module).items()
        if name.startswith("_global_") and isinstance(hooks, dict)
    ]


_GLOBAL_HOOKS = _hooks()


def take_hooks_away() -> None:
    """Take away hooks of every module and of every optimizer."""
    for hooks in _GLOBAL_HOOKS:
        if hooks:
            hooks.clear()


def _listed(held: Callable[[], list[Any]]) -> Row:
    """A list that is changed in place."""

    def write(items: list[Any]) -> None:
        held()[:] = items

    return lambda: [*held()], write


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


def _set_signals(handlers: Iterable[Any]) -> None:
    for number, handler in zip(_SIGNALS, handlers, strict=True):
        if handler is not None and _signal.getsignal(number) != handler:
            with contextlib.suppress(OSError, ValueError):  # SIGKILL and SIGSTOP have none
                signal.signal(number, handler)


PYTHON: tuple[Row, ...] = (
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    (threading.gettrace, threading.settrace),
    (threading.getprofile, threading.setprofile),
    (gc.get_threshold, lambda now: gc.set_threshold(*now)),
    (gc.get_debug, gc.set_debug),
    _listed(lambda: gc.callbacks),
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    (sys.getswitchinterval, sys.setswitchinterval),
    (
        lambda: locale.setlocale(locale.LC_ALL),
        lambda now: locale.setlocale(locale.LC_ALL, now),
    ),
    (numpy.geterr, lambda now: numpy.seterr(**now)),
    (numpy.get_printoptions, lambda now: numpy.set_printoptions(**now)),
    (lambda: logging.root.manager.disable, logging.disable),
    (lambda: logging.root.level, logging.root.setLevel),
    _listed(lambda: logging.root.handlers),
    (_umask, os.umask),
    (lambda: tuple(map(_signal.getsignal, _SIGNALS)), _set_signals),
    (
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        lambda now: signal.pthread_sigmask(signal.SIG_SETMASK, now),
    ),
    _listed(lambda: sys.path),
    _listed(lambda: sys.meta_path),
    _listed(lambda: sys.path_hooks),
    _listed(lambda: sys.argv),
)
"""What is put back after each experiment."""


class Switches:
    """Rows, and what each of them stood at when this was made."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self._rows = rows
        self._reads = [read for read, _ in rows]
        self._wanted = [read() for read in self._reads]

    def put_back(self) -> None:
        """Set what is different; where nothing is, this only reads."""
        if [read() for read in self._reads] == self._wanted:
            return
        for (read, write), wanted in zip(self._rows, self._wanted, strict=True):
            if read() != wanted:
                write(wanted)
