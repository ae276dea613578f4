"""Names of modules that a run has bound to something else: each is bound back."""

from __future__ import annotations

import builtins
import collections
import contextlib
import copy
import functools
import gc
import importlib
import inspect
import io
import itertools
import json
import locale
import logging
import math
import operator
import os
import pickle
import random
import re
import signal
import sys
import threading
import time
import traceback
import types
import warnings
import weakref
from typing import Any

import numpy
import torch
import torch.nn.functional
import torch.utils._python_dispatch

_MISSING = object()

_HOLDERS: tuple[Any, ...] = (
    builtins, sys, os, time, gc, io, types, re, collections, functools, itertools, operator,
    contextlib, warnings, weakref, copy, math, random, json, pickle, inspect, importlib, locale,
    logging, signal, threading, traceback,
    numpy, numpy.random, numpy.linalg,
    torch, torch.Tensor, torch.autograd, torch.autograd.Function, torch.autograd.graph,
    torch.nn, torch.nn.Module, torch.nn.functional, torch.linalg, torch.random,
)  # fmt: skip


class Patches:
    """The names of those modules and classes, and of ``sys.modules``, as this was made."""

    def __init__(self) -> None:
        self._builtins = vars(builtins)
        self._first = {name: held for name, held in self._builtins.items() if name != "_"}
        self._spaces = [_Space(holder) for holder in _HOLDERS]
        self._modules = _Modules()

    def put_back(self) -> bool:
        """Bind back what is bound to something else; say whether anything was different.

        Where nothing is, each name costs a comparison of addresses.
        """
        self._builtins.update(self._first)  # before any of them is needed
        different = False
        for space in self._spaces:
            try:
                if [*space.view] == space.values:
                    continue
            except:  # noqa: E722, S110  # what a run has put there may refuse to be compared
                pass
            different = True
            space.mend(imported=self._modules.grown(space.package))
        self._modules.put_back()
        return different


class _Space:
    """The names of one module or class."""

    def __init__(self, holder: Any) -> None:
        self.holder = holder
        self.is_class = isinstance(holder, type)
        self.package = (holder.__module__ if self.is_class else holder.__name__).partition(".")[0]
        self.view = vars(holder).values()
        self.note()

    def note(self) -> None:
        """Take what is there now as what is to be there."""
        self.names = dict(vars(self.holder))
        self.values = [*self.names.values()]

    def mend(self, *, imported: bool) -> None:
        """Bind each name back, but those that its package changes by itself.

        These are names with an underscore, modules that were imported, and what a module of the
        package, ``imported`` meanwhile, has put there.
        """
        now = dict(vars(self.holder))
        for name in {**self.names, **now}:
            held, before = now.get(name, _MISSING), self.names.get(name, _MISSING)
            if held is before or self._own(name, held, imported=imported):
                continue
            if before is _MISSING:
                delattr(self.holder, name)
            else:
                setattr(self.holder, name, before)
        self.note()

    def _own(self, name: str, held: Any, *, imported: bool) -> bool:
        if name.startswith("_") and not self.is_class:
            return held is not _MISSING
        if isinstance(held, types.ModuleType) and name not in self.names:
            return True
        module = getattr(held, "__module__", None)
        return (
            imported
            and held is not _MISSING
            and isinstance(module, str)
            and module.partition(".")[0] == self.package
        )


class _Modules:
    """What is imported. More may be; nothing may be taken away, replaced or forbidden."""

    def __init__(self) -> None:
        self._note()

    def _note(self) -> None:
        self._names = dict(sys.modules)
        self._values = [*self._names.values()]

    def grown(self, package: str) -> bool:
        """Whether more of that package is imported than was."""
        return len(sys.modules) > len(self._names) and any(
            name.startswith(f"{package}.") for name in sys.modules.keys() - self._names.keys()
        )

    def put_back(self) -> None:
        """Have again what was there, and nothing that only stands in an import's way."""
        if [*sys.modules.values()] == self._values:
            return
        for name, held in [*sys.modules.items()]:
            if held is None and name not in self._names:
                del sys.modules[name]
        for name, before in self._names.items():
            if sys.modules.get(name, _MISSING) is not before:
                sys.modules[name] = before
        self._note()
