"""The end of a worker process that hangs beyond Python's reach."""

import subprocess
import sys
import textwrap

import pytest

from closedbook.verify import isolate_limit


def run(body: str, grace: float) -> subprocess.CompletedProcess[str]:
    """Run one job's body under limits, in a process of its own."""
    code = f"""
import itertools, time
from closedbook.verify import isolate_limit
isolate_limit.GRACE = {grace}
with isolate_limit.Limits(own_process=True) as limits:
    for _ in range(3):
        limits.start(0.2)
        try:
{textwrap.indent(textwrap.dedent(body), " " * 12)}
        except isolate_limit.TimeUpError:
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
    assert not issubclass(isolate_limit.TimeUpError, Exception)


def test_outside_of_a_job_nothing_rings() -> None:
    """Between jobs an alarm does nothing."""
    with isolate_limit.Limits(own_process=False) as limits:
        limits.start(60)
        limits.stop()
        limits._ring()
        limits.start(60)
        with pytest.raises(isolate_limit.TimeUpError):
            limits._ring()
        limits.stop()
