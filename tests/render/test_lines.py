"""Where lines may part on a phone's narrow page."""

from __future__ import annotations

from closedbook.render.html import to_html
from closedbook.render.tree import Code, CodeBlock, Paragraph, Text

KEPT = "\N{NO-BREAK SPACE}"


def test_shapes_tensors_and_values_stay_on_one_line() -> None:
    """Words about shapes part as any others."""
    shown = to_html((Paragraph((Text("(5, 4), [[1, 2], [3, 4]], (n, k) at x = 2, -3"),)),))
    assert shown.replace(KEPT, "~") == "<p>(5,~4), [[1,~2], [3,~4]], (n, k) at x~=~2, -3</p>"


def test_short_code_stays_on_one_line_and_long_code_may_part_before_a_method() -> None:
    """A phone is some 33 characters of code wide."""
    assert 'class="short"' in to_html((Paragraph((Code("(x * 2).sum()"),)),))
    long = (Paragraph((Code("grad_output.unsqueeze(1).expand_as(x)"),)),)
    assert "unsqueeze(1)<wbr>.expand_as(x)" in to_html(long, target="field")
    assert "<wbr>" not in to_html(long)


def test_what_no_language_highlights_is_told_apart() -> None:
    """The cards' style wraps a message, and lets code scroll."""
    assert 'class="highlight plain"' in to_html((CodeBlock("Jacobian mismatch", "text"),))
    assert 'class="highlight"' in to_html((CodeBlock("x = 1", "python"),))
