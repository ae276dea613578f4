"""Every attempt of the gallery gets the marks that its header states."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from closedbook.grade import Assignment, AttemptLimits, Grade, Sandbox
from closedbook.grade.grading import grade_attempt
from closedbook.grade.text.attempt import read_attempt
from closedbook.grade.verdict import number
from tests.grade.material import BANK, GALLERY

# More CPU time than wall time, so that it is always the clock that ends an endless loop.
HASTY = AttemptLimits(wall=10.0, cpu=60, total=120.0)
FILES = sorted(GALLERY.glob("*/*.py"))
NAMES = [f"{path.parent.name}/{path.stem}" for path in FILES]


@dataclass(frozen=True)
class Shown:
    """An attempt's grade, and what its header says."""

    grade: Grade
    stated: str

    @property
    def given(self) -> str:
        """The marks in the form of the header."""
        several = len({mark.function for mark in self.grade.marks}) > 1
        return ", ".join(
            (f"{mark.function} " if several else "")
            + f"{mark.probe} {number(mark.earned)}/{number(mark.points)}"
            for mark in self.grade.marks
        )


def _header(path: Path, key: str) -> str:
    found = re.search(rf"^# {key}: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    assert found is not None, f"{path} has no '# {key}:'"
    return found[1]


def _never_ends(path: Path) -> bool:
    return re.search(r"^# ends: never$", path.read_text("utf-8"), re.MULTILINE) is not None


@pytest.fixture(scope="module")
def gallery(assignments: dict[str, Assignment], sandbox: Sandbox) -> Iterator[dict[str, Shown]]:
    """All of it graded once, two at a time; what never ends, by a clock of its own."""

    def one(path: Path) -> Shown:
        assignment, attempt = assignments[_header(path, "task")], read_attempt(path)
        patience = hasty if _never_ends(path) else sandbox
        return Shown(grade_attempt(assignment, attempt, patience), _header(path, "marks"))

    with Sandbox(HASTY, hidden=(BANK,)) as hasty, ThreadPoolExecutor(2) as pool:
        yield dict(zip(NAMES, pool.map(one, FILES), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_an_attempt_gets_the_marks_of_its_header(name: str, gallery: dict[str, Shown]) -> None:
    """The header of each file states its marks, point by point."""
    shown = gallery[name]
    reasons = [f"{m.probe}: {m.reason}" for m in shown.grade.marks if m.reason]
    assert shown.given == shown.stated, "\n".join(reasons)


def test_right_attempts_get_full_marks(gallery: dict[str, Shown]) -> None:
    """At least fifteen right attempts in different styles all get full marks."""
    right = [shown.grade for name, shown in gallery.items() if name.startswith("right/")]
    assert len(right) >= 15
    assert all(grade.full for grade in right)


def test_no_wrong_or_hostile_attempt_gets_full_marks(gallery: dict[str, Shown]) -> None:
    """Each of the sixty and more wrong or hostile attempts loses something, and is told why."""
    other = [shown.grade for name, shown in gallery.items() if not name.startswith("right/")]
    assert len(other) >= 60
    for grade in other:
        assert not grade.full
        assert all(mark.full or mark.reason is not None for mark in grade.marks)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("endless_import", "no answer within"),
        ("endless_output", "printed more than the output limit"),
        ("memory_bomb", "more memory than an attempt may have"),
        ("memory_of_tensors", "more memory than an attempt may have"),
        ("fork_bomb", "started more processes than an attempt may have"),
        ("writes_a_huge_file", "a file larger than the file size limit"),
        ("calls_home", "the network, which is closed"),
        ("exits_on_import", "ended by itself (exit code 0)"),
        ("system_exit_on_import", "raised SystemExit(0)"),
        ("ten_thousand_files", "more than the scratch folder holds"),
        ("talks_to_the_host", "the network, which is closed"),
        ("closes_what_it_has", "closed the line on which it should answer"),
        ("crashes", "its process crashed"),
        ("forges_a_huge_answer", "larger than an answer may be"),
        # an editable install leaves a folder of that name, which is empty inside
        ("imports_the_grader", "No module named 'closedbook"),
        ("searches_the_heap", "no reference in this process"),
    ],
)
def test_each_limit_has_its_own_message(name: str, words: str, gallery: dict[str, Shown]) -> None:
    """An attempt that runs into a wall is told which one."""
    reason = gallery[f"hostile/{name}"].grade.marks[0].reason
    assert reason is not None
    assert words in reason.seen


@pytest.mark.parametrize(
    ("name", "probe", "text"),
    [
        ("sign_of_grad_weight", "gradients", "grad_weight = -(grad_output.t().mm(input))"),
        ("tensors_on_ctx", "saved-tensors", "ctx.input = input"),
        ("mul_augmented", "grad-output-untouched", "grad_output *= ctx.constant"),
        ("builtin_in_forward", "forward", "return F.linear(input, weight, bias)"),
        ("autograd_in_backward", "gradients", "with torch.enable_grad():"),
        ("missing_sum", "shapes", "grad_bias = grad_output"),
        ("mul_forgets_constant", "gradients", "return grad_output, None"),
        ("view_of_strided", "forward", "output = input.view(-1).view(input.shape).mm(weight.t())"),
    ],
)
def test_a_finding_names_the_line(
    name: str, probe: str, text: str, gallery: dict[str, Shown]
) -> None:
    """Where it can be known, a reason points at the line of the attempt that is to blame."""
    mark = next(m for m in gallery[f"wrong/{name}"].grade.marks if m.probe == probe)
    assert mark.reason is not None
    lines = (GALLERY / "wrong" / f"{name}.py").read_text("utf-8").splitlines()
    assert lines[mark.reason.line - 1].strip() == text


def test_a_lost_point_names_the_trap_card(gallery: dict[str, Shown]) -> None:
    """The contract's own ``trap``, or a card's tag ``explains::PROBE``, leads to the card."""
    lost = [m for m in gallery["wrong/tensors_on_ctx"].grade.marks if m.reason]
    assert {m.probe for m in lost} == {"saved-tensors", "freed", "hooks"}
    assert {m.reason.trap for m in lost if m.reason} == {"trap-on-ctx"}


def test_what_is_printed_is_shown_and_counts_for_nothing(gallery: dict[str, Shown]) -> None:
    """A forged verdict on stdout is kept as what it is: text."""
    grade = gallery["hostile/prints_a_verdict"].grade
    assert "PASSED" in grade.printed
    assert grade.earned < grade.points


def _link(path: Path) -> None:
    path.symlink_to(GALLERY / "right" / "separate.py")


def _large(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(100_000_000)


MADE: dict[str, tuple[Callable[[Path], object], str]] = {
    "nul": (lambda p: p.write_bytes(b"import torch\n\0\n"), "NUL bytes"),
    "latin1": (lambda p: p.write_bytes("# caf\xe9\nx = 1\n".encode("latin-1")), "not UTF-8"),
    "empty": (lambda p: p.write_bytes(b"\n \n"), "is empty"),
    "large": (_large, "too large (100.0 MB)"),
    "folder": (lambda p: p.mkdir(), "is a folder"),
    "link": (_link, "symbolic link"),
    "pipe": (lambda p: os.mkfifo(p), "no ordinary file"),
    "missing": (lambda p: None, "No such file"),
    "cookie": (lambda p: p.write_bytes(b"# coding: nonsense\n# \xe9\n"), "not UTF-8"),
}


@pytest.mark.parametrize("name", sorted(MADE))
def test_files_that_are_no_attempt(
    name: str, tmp_path: Path, assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """What is no readable Python file gets no point, and the words for it."""
    make, words = MADE[name]
    path = tmp_path / f"{name}.py"
    make(path)
    grade = grade_attempt(assignments["task-linear"], read_attempt(path), sandbox)
    assert grade.earned == 0
    assert grade.points == 17
    assert all(mark.reason and words in mark.reason.seen for mark in grade.marks)


@pytest.mark.parametrize("source", ["right/separate"])
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_byte_order_marks_do_not_matter(
    source: str, end: str, tmp_path: Path, assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """A file from another editor gets the same marks."""
    path = tmp_path / "attempt.py"
    text = (GALLERY / f"{source}.py").read_text("utf-8")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", end).encode())
    assert grade_attempt(assignments["task-linear"], read_attempt(path), sandbox).full
