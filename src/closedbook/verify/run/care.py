"""The engine's care around each run: seeds, switches, warnings, garbage, output.

``with Care() as care`` covers a chunk and puts everything back at its end. Within it,
``care.quick()`` comes before each run of a Function, ``care.full()`` before each experiment, and
``care.restore()`` after one, and where another Function is to run.
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
from dataclasses import dataclass
from typing import Any

import numpy
import torch

from closedbook.verify.run.chance import SEED, seed
from closedbook.verify.run.patches import Patches
from closedbook.verify.run.process import Standing
from closedbook.verify.run.switches import (
    PYTHON,
    TORCH,
    Switches,
    leave_torch_modes,
    take_hooks_away,
)

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
    """Holds torch, Python and the random generators at a known state.

    ``spoilt`` says that a run has changed what cannot be put back from within its process.
    """

    def __init__(self) -> None:
        self.caught: list[warnings.WarningMessage] = []
        self.spoilt = False
        self._stack = contextlib.ExitStack()
        self._seed = SEED
        self._clean = True
        self._looks = 0

    def __enter__(self) -> Care:
        self._stack.callback(Switches(TORCH).put_back)
        self._stack.enter_context(_random_state())
        self._stack.enter_context(warnings.catch_warnings())
        self._stack.enter_context(contextlib.redirect_stdout(_Nowhere()))
        self._stack.enter_context(contextlib.redirect_stderr(_Nowhere()))
        warnings.showwarning = self._catch
        warnings.simplefilter("always")
        self._filters = list(warnings.filters)
        _set_switches()
        self._torch, self._python = Switches(TORCH), Switches(PYTHON)
        self._patches, self._standing = Patches(), Standing()
        set_aside()
        return self

    def __exit__(self, *exception: object) -> None:
        self.turn()
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
        """Seed everything; look whether the last run left a switch changed, and put it back."""
        self._clean = False
        torch.default_generator.manual_seed(SEED)
        seed(self._seed)
        if self.caught:
            self.caught.clear()
        leave_torch_modes()
        self._torch.put_back()
        if warnings.filters != self._filters or warnings.showwarning != self._catch:
            self._reset_warnings()

    def _reset_warnings(self) -> None:
        warnings.showwarning = self._catch
        warnings.resetwarnings()
        warnings.simplefilter("always")
        self._filters = list(warnings.filters)

    def full(self) -> None:
        """Do so with all that can be put back, and collect the garbage of what ran before."""
        if not self._clean:
            self.restore()
        self.quick()
        collect()

    def turn(self) -> None:
        """Put back everything, since what runs next is another definition, or nothing."""
        self._looks = 1
        self.restore()
        self._looks, self._clean = 2, False

    def restore(self) -> None:
        """Put back what a run has left changed.

        To look at every name of every module takes as long as a small experiment. It is done when
        a definition is imported, after its first run, after each one where that had bound a name,
        and when the definitions change.
        """
        if self._looks and not self._patches.put_back():
            self._looks -= 1
        leave_torch_modes()
        take_hooks_away()
        self._torch.put_back()
        self._python.put_back()
        self.spoilt = self.spoilt or self._standing.spoilt()
        self._clean = True

    @contextlib.contextmanager
    def disturbed(self) -> Iterator[None]:
        """Seed ``random`` and numpy otherwise within, as if another run had drawn from them."""
        self._seed += 1
        try:
            yield
        finally:
            self._seed -= 1


def _set_switches() -> None:
    leave_torch_modes()
    torch.set_warn_always(True)
    torch.set_num_threads(1)
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.autograd.set_detect_anomaly(False)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)  # asked first: the call imports torch's compiler
    torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]  # torch leaves it untyped


@contextlib.contextmanager
def _random_state() -> Iterator[None]:
    state, python, legacy = torch.get_rng_state(), random.getstate(), numpy.random.get_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)
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


class _Printed(io.StringIO):
    """What an experiment prints. One that closes it is not the end of it."""

    def close(self) -> None:
        """Stay open."""


@contextlib.contextmanager
def surroundings(care: Care) -> Iterator[io.StringIO]:
    """Keep what an experiment prints; put back what it leaves changed, all but the seeds.

    Garbage is not collected by itself within, so that a lifetime ends where the experiment says.
    """
    printed, streams, process = _Printed(), (sys.stdout, sys.stderr), os.getpid()
    folder, environment, enabled = os.getcwd(), _ENVIRONMENT.copy(), gc.isenabled()
    get_process, leave = os.getpid, os._exit  # the experiment may bind the names to something else
    gc.disable()
    sys.stdout = sys.stderr = printed
    try:
        yield printed
    finally:
        if get_process() != process:
            leave(0)  # a fork of the experiment's own: this process has other work to do
        sys.stdout, sys.stderr = streams
        care.restore()
        if enabled:
            gc.enable()
        if environment != _ENVIRONMENT:
            os.environ.clear()
            os.environ.update({os.fsdecode(k): os.fsdecode(v) for k, v in environment.items()})
        os.chdir(folder)


# Read through the mapping's own methods it takes longer than many an experiment.
_ENVIRONMENT: dict[bytes, bytes] = vars(os.environ)["_data"]
