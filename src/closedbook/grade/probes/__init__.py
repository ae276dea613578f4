"""The probes. Each takes a trial and returns why the point is lost, or None. One row a probe."""

from __future__ import annotations

from collections.abc import Callable

from closedbook.grade.probes.context import setup_context
from closedbook.grade.probes.differences import gradcheck, gradgradcheck
from closedbook.grade.probes.saving import freed, hooks, saved_tensors
from closedbook.grade.probes.values import (
    forward,
    grad_output_untouched,
    gradients,
    none_for_non_tensors,
    shapes,
)
from closedbook.grade.probes.work import needs_input_grad
from closedbook.grade.trial import Trial
from closedbook.grade.verdict import Reason

TABLE: dict[str, Callable[[Trial], Reason | None]] = {
    "forward": forward,
    "gradients": gradients,
    "gradcheck": gradcheck,
    "gradgradcheck": gradgradcheck,
    "shapes": shapes,
    "none-for-non-tensors": none_for_non_tensors,
    "setup-context": setup_context,
    "saved-tensors": saved_tensors,
    "grad-output-untouched": grad_output_untouched,
    "needs-input-grad": needs_input_grad,
    "freed": freed,
    "hooks": hooks,
}
