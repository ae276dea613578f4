"""The end of a worker process that hangs beyond Python's reach."""

import subprocess
import sys
import textwrap
import time

import pytest

from closedbook.verify.run import limit


def run(body: str, grace: float) -> subprocess.CompletedProcess[str]:
    """Run one job's body under limits, in a process of its own."""
    code = f"""
import itertools, time
from closedbook.verify.run import limit
limit.GRACE = {grace}
with limit.Limits(own_process=True) as limits:
    for _ in range(3):
        limits.start(0.2)
        try:
{textwrap.indent(textwrap.dedent(body), " " * 12)}
        except limit.TimeUpError:
            print("time is up")
        finally:
            limits.stop()
print("done")
"""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_hang_in_c_ends_the_process() -> None:
    """No alarm is heard where Python does not run; the process ends, for its pool to see."""
    done = run("sum(itertools.repeat(0))", grace=0.5)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_a_hang_in_python_does_not() -> None:
    """An alarm that is heard ends the job alone, and the next job has its full time again."""
    done = run("time.sleep(30)", grace=5)
    assert (done.returncode, done.stdout) == (0, "time is up\n" * 3 + "done\n")


def test_time_up_is_no_ordinary_exception() -> None:
    """``except Exception`` in an experiment does not catch it."""
    assert not issubclass(limit.TimeUpError, Exception)


def test_outside_of_a_job_nothing_rings() -> None:
    """The time of a job that was stopped does not run on into what comes after it."""
    with limit.Limits(own_process=False) as limits:
        limits.start(0.1)
        limits.stop()
        time.sleep(0.2)
        limits.start(60)
        limits.stop()


def test_each_job_has_its_own_time() -> None:
    """A timer that was set for an earlier job rings for a later one when that one is late."""
    with limit.Limits(own_process=False) as limits:
        limits.start(1.5)
        time.sleep(0.8)
        limits.stop()
        limits.start(1.5)
        time.sleep(0.8)  # the first job's time is over by now, this one's is not
        with pytest.raises(limit.TimeUpError):
            time.sleep(30)
        limits.stop()
