"""What a check does to its process and leaves behind ends there, and does not reach the user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.processes import runs, within
from tests.verify.bank import card, make_bank, messages, verify

BAD = """\
import os, resource, signal, subprocess, sys, threading, time
from closedbook import experiment

@experiment
def stops() -> dict:
    os.kill(os.getpid(), signal.SIGSTOP)
    return {"n": 1}

def note(process):
    with open(os.environ["LEFT"], "a") as file:
        file.write(f"{process}\\n")

@experiment
def forks() -> dict:
    child = os.fork()
    while not child:
        time.sleep(1000)
    note(child)
    return {"n": 1}

@experiment
def starts() -> dict:
    note(subprocess.Popen(["sleep", "1000"], start_new_session=True).pid)
    return {"n": 1}

@experiment(isolated=True)
def starts_apart() -> dict:
    return starts()

@experiment
def writes() -> dict:
    os.write(1, b"to one"); os.write(2, b"to two")
    return {"n": 1}

@experiment
def closes() -> dict:
    os.closerange(3, 256)
    return {"n": 1}

@experiment
def limits() -> dict:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(2)
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    return {"n": 1, "threads": threading.active_count()}

@experiment
def sees() -> dict:
    os.fstat(2)
    return {"n": 1, "threads": threading.active_count()}

@experiment(isolated=True)
def hangs_apart(n: int) -> dict:
    time.sleep(30 + n)
    return {"n": 1}
"""


def claims(*checks: str, timeout: float = 20) -> str:
    """A card with a claim for each check, which are runs and what they are to return beside 1."""
    lines = "".join(
        f"  - say: It returns.\n    check: {{run: {run}, with: {{{given}}}, expect: {{{expect}}},"
        f" timeout: {timeout}}}\n"
        for run, _, rest in (check.partition(" ") for check in checks)
        for given, _, expect in [(rest or "/n: 1").partition("/")]
    )
    return card(f"ask: What?\nclaims:\n{lines}")


def test_a_check_that_stops_its_process(tmp_path: Path) -> None:
    """Nothing in a stopped process can end it: who sent the chunk does."""
    root = make_bank(tmp_path, claims("stops", "writes", timeout=0.2), bad=BAD)
    _, report = verify(root, jobs=1)
    assert [message.partition(": ")[2] for message in messages(report)] == [
        "stops failed: took longer than 0.2 s and was ended with its process"
    ]


def test_nothing_is_left_and_nothing_is_heard(tmp_path: Path) -> None:
    """Processes that checks start are gone with the run, and do not hold its streams open.

    What is written past Python's streams, and tracebacks of a process that lost its files, are
    not there either.
    """
    root = make_bank(
        tmp_path, claims("forks", "starts", "starts_apart", "writes", "closes"), bad=BAD
    )
    command = [sys.executable, "-m", "closedbook", "verify", "--bank", str(root), "--jobs", "2"]
    left = tmp_path / "left"
    run = subprocess.run(
        [*command, "--format", "json"],
        capture_output=True,  # which ends when every process has closed both
        text=True,
        env={**os.environ, "LEFT": str(left)},
        timeout=90,
        check=False,
    )
    (problem,) = json.loads(run.stdout)["problems"]
    assert problem["message"].startswith("closes failed: its process could not answer")
    assert run.stderr == ""
    started = [int(line) for line in left.read_text().splitlines()]
    assert len(started) >= 3
    assert within(20, lambda: not any(map(runs, started)))


def test_what_cannot_be_put_back_ends_the_process(tmp_path: Path) -> None:
    """A closed stream, a thread that goes on: the checks after it run in another process."""
    root = make_bank(
        tmp_path, claims("limits /n: 1, threads: 2", "sees /n: 1, threads: 1"), bad=BAD
    )
    _, report = verify(root, jobs=1)
    assert [m for m in messages(report) if "sees" in m] == []


def test_hangs_in_processes_of_their_own_are_counted(tmp_path: Path) -> None:
    """After three of them the other runs of the experiment fail at once."""
    asked = [f"hangs_apart n: {n}/n: 1" for n in range(5)]
    root = make_bank(tmp_path, claims(*asked, timeout=0.2), bad=BAD)
    _, report = verify(root, jobs=1)
    said = [message.partition(": ")[2].partition("\n")[0] for message in messages(report)]
    assert said == [
        *["hangs_apart failed: took longer than 0.2 s and was ended"] * 3,
        *["hangs_apart failed: not run: hangs_apart took too long 3 times already"] * 2,
    ]
