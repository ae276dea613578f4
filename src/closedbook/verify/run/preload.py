"""Imported once by the server process that workers are forked from: torch, and what runs checks."""

import atexit
import gc
import os

from closedbook.verify.workers.orphan import adopt_orphans, end_descendants, mute

# Before all else: what descends from the server must not hold the user's streams open, and must
# not be there when it is gone.
mute(0, 1, 2)
adopt_orphans()
atexit.register(end_descendants, os.getpid())  # workers end without it

import torch  # noqa: E402, F401 - imported for its effect: it stays in memory

import closedbook.verify.run.jobs  # noqa: E402, F401 - likewise

# What is loaded by now lives as long as the process: no worker's collector need look at it.
gc.collect()
gc.freeze()
