"""Time limits, processes of their own, and what takes a process down."""

import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from closedbook.verify.job import Outcome
from closedbook.verify.workers.chunk import run_chunk
from closedbook.verify.workers.isolate import START, run_alone, run_apart
from closedbook.verify.workers.messages import write
from tests.processes import runs, within
from tests.verify.small_bank import SmallBank, job, said

EXPERIMENTS = """
import itertools, os, signal, sys, time
from closedbook import experiment

STATE = []

@experiment
def fine(n: int = 1):
    return {"n": n, "pid": os.getpid()}

@experiment
def sleeps():
    time.sleep(30)

@experiment
def sleeps_for(n: int):
    time.sleep(30 + n)

@experiment
def swallows():
    for _ in range(3):
        try:
            time.sleep(30)
        except BaseException:
            pass
    return {}

class Slow:
    def __del__(self):
        time.sleep(30)

@experiment
def sleeps_in_a_destructor():
    Slow()
    time.sleep(30)

@experiment
def halts_who_listens():
    os.kill(os.getppid(), signal.SIGSTOP)
    return {"halted": True}

@experiment
def lets_it_go_on():
    time.sleep(0.3)
    os.kill(os.getppid(), signal.SIGCONT)
    return {"halted": False}

@experiment
def hangs_in_c():
    sum(itertools.repeat(0))  # never comes back to Python, so no alarm is heard

@experiment
def crashes():
    os.kill(os.getpid(), signal.SIGSEGV)

@experiment
def leaves():
    os._exit(3)

@experiment
def counts():
    STATE.append(1)
    return {"count": len(STATE)}

@experiment(isolated=True)
def counts_isolated():
    STATE.append(1)
    return {"count": len(STATE), "pid": os.getpid()}

@experiment(isolated=True)
def crashes_isolated():
    os.kill(os.getpid(), signal.SIGSEGV)

@experiment(isolated=True)
def sleeps_isolated():
    time.sleep(30)

@experiment
def dawdles():
    time.sleep(0.5)
    return {"done": True}
"""


@pytest.fixture
def care(bank: SmallBank) -> SmallBank:
    """A bank of experiments that need watching."""
    return bank.add("experiments/e.py", EXPERIMENTS)


def test_a_hanging_experiment_is_ended(care: SmallBank) -> None:
    """It fails with its limit and its line; the jobs after it run."""
    hung, fine = care.run(job("sleeps", timeout=0.2), job("fine", expect={"n": 1}))
    assert hung.error is not None
    assert hung.error.splitlines() == [
        "took longer than 0.2 s and was ended",
        "  generators/experiments/e.py:13 in sleeps: time.sleep(30)",
    ]
    assert fine.holds


def test_jobs_of_one_run_hang_once(care: SmallBank) -> None:
    """Jobs that share a run that hung do not wait for it again."""
    outcomes = care.run(*[job("sleeps", key=str(n), timeout=0.2) for n in range(20)])
    assert {(outcome.error or "").splitlines()[0] for outcome in outcomes} == {
        "took longer than 0.2 s and was ended"
    }
    assert sum(outcome.seconds for outcome in outcomes[1:]) < outcomes[0].seconds


def test_a_run_is_shared_only_under_one_limit(care: SmallBank) -> None:
    """A check that gives a run more time than another gets that time."""
    expect = {"done": True}
    hasty, patient = care.run(
        job("dawdles", key="hasty", expect=expect, timeout=0.1),
        job("dawdles", key="patient", expect=expect, timeout=20),
    )
    assert (hasty.holds, patient.holds) == (False, True)


def test_what_hangs_again_and_again_is_not_run_for_ever(care: SmallBank) -> None:
    """After three hangs of one experiment its other runs fail at once; other experiments run."""
    jobs = [job("sleeps_for", {"n": n}, key=str(n), timeout=0.1) for n in range(5)]
    *hung, fine = care.run(*jobs, job("fine", expect={"n": 1}))
    texts = [(outcome.error or "").splitlines()[0] for outcome in hung]
    assert texts[:3] == ["took longer than 0.1 s and was ended"] * 3
    assert texts[3:] == ["not run: sleeps_for took too long 3 times already"] * 2
    assert fine.holds


def test_an_alarm_that_is_swallowed_comes_again(care: SmallBank) -> None:
    """An experiment that catches everything is interrupted until it ends."""
    (outcome,) = care.run(job("swallows", timeout=0.1))
    assert outcome.seconds < 10


def test_an_alarm_in_a_destructor_comes_again(care: SmallBank) -> None:
    """Python drops what is raised in a destructor; the limit is told all the same, once."""
    (outcome,) = care.run(job("sleeps_in_a_destructor", timeout=0.2))
    assert (outcome.error or "").startswith("took longer than 0.2 s and was ended\n")
    assert outcome.seconds < 10


