"""Imported once by the server process that workers are forked from: torch, and what runs checks."""

import gc

import torch  # noqa: F401 - imported for its effect: it stays in memory

import closedbook.verify.run.jobs  # noqa: F401 - likewise

# What is loaded by now lives as long as the process: no worker's collector need look at it.
gc.collect()
gc.freeze()
