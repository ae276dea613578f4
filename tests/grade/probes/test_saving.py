"""What an attempt saves, and for how long it lives."""

from __future__ import annotations

from tests.grade.conftest import Judge
from tests.grade.material import GALLERY


def test_copies_on_ctx_outlive_the_backward_that_frees_what_was_saved(judge: Judge) -> None:
    """No argument stays alive by a copy; what tells is that a second backward does not raise."""
    kept = (GALLERY / "wrong" / "tensors_on_ctx.py").read_text("utf-8")
    copies = kept.replace("ctx.input = input", "ctx.input = input.clone()").replace(
        "ctx.weight = weight", "ctx.weight = weight.clone()"
    )
    reasons = {mark.probe: mark.reason for mark in judge(copies).marks}
    freed = reasons["freed"]
    assert freed is not None
    assert (freed.expected, freed.seen) == (
        "a second backward that raises: nothing is left to read",
        "it went through",
    )


def test_an_attempt_that_frees_what_it_saved_keeps_the_point(judge: Judge) -> None:
    """The same Function with save_for_backward raises at the second backward, as it should."""
    right = (GALLERY / "right" / "separate.py").read_text("utf-8")
    reasons = {mark.probe: mark.reason for mark in judge(right).marks}
    assert reasons["freed"] is None
