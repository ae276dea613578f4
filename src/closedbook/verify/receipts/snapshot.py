"""A whole bank that held, remembered as one hash of its files.

A verify of an unchanged bank reads and hashes the files, and compares: it parses nothing, and
imports neither torch nor what reads YAML.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from closedbook.problem import Note, Place, Problem
from closedbook.verify.environment import stamp
from closedbook.verify.report import Passed, Report, Sampled

NAME = "verified.json"
_FOLDERS = ("cards", "exams", "generators")
_LAYOUT = 1


def hash_files(root: Path) -> dict[str, str]:
    """Each file of a bank by its path, with its SHA-256 (hex)."""
    prefix = len(str(root)) + 1
    hashes = {}
    seen: set[str] = set()
    for folder in _FOLDERS:
        for path in _files(str(root / folder), seen):
            hashes[path[prefix:].replace(os.sep, "/")] = _hash(path)
    return hashes


def _hash(path: str) -> str:
    try:
        with open(path, "rb", buffering=0) as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        return f"cannot be read: {error.errno}"  # who reads the bank will tell


def _files(folder: str, seen: set[str]) -> Iterator[str]:
    """The files below a folder. Links are followed, into each folder once: they may go round."""
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen.add(real)
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in listed:
        # `os.path` says no of a link that leads to itself, where an entry would raise; what is no
        # link needs no call to the system.
        link = entry.is_symlink()
        if os.path.isdir(entry) if link else entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry.path, seen)
        elif os.path.isfile(entry) if link else entry.is_file():
            yield entry.path


def key_of_files(hashes: Mapping[str, str], draws: int) -> str:
    """One hash of all that a verify of the whole bank depends on."""
    text = f"{_LAYOUT} {draws} {stamp()} {sorted(hashes.items())}"
    return hashlib.sha256(text.encode()).hexdigest()


def recall(store: Path, key: str) -> Report | None:
    """The report of the run that found the bank to hold, where it was this very bank."""
    try:
        data = json.loads((store / NAME).read_bytes())
        if data["key"] != key or data["checksum"] != _checksum(key, data["report"]):
            return None
        return _report(data["report"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def remember(store: Path, key: str, report: Report) -> None:
    """Keep the report of a whole bank that holds; atomically, and never fatally."""
    kept = asdict(replace(report, results=[]))
    del kept["results"]
    data = {"key": key, "checksum": _checksum(key, kept), "report": kept}
    # Here, for a verify of an unchanged bank has no use for it.
    from closedbook.beside import write_text

    with contextlib.suppress(OSError):
        write_text(store / NAME, json.dumps(data, ensure_ascii=False))


def agrees(hashes: Mapping[str, str], read: Mapping[str, str]) -> bool:
    """Whether every file that was read is the file that was hashed."""
    return all(hashes.get(path) == digest for path, digest in read.items())


def _checksum(key: str, kept: Mapping[str, Any]) -> str:
    return hashlib.sha256(f"{key} {json.dumps(kept, sort_keys=True)}".encode()).hexdigest()


def _report(data: dict[str, Any]) -> Report:
    report = Report(**data)
    report.problems = [_problem(problem) for problem in data["problems"]]
    report.exempted = [_passed(one) for one in data["exempted"]]
    report.outside = [_passed(one) for one in data["outside"]]
    report.sampled = [Sampled(**one) for one in data["sampled"]]
    report.receipts, report.ran = report.receipts + report.ran, 0
    return report


def _passed(data: dict[str, Any]) -> Passed:
    return Passed(data["card"], Place(**data["place"]), data["reason"])


def _problem(data: dict[str, Any]) -> Problem:
    notes = tuple(
        Note(note["text"], Place(**note["place"]) if note["place"] else None)
        for note in data["notes"]
    )
    return Problem(**{**data, "place": Place(**data["place"]), "notes": notes})
