"""What runs in the sandbox stands at the top of its path, and out of the attempt's sight."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from closedbook.grade import Assignment, Sandbox
from closedbook.grade.grading import grade_attempt
from closedbook.grade.sandbox.walls import INSIDE
from closedbook.grade.text.attempt import Attempt
from tests.grade.conftest import Judge

NAMES = sorted(path.stem for path in INSIDE.glob("*.py") if path.stem != "__init__")


def test_no_module_inside_takes_the_name_of_another() -> None:
    """They are found by their bare names: what Python, torch or a package imports is not they."""
    assert "wire" in NAMES
    taken = {*sys.stdlib_module_names, *importlib.metadata.packages_distributions()}
    assert taken & {*NAMES} == set()


def test_an_attempt_does_not_meet_what_runs_it(
    assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """None of the modules that answer for an attempt is among those that it could look up."""
    source = f"import sys\nraise RuntimeError([n for n in {NAMES!r} if n in sys.modules])"
    grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    reason = grade.marks[0].reason
    assert reason is not None
    assert reason.seen == "RuntimeError: []"


def test_no_capability_is_left_and_few_files_can_be_open(judge: Judge) -> None:
    """What an attempt may do by itself ends where docs/grading.md says."""
    source = """
import ctypes, errno
kernel = ctypes.CDLL(None, use_errno=True)
header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert kernel.capget(header, sets) == 0
print(list(sets))
kept = []
try:
    while len(kept) < 1000:
        kept.append(open("/dev/null"))
except OSError as error:
    print(errno.errorcode[error.errno])
"""
    assert judge(source).printed.split("\n")[:2] == [str([0] * 6), "EMFILE"]


NAMESPACES = """
import ctypes, errno, sys
sys.path.insert(0, sys.argv[1])
import jail
print(jail.enter_namespaces([], sys.argv[2], 1 << 20, False))
kernel = ctypes.CDLL(None, use_errno=True)
new_user = 0x10000000
print(kernel.unshare(new_user), errno.errorcode.get(ctypes.get_errno()))
"""


def test_no_further_namespace_can_be_made(tmp_path: Path) -> None:
    """Within the namespaces of a session there are none to be had, whatever filters calls."""
    done = subprocess.run(
        [sys.executable, "-c", NAMESPACES, str(INSIDE), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    guards, answer = done.stdout.splitlines()
    if guards.count("'held'") != 3:
        pytest.skip(f"this machine does not grant all walls: {guards}")
    assert answer == "-1 ENOSPC"
