"""The walls hold, each is reported, and without one of them the rest still does."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import click
import pytest

from closedbook.grade import Assignment, AttemptLimits, Sandbox
from closedbook.grade.grading import grade_attempt
from closedbook.grade.sandbox.walls import bubblewrap, command, scratch
from closedbook.grade.text.attempt import Attempt, read_attempt
from tests.grade.conftest import LIMITS
from tests.grade.material import BANK, GALLERY


def processes(sandbox: Sandbox) -> int:
    """How many processes of this sandbox there are."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            count += sandbox.name.encode() in (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it ended while it was looked at
    return count


def left_over(sandbox: Sandbox, before: int) -> int:
    """How many more processes there are than before, once the kernel has had time to end them."""
    for _ in range(600):
        if processes(sandbox) <= before:
            return 0
        time.sleep(0.05)
    return processes(sandbox) - before


@pytest.mark.parametrize("namespaces", [True, False])
@pytest.mark.parametrize("walls", [True, False])
def test_right_and_hostile_attempts_under_every_set_of_walls(
    walls: bool, namespaces: bool, assignments: dict[str, Assignment]
) -> None:
    """With and without bubblewrap and namespaces: full marks, no marks, and nobody left behind."""
    # Processes are counted by user: whatever else runs on this machine must leave it room to fork.
    limits = replace(LIMITS, processes=500)
    with Sandbox(limits, (BANK,), walls=walls, namespaces=namespaces) as sandbox:
        task = assignments["task-linear-either"]
        right = grade_attempt(task, read_attempt(GALLERY / "right" / "combined.py"), sandbox)
        assert right.full, [(mark.probe, mark.reason) for mark in right.marks if mark.reason]
        assert right.guards["bubblewrap"].startswith("held" if walls and bubblewrap() else "not")
        if not namespaces:
            assert right.guards["namespaces"].startswith("not held")
        before = processes(sandbox)
        hostile = read_attempt(GALLERY / "hostile" / "leaves_the_session.py")
        grade = grade_attempt(task, hostile, sandbox)
        assert grade.earned == 0
        reason = grade.marks[0].reason
        assert reason is None or "more processes" not in reason.seen, "it has not left anybody"
        assert left_over(sandbox, before) == 0
    assert left_over(sandbox, 0) == 0


