"""Imported once by the server process that workers are forked from: torch, and what runs checks."""

import gc

import closedbook.verify.worker  # noqa: F401 - imported for its effect: it stays in memory

# What is loaded by now lives as long as the process: no worker's collector need look at it.
gc.collect()
gc.freeze()
