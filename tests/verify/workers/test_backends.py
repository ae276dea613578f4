"""Where checks run: in processes that may die, and on a cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import distributed
import pytest

from closedbook.verify.workers.backends import Inline, Processes, open_backend
from tests.verify.bank import card, make_bank, messages, verify

DEADLY = """\
import ctypes
import os

from closedbook import experiment


@experiment
def deadly(how: str) -> dict:
    if how == "crash":
        ctypes.string_at(0)
    if how == "exit":
        os._exit(3)
    if how == "hang":
        sum(range(10**12))
    while how == "spin":
        pass
    return {"letters": len(how)}
"""
WAYS = ["fine", "crash", "good", "exit", "well", "hang", "sane", "spin", "calm"]


def claims(ways: list[str]) -> str:
    """A card with a claim for each way to behave, each ended after two seconds."""
    lines = "".join(
        f"  - say: It returns.\n    check:\n      run: deadly\n      with: {{how: {way}}}\n"
        f"      expect: {{letters: {len(way)}}}\n      timeout: 2\n"
        for way in ways
    )
    return card(f"ask: What?\nclaims:\n{lines}")


def blamed(root: Path, **options: object) -> dict[str, str]:
    """What is said of each way that fails."""
    _, report = verify(make_bank(root, claims(WAYS), deadly=DEADLY), **options)
    texts = (root / "cards" / "unit" / "cards.yaml").read_text().splitlines()
    found = {}
    for problem in report.problems:
        above = [line for line in texts[: problem.place.line + 1] if "how:" in line]
        found[above[-1].split("how: ")[1].rstrip("}")] = problem.message
    assert report.checks == len(WAYS)
    return found


EXPECTED = {
    "crash": "deadly failed: its process died of SIGSEGV",
    "exit": "deadly failed: its process ended with exit code 3",
    "hang": "deadly failed: took longer than 2 s and was ended with its process",
    "spin": "deadly failed: took longer than 2 s and was ended",
}


def test_only_the_culprit_is_blamed(tmp_path: Path) -> None:
    """Whatever takes a worker down, or hangs in it, fails alone; what ran beside it goes on."""
    assert blamed(tmp_path, jobs=2) == EXPECTED


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Dask cluster of two workers on this machine, which leaves no file of ours.

    Workers that died of a check are among those that leave none.
    """
    folder = tmp_path_factory.mktemp("cluster")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        silence_logs=50,
        local_directory=str(folder),
    ) as cluster:
        yield cluster.scheduler_address.replace("tcp://", "dask://")
    assert list(folder.rglob("closedbook-*")) == []


READING = """\
from pathlib import Path
from closedbook import experiment

@experiment
def reads() -> dict:
    data = Path(__file__).with_name("tables").joinpath("one.bin").read_bytes()
    return {"bytes": list(data)}
"""


@pytest.mark.filterwarnings("default")  # distributed warns of its own sockets when it closes
def test_a_cluster_has_the_data_beside_the_generators(tmp_path: Path, cluster: str) -> None:
    """An experiment reads its table in the copy that the worker has, beside its own file."""
    claim = "say: It is read.\n    check: {run: reads, expect: {bytes: [0, 255]}}\n"
    root = make_bank(tmp_path, card(f"ask: What?\nclaims:\n  - {claim}"), reading=READING)
    (root / "generators" / "tables").mkdir()
    (root / "generators" / "tables" / "one.bin").write_bytes(bytes([0, 255]))
    verified, report = verify(root, executor=cluster)
    assert messages(report) == []
    assert verified is not None


@pytest.mark.filterwarnings("default")  # distributed warns of its own sockets when it closes
def test_a_cluster(tmp_path: Path, cluster: str) -> None:
    """On a cluster the same checks hold, and the same ones fail."""
    assert blamed(tmp_path, executor=cluster) == EXPECTED


LEAVING = """\
import os, threading, time
from closedbook import experiment

@experiment
def threads() -> dict:
    threading.Thread(target=lambda: time.sleep(60)).start()
    return {"letters": 7}

@experiment
def prints() -> dict:
    os.write(1, b"past Python")
    return {"letters": 6}

@experiment
def forks() -> dict:
    if os.fork():
        os.wait()
    return {"letters": 5}

@experiment
def forks_and_raises() -> dict:
    if not os.fork():
        raise SystemExit
    os.wait()
    return {"letters": 16}
"""