def test_the_bank_and_the_grader_are_not_there(
    assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """What an attempt sees of the file system holds no bank, no grader and nothing to write on."""
    repository = Path(__file__).parents[3]
    paths = [str(BANK), str(repository / "cards"), str(repository / "src")]
    source = f"""
import os
seen = [path for path in {paths!r} if os.path.exists(path)]
try:
    open("/usr/x", "w")
except OSError as error:
    seen.append(error.errno)
seen += os.listdir("/proc")
seen += [path for path in ("/", "/dev", "/dev/shm") if not os.statvfs(path).f_flag & os.ST_RDONLY]
raise RuntimeError(seen)
"""
    grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    reason = grade.marks[0].reason
    assert reason is not None
    held = [sandbox.guards[name] == "held" for name in ("bubblewrap", "namespaces")]
    if not all(held):
        pytest.skip(f"this machine does not grant all walls: {sandbox.guards}")
    assert reason.seen == "RuntimeError: [30]"


def test_what_namespaces_leave_open_is_closed(
    assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """No socket to a machine's host, no keyring, no shared memory that nobody counts."""
    source = """
import ctypes, errno, socket
kernel = ctypes.CDLL(None, use_errno=True)
seen = []
for family in (40, 38, 17, 16, 2):  # a host's, the kernel's ciphers, packets, routes, the internet
    try:
        socket.socket(family, socket.SOCK_RAW if family > 2 else socket.SOCK_STREAM)
        seen.append(family)
    except OSError as error:
        seen += [error.errno] if error.errno != errno.ENETUNREACH else []
numbers = {
    "x86_64": (250, 248, 29, 272, 101, 321, 425, 310),
    "aarch64": (219, 217, 194, 97, 117, 280, 425, 270),
}
for call in numbers[__import__("platform").machine()]:  # keyrings, memory, namespaces, tracing, bpf
    if kernel.syscall(call, 0, 4096, 0o666) != -1 or ctypes.get_errno() != errno.EPERM:
        seen.append(call)
socket.socketpair()
try:
    for number in range(5000):
        open(str(number), "w").close()
    seen.append("files")
except OSError as error:
    seen.append(errno.errorcode[error.errno])
raise RuntimeError(seen)
"""
    grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    reason = grade.marks[0].reason
    assert reason is not None
    if sandbox.guards["system calls"] != "held" or sandbox.guards["namespaces"] != "held":
        pytest.skip(f"this machine does not grant all walls: {sandbox.guards}")
    assert reason.seen == "RuntimeError: ['ENOSPC']"


@pytest.mark.parametrize("walls", [True, False])
def test_a_hidden_folder_among_the_packages_is_empty(
    walls: bool, assignments: dict[str, Assignment]
) -> None:
    """What is to be hidden has nothing in it, also where it lies within what attempts may see."""
    folder = Path(click.__file__).parent
    source = f"raise RuntimeError(__import__('os').listdir({str(folder)!r}))"
    with Sandbox(LIMITS, (folder,), walls=walls) as sandbox:
        grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    reason = grade.marks[0].reason
    assert reason is not None
    if sandbox.guards["bubblewrap" if walls else "namespaces"] != "held":
        pytest.skip(f"this machine does not grant all walls: {sandbox.guards}")
    assert reason.seen == "RuntimeError: []"


def test_an_installed_grader_is_an_empty_folder(
    assignments: dict[str, Assignment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the packages beside it an attempt sees all, of closedbook itself nothing."""
    if bubblewrap() is None:
        pytest.skip("without bubblewrap every file can be read")
    packages = tmp_path / "site-packages"
    for name in ("closedbook", "other"):
        (packages / name).mkdir(parents=True)
        (packages / name / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(packages)
    scratch.cache_clear()
    source = f"""
import os
raise RuntimeError([os.listdir({str(packages)!r} + name) for name in ("/closedbook", "/other")])
"""
    try:
        with Sandbox(LIMITS) as sandbox:
            grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    finally:
        scratch.cache_clear()
    reason = grade.marks[0].reason
    assert reason is not None
    assert reason.seen == "RuntimeError: [[], ['__init__.py']]"


@pytest.mark.parametrize("namespaces", [True, False])
def test_torch_starts_where_it_finds_nothing_to_write_on(
    namespaces: bool,
    assignments: dict[str, Assignment],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What torch loads is told of a temporary folder, and may look for libraries."""
    if bubblewrap() is None:
        pytest.skip("without bubblewrap there is a folder to write to")
    packages = tmp_path / "site-packages"
    packages.mkdir()
    asks = "import ctypes.util, tempfile, torch\n"
    asks += "torch.told = ctypes.util.find_library('nothing'), tempfile.gettempdir()\n"
    (packages / "opt_einsum.py").write_text(f"{asks}raise ImportError")
    monkeypatch.syspath_prepend(packages)
    scratch.cache_clear()
    source = """
import os, tempfile, torch
try:
    tempfile.mkstemp()
    held = True
except OSError as error:
    held = os.strerror(error.errno)
raise RuntimeError(*torch.told, held, os.environ["PATH"])
"""
    try:
        limits = replace(LIMITS, processes=500)
        with Sandbox(limits, namespaces=namespaces) as sandbox:
            grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
        folder = scratch()
    finally:
        scratch.cache_clear()
    reason = grade.marks[0].reason
    assert reason is not None
    held = sandbox.guards["namespaces"] == "held" or "'Read-only file system'"
    assert reason.seen == f"RuntimeError: (None, '{folder}', {held}, '/usr/bin:/bin')"


def test_a_grader_among_the_systems_files_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout below what every attempt sees is covered there, whatever its folder is called."""
    folder = "/usr/src/app/src/closedbook"
    monkeypatch.setattr("closedbook.__file__", f"{folder}/__init__.py")
    monkeypatch.setattr(Path, "is_dir", lambda _: True)
    words = command("bwrap", 3, [], "name")
    assert words[words.index(folder) - 1] == "--tmpfs"


@pytest.mark.parametrize("walls", [True, False])
def test_the_environment_of_the_caller_is_not_there(
    walls: bool, assignments: dict[str, Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token in the environment of whoever grades is none that an attempt can read."""
    monkeypatch.setenv("TOKEN_OF_THE_TEACHER", "secret")
    source = "raise RuntimeError([name for name in __import__('os').environ if 'TOKEN' in name])"
    with Sandbox(LIMITS, walls=walls) as sandbox:
        grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    reason = grade.marks[0].reason
    assert reason is not None
    assert reason.seen == "RuntimeError: []"


def test_the_time_of_the_processor_is_limited_apart_from_the_wall(
    assignments: dict[str, Assignment],
) -> None:
    """An attempt that calculates is ended by its own limit, long before that of the clock."""
    limits = AttemptLimits(wall=60, cpu=1, total=120)
    with Sandbox(limits, (BANK,)) as sandbox:
        attempt = Attempt("a.py", "while True: pass")
        grade = grade_attempt(assignments["task-linear"], attempt, sandbox)
    reason = grade.marks[0].reason
    assert reason is not None
    assert "used up the CPU time" in reason.seen


def test_attempts_do_not_meet(assignments: dict[str, Assignment], sandbox: Sandbox) -> None:
    """What one attempt leaves in the scratch folder, the next does not find."""
    write = "open('left', 'w').write('x')\nraise RuntimeError(__import__('os').listdir('.'))"
    look = "raise RuntimeError(__import__('os').listdir('.'))"
    seen = []
    for source in (write, look):
        grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
        reason = grade.marks[0].reason
        assert reason is not None
        seen.append(reason.seen)
    assert seen == ["RuntimeError: ['left']", "RuntimeError: []"]