def test_isolated_experiments_start_fresh(care: SmallBank) -> None:
    """What another run left in a module is not there, and the process is not this one."""
    expect = {"count": 1, "pid": 0}
    jobs = [job("counts"), *[job("counts_isolated", key=str(n), expect=expect) for n in range(2)]]
    _, first, second = care.run(*jobs)
    assert first.facts["count"] == second.facts["count"] == 1
    (other,) = care.run(jobs[1])
    assert other.facts["count"] == 1
    assert other.facts["pid"] != first.facts["pid"]


def test_isolated_experiments_that_die_or_hang(care: SmallBank) -> None:
    """A crash or a hang in a process of its own is that experiment's failure alone."""
    crashed, hung, fine = care.run(
        job("crashes_isolated"), job("sleeps_isolated", timeout=0.3), job("counts_isolated")
    )
    assert crashed.error == "its process died of SIGSEGV"
    assert (hung.error or "").startswith("took longer than 0.3 s and was ended\n")
    assert fine.holds


def test_who_listens_late_blames_the_right_one(care: SmallBank) -> None:
    """News that waited while the listener did nothing is heard in full before it waits again."""
    care.run()
    jobs = [
        job("halts_who_listens", expect={"halted": True}),
        job("lets_it_go_on", expect={"halted": False}),
        job("hangs_in_c", timeout=0.1),
    ]
    halted, went_on, hung = run_apart(care.setup, jobs)
    assert (halted.error, went_on.error) == (None, None)
    assert hung.error == "took longer than 0.1 s and was ended with its process"


def test_a_request_and_an_answer_larger_than_a_pipe(care: SmallBank) -> None:
    """A thousand jobs go to a process of their own, and their outcomes come back, in full."""
    jobs = [job("fine", {"n": n}, expect={"n": n}, key="k" * 200 + str(n)) for n in range(1000)]
    outcomes = run_apart(care.setup, jobs)
    assert [outcome.key for outcome in outcomes if outcome.holds] == [each.key for each in jobs]


def test_a_chunk_apart_survives_everything(care: SmallBank) -> None:
    """A crash, an exit and a hang in C each cost their own job, and the rest is run."""
    jobs = [
        job("fine", expect={"n": 1}),
        job("crashes"),
        job("fine", {"n": 2}, expect={"n": 2}, key="two"),
        job("leaves"),
        job("hangs_in_c", timeout=0.5),
        job("fine", {"n": 3}, expect={"n": 3}, key="three"),
    ]
    outcomes = run_apart(care.setup, jobs)
    assert [outcome.key for outcome in outcomes] == [each.key for each in jobs]
    assert [outcome.error for outcome in outcomes] == [
        None,
        "its process died of SIGSEGV",
        None,
        "its process ended with exit code 3",
        "took longer than 0.5 s and was ended with its process",
        None,
    ]


def test_off_the_main_thread_a_chunk_has_a_process_of_its_own(care: SmallBank) -> None:
    """Where no alarm can be set, a hang is ended all the same."""
    found: list[Outcome] = []
    jobs = [job("sleeps", timeout=0.2), job("fine", expect={"n": 1})]

    def work() -> None:
        found.extend(run_chunk(care.setup, jobs))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert (found[0].error or "").startswith("took longer than 0.2 s and was ended")
    assert said(found[1]) == []


def test_jobs_of_one_run_share_a_process_alone(care: SmallBank) -> None:
    """What is run alone is run once for all the claims about it."""
    jobs = [job("counts", key=str(n), expect={"count": 1}) for n in range(3)]
    assert [said(outcome) for outcome in run_alone(care.setup, jobs)] == [[], [], []]


PARENT = """
import pickle, sys
from closedbook.verify.workers.isolate import run_apart
with open(sys.argv[1], "rb") as file:
    run_apart(*pickle.load(file))
"""
TELLS = """
import os, time
from closedbook import experiment

@experiment
def tells(path: str):
    with open(path + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.replace(path + ".new", path)
    time.sleep(600)
"""


def test_what_runs_apart_ends_with_who_asked_for_it(bank: SmallBank, tmp_path: Path) -> None:
    """A run that is killed leaves no process behind that works on an answer for nobody."""
    bank.add("experiments/t.py", TELLS)
    asked, told = tmp_path / "asked", tmp_path / "told"
    asked.write_bytes(pickle.dumps((bank.setup, [job("tells", {"path": str(told)}, timeout=600)])))
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(asked)])
    try:
        # Two interpreters start and torch is imported: on a busy machine that takes its time.
        assert within(300, lambda: told.exists() or parent.poll() is not None)
        worker = int(told.read_text())
        assert runs(worker)
    finally:
        parent.kill()
        parent.wait()
    assert within(20, lambda: not runs(worker))


def test_a_helper_that_nobody_listens_to_says_nothing(care: SmallBank) -> None:
    """Who interrupts a run sees no traceback of the process that was to answer."""
    process = subprocess.Popen(
        [sys.executable, "-c", START.format(path=sys.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    write(process.stdin, pickle.dumps((care.setup, [(0, job("fine"))])))
    assert process.wait(60) == 0
    assert process.stderr is not None
    with process.stderr as errors:
        assert errors.read() == b""
    assert process.stdin is not None
    process.stdin.close()
