"""The walls hold, each is reported, and without one of them the rest still does."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path

import click
import pytest
import torch

from closedbook.grade import Assignment, Limits, Sandbox
from closedbook.grade.attempt import Attempt, read_attempt
from closedbook.grade.grading import grade_attempt
from closedbook.grade.inside import wire
from closedbook.grade.walls import bubblewrap

ROOT = Path(__file__).parent / "bank"
GALLERY = Path(__file__).parents[1] / "attempts"


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
    limits = Limits(wall=20, cpu=20, total=200, processes=500)
    with Sandbox(limits, (ROOT,), walls=walls, namespaces=namespaces) as sandbox:
        task = assignments["task-linear-either"]
        right = grade_attempt(task, read_attempt(GALLERY / "right" / "combined.py"), sandbox)
        assert right.full, [(mark.probe, mark.finding) for mark in right.marks if mark.finding]
        assert right.guards["bubblewrap"].startswith("held" if walls and bubblewrap() else "not")
        if not namespaces:
            assert right.guards["namespaces"].startswith("not held")
        before = processes(sandbox)
        hostile = read_attempt(GALLERY / "hostile" / "leaves_the_session.py")
        grade = grade_attempt(task, hostile, sandbox)
        assert grade.earned == 0
        finding = grade.marks[0].finding
        assert finding is None or "more processes" not in finding.seen, "it has not left anybody"
        assert left_over(sandbox, before) == 0
    assert left_over(sandbox, 0) == 0


def test_the_bank_and_the_grader_are_not_there(
    assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """What an attempt sees of the file system holds no bank, no grader and nothing to write on."""
    repository = Path(__file__).parents[2]
    paths = [str(ROOT), str(repository / "cards"), str(repository / "src")]
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
    finding = grade.marks[0].finding
    assert finding is not None
    held = [sandbox.guards[name] == "held" for name in ("bubblewrap", "namespaces")]
    if not all(held):
        pytest.skip(f"this machine does not grant all walls: {sandbox.guards}")
    assert finding.seen == "RuntimeError: [30]"


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
    finding = grade.marks[0].finding
    assert finding is not None
    if sandbox.guards["system calls"] != "held" or sandbox.guards["namespaces"] != "held":
        pytest.skip(f"this machine does not grant all walls: {sandbox.guards}")
    assert finding.seen == "RuntimeError: ['ENOSPC']"


@pytest.mark.parametrize("walls", [True, False])
def test_a_hidden_folder_among_the_packages_is_empty(
    walls: bool, assignments: dict[str, Assignment]
) -> None:
    """What is to be hidden has nothing in it, also where it lies within what attempts may see."""
    folder = Path(click.__file__).parent
    source = f"raise RuntimeError(__import__('os').listdir({str(folder)!r}))"
    with Sandbox(Limits(wall=20, cpu=20, total=60), (folder,), walls=walls) as sandbox:
        grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    finding = grade.marks[0].finding
    assert finding is not None
    if sandbox.guards["bubblewrap" if walls else "namespaces"] != "held":
        pytest.skip(f"this machine does not grant all walls: {sandbox.guards}")
    assert finding.seen == "RuntimeError: []"


@pytest.mark.parametrize("walls", [True, False])
def test_the_environment_of_the_caller_is_not_there(
    walls: bool, assignments: dict[str, Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token in the environment of whoever grades is none that an attempt can read."""
    monkeypatch.setenv("TOKEN_OF_THE_TEACHER", "secret")
    source = "raise RuntimeError([name for name in __import__('os').environ if 'TOKEN' in name])"
    with Sandbox(Limits(wall=20, cpu=20, total=60), walls=walls) as sandbox:
        grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    finding = grade.marks[0].finding
    assert finding is not None
    assert finding.seen == "RuntimeError: []"


def test_the_time_of_the_processor_is_limited_apart_from_the_wall(
    assignments: dict[str, Assignment],
) -> None:
    """An attempt that calculates is ended by its own limit, long before that of the clock."""
    limits = Limits(wall=60, cpu=1, total=120)
    with Sandbox(limits, (ROOT,)) as sandbox:
        attempt = Attempt("a.py", "while True: pass")
        grade = grade_attempt(assignments["task-linear"], attempt, sandbox)
    finding = grade.marks[0].finding
    assert finding is not None
    assert "used up the CPU time" in finding.seen


def test_attempts_do_not_meet(assignments: dict[str, Assignment], sandbox: Sandbox) -> None:
    """What one attempt leaves in the scratch folder, the next does not find."""
    write = "open('left', 'w').write('x')\nraise RuntimeError(__import__('os').listdir('.'))"
    look = "raise RuntimeError(__import__('os').listdir('.'))"
    seen = []
    for source in (write, look):
        grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
        finding = grade.marks[0].finding
        assert finding is not None
        seen.append(finding.seen)
    assert seen == ["RuntimeError: ['left']", "RuntimeError: []"]


def answer(data: bytes) -> tuple[dict[str, object], list[torch.Tensor]]:
    """Read a frame that somebody made."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        writer = threading.Thread(target=lambda: (theirs.sendall(data), theirs.shutdown(1)))
        writer.start()
        try:
            return wire.read(ours)
        finally:
            ours.close()
            writer.join()


def frame(head: bytes, payload: bytes = b"") -> bytes:
    """The bytes of a frame."""
    return len(head).to_bytes(4, "big") + len(payload).to_bytes(4, "big") + head + payload


def test_a_frame_comes_back_as_it_was() -> None:
    """Values, shapes and dtypes survive, empty tensors too."""
    sent = [torch.randn(2, 3).double(), torch.zeros(0, 4), torch.tensor(7)]
    header, tensors = answer(wire.pack({"a": [1, None]}, sent))
    assert header == {"a": [1, None]}
    assert all(torch.equal(a, b) for a, b in zip(sent, tensors, strict=True))


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 64,
        frame(b"[1]"),
        frame(b"{"),
        frame(b"\xff\xfe"),
        frame(b'{"tensors": 3}'),
        frame(b'{"tensors": [], "x": NaN}'),
        frame(b"[" * 100_000),
        frame(b'{"tensors": [["float64", [2]]]}', b"123"),
        frame(b'{"tensors": []}', b"123"),
        frame(b'{"tensors": [["object", [2]]]}'),
        frame(b'{"tensors": [["float64", [-1]]]}'),
        frame(b'{"tensors": [["float64", [true]]]}'),
        frame(b'{"tensors": [["float64", [1e9]]]}'),
        frame(b'{"tensors": [["float64", [16777216, 16777216, 16777216]]]}'),
        frame(b'{"tensors": [["float64", [1, 1, 1, 1, 1, 1, 1, 1, 1]]]}', b"12345678"),
    ],
)
def test_a_forged_frame_is_refused(data: bytes) -> None:
    """Nothing that does not follow the form is read any further."""
    with pytest.raises(wire.MalformedError):
        answer(data)


def test_a_frame_that_ends_early_is_an_end() -> None:
    """A process that dies while it answers has not answered."""
    with pytest.raises(EOFError):
        answer(wire.pack({"a": 1}, [torch.ones(3)])[:-1])
