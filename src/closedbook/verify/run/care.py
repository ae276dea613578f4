"""The engine's care around each run: seeds, switches, warnings, garbage, output.

``with Care() as care`` covers a chunk and puts everything back at its end. Within it,
``care.quick()`` comes before each run of a Function and ``care.full()`` before each experiment.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import os
import random
import sys
import time
import warnings
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy
import torch

SEED = 0
_SLOW_COLLECTION = 0.002


@dataclass(frozen=True, slots=True)
class Warned:
    """One warning: the names of its category and of that one's bases, and its text."""

    names: tuple[str, ...]
    text: str

    @property
    def said(self) -> str:
        """Category and text, as a fact shows them."""
        return f"{self.names[0]}: {self.text}"


class _Nowhere(io.TextIOBase):
    """Takes what a bank prints outside of an experiment, so that no report has it."""

    def write(self, text: str, /) -> int:
        return len(text)


class Care:
    """Holds torch, the warnings and the random generators at a known state."""

    def __init__(self) -> None:
        self.caught: list[warnings.WarningMessage] = []
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Care:
        self._stack.enter_context(_torch_state())
        self._stack.enter_context(_random_state())
        self._stack.enter_context(warnings.catch_warnings())
        self._stack.enter_context(contextlib.redirect_stdout(_Nowhere()))
        self._stack.enter_context(contextlib.redirect_stderr(_Nowhere()))
        warnings.showwarning = self._catch
        warnings.simplefilter("always")
        self._filters = list(warnings.filters)
        torch.set_warn_always(True)
        torch.set_num_threads(1)
        _set_switches()
        set_aside()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def _catch(self, *message: Any, **rest: Any) -> None:
        self.caught.append(warnings.WarningMessage(*message, **rest))

    def take(self) -> tuple[Warned, ...]:
        """Return what was warned of since the last call."""
        if not self.caught:
            return ()
        taken = tuple(
            Warned(tuple(base.__name__ for base in entry.category.__mro__), str(entry.message))
            for entry in self.caught
        )
        self.caught.clear()
        return taken

    def quick(self) -> None:
        """Seed torch; look whether the last run left a switch changed, and put it back."""
        torch.default_generator.manual_seed(SEED)
        if self.caught:
            self.caught.clear()
        if not torch.is_grad_enabled() or torch.get_default_dtype() is not torch.float32:
            _set_switches()
        if warnings.filters != self._filters or warnings.showwarning != self._catch:
            self._reset_warnings()

    def _reset_warnings(self) -> None:
        warnings.showwarning = self._catch
        warnings.resetwarnings()
        warnings.simplefilter("always")
        self._filters = list(warnings.filters)

    def full(self) -> None:
        """Seed everything, put every switch back, collect the garbage of what ran before."""
        self.quick()
        random.seed(SEED)
        numpy.random.seed(SEED)  # the legacy state is what generators draw from by habit
        torch.set_warn_always(True)
        torch.set_num_threads(1)
        _set_switches()
        collect()


def _set_switches() -> None:
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    if torch.get_default_device().type != "cpu":
        torch.set_default_device("cpu")
    torch.autograd.set_detect_anomaly(False)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)  # asked first: the call imports torch's compiler
    torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]  # torch leaves it untyped


@contextlib.contextmanager
def _torch_state() -> Iterator[None]:
    """Put torch's own switches back at the end."""
    state = torch.get_rng_state()
    grad, dtype, threads = (
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
        torch.get_num_threads(),
    )
    always, anomaly = torch.is_warn_always_enabled(), torch.is_anomaly_enabled()
    strict = torch.are_deterministic_algorithms_enabled()
    shown = copy(torch._tensor_str.PRINT_OPTS)  # no public reader of the print options exists
    try:
        yield
    finally:
        torch.set_rng_state(state)
        torch.set_grad_enabled(grad)
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)
        torch.set_warn_always(always)
        torch.autograd.set_detect_anomaly(anomaly)
        if torch.are_deterministic_algorithms_enabled() is not strict:
            torch.use_deterministic_algorithms(strict)
        torch._tensor_str.PRINT_OPTS = shown


@contextlib.contextmanager
def _random_state() -> Iterator[None]:
    python, legacy = random.getstate(), numpy.random.get_state()
    try:
        yield
    finally:
        random.setstate(python)
        numpy.random.set_state(legacy)


@functools.cache
def set_aside() -> None:
    """Keep torch, which lives as long as the process, out of every collection; once a process."""
    gc.freeze()


def collect() -> None:
    """Collect garbage, quickly however much the process holds.

    What outlives a slow collection (torch, and what a bank imports of it) stays: it is set aside,
    out of every later one, so that a collection can be had before each experiment.
    """
    began = time.perf_counter()
    gc.collect()
    if time.perf_counter() - began > _SLOW_COLLECTION:
        gc.freeze()


@contextlib.contextmanager
def surroundings() -> Iterator[io.StringIO]:
    """Keep what an experiment prints; put back the folder, the environment and gc's switch.

    Garbage is not collected by itself within, so that a lifetime ends where the experiment says.
    """
    printed = io.StringIO()
    folder, environment, enabled = os.getcwd(), dict(os.environ), gc.isenabled()
    path, process, depth = list(sys.path), os.getpid(), sys.getrecursionlimit()
    gc.disable()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            yield printed
    finally:
        if os.getpid() != process:
            os._exit(0)  # a fork of the experiment's own: this process has other work to do
        sys.setrecursionlimit(depth)
        if enabled:
            gc.enable()
        if os.environ != environment:
            os.environ.clear()
            os.environ.update(environment)
        os.chdir(folder)
        sys.path[:] = path