def test_what_a_bank_leaves_behind(tmp_path: Path) -> None:
    """A thread that goes on, a fork that comes back and raw output do not touch the report."""
    names = {"threads": 7, "prints": 6, "forks": 5, "forks_and_raises": 16}
    lines = "".join(
        f"  - say: It returns.\n    check: {{run: {name}, with: {{}}, expect: {{letters: {n}}}}}\n"
        for name, n in names.items()
    )
    root = make_bank(tmp_path, card(f"ask: What?\nclaims:\n{lines}"), leaving=LEAVING)
    command = [sys.executable, "-m", "closedbook", "verify", "--bank", str(root), "--jobs", "2"]
    out, error = tmp_path / "out", tmp_path / "error"
    with out.open("w") as one, error.open("w") as two:
        run = subprocess.run(
            [*command, "--format", "json"], stdout=one, stderr=two, timeout=50, check=False
        )
    report = json.loads(out.read_text())
    assert (run.returncode, error.read_text(), report["problems"]) == (0, "", [])
    assert report["counts"]["checks"] == 4


def test_the_choice_of_a_backend() -> None:
    """Processes by default; 0 jobs mean this very process; an unknown scheme is refused."""
    assert isinstance(open_backend(0, None), Inline)
    assert isinstance(open_backend(None, None), Processes)
    with pytest.raises(ValueError, match="no executor is reached by 'ray://host:1'"):
        open_backend(None, "ray://host:1")


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    """A plain script may verify a bank in processes; they do not run the script again."""
    root = make_bank(tmp_path, claims(["fine"]), deadly=DEADLY)
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom pathlib import Path\nfrom closedbook.source import load_bank\n"
        "from closedbook.verify import Options, verify_bank\nprint('once')\n"
        f"_, report = verify_bank(load_bank(Path({str(root)!r}))[0], options=Options(jobs=1))\n"
        "print(report.problems, 'torch' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.stdout, run.stderr) == ("once\n[] False\n", "")


def hears_all() -> None:
    """Hear again, in a process started by one that is deaf: in the background, or under nohup."""
    for wish in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(wish, signal.SIG_DFL)


@pytest.mark.parametrize("wish", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_being_asked_to_end(tmp_path: Path, wish: signal.Signals) -> None:
    """A process that a CI server ends, or that the kernel kills, takes its workers along."""
    slow = DEADLY.replace("while how", "while how[:4]")
    root = make_bank(tmp_path, claims(["spin0"]).replace("timeout: 2", "timeout: 60"), deadly=slow)
    run = subprocess.Popen(
        [sys.executable, "-m", "closedbook", "verify", "--bank", str(root), "--jobs", "1"],
        start_new_session=True,
        preexec_fn=hears_all,
    )
    time.sleep(5)
    run.send_signal(wish)
    assert run.wait(60) == (-wish if wish is signal.SIGKILL else 128 + wish)
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a process of the run is left")


@pytest.mark.parametrize("delay", [0.5, 4.0])
def test_interrupting(tmp_path: Path, delay: float) -> None:
    """Ctrl-C, while torch is imported or while checks run, ends all with 130 and one word."""
    slow = DEADLY.replace("while how", "while how[:4]")
    ways = [f"spin{n}" for n in range(20)]
    root = make_bank(tmp_path, claims(ways).replace("timeout: 2", "timeout: 30"), deadly=slow)
    run = subprocess.Popen(
        [sys.executable, "-m", "closedbook", "verify", "--bank", str(root), "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hears_all,
    )
    time.sleep(delay)
    os.killpg(run.pid, signal.SIGINT)
    out, error = run.communicate(timeout=20)
    assert run.returncode == 130
    assert (out, error.strip()) == ("", "Interrupted.")


def test_problems_are_the_same_in_any_number_of_processes(tmp_path: Path) -> None:
    """The report does not tell how it was made."""
    root = make_bank(
        tmp_path, claims(["fine", "good"]).replace("letters: 4", "letters: 5"), deadly=DEADLY
    )
    reports = [messages(verify(root, jobs=jobs)[1]) for jobs in (0, 1, 2)]
    assert reports[0] == reports[1] == reports[2]
    assert len(reports[0]) == 2
