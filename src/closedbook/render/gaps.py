r"""Cloze gaps, ``{{c1::text::hint}}``, in text, code and maths.

A gap ends at the first ``}}`` outside braces that it opened itself, so that
``{{c1::\frac{a}{b}}}`` is what it looks like; where braces do not balance, at the first ``}}``.
What follows the first ``::`` is the hint. A gap within a gap is refused: Anki would make cards
of it whose number depends on the version.
"""

from __future__ import annotations

from dataclasses import dataclass

from closedbook.model.gaps import ANY_GAP, HIGHEST, find_end
from closedbook.render.tree import GapSpan, TextProblem

NESTED = "a gap within a gap: Anki counts its cards differently from version to version; split it"
UNCLOSED = "this gap is not closed: '}}' is missing in the same paragraph, code or formula"
SEVERAL = "one gap has one number: write {{c1::…}} and {{c2::…}} separately"
EMPTY = "this gap is empty"
TWO_HINTS = (
    "more than one '::' in this gap: the first one begins the hint; "
    "for code that holds '::' put the gap around the backticks: {{c1::`torch::nn`}}"
)


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Code or maths with its gap marks taken out.

    ``origins[i]`` is the index in the marked text of character ``i`` of ``text``; it has one
    entry more than ``text``, for the end.
    """

    text: str
    gaps: tuple[GapSpan, ...]
    origins: tuple[int, ...]
    problems: tuple[TextProblem, ...]


def number_problem(number: int) -> str | None:
    """What is wrong with a gap's number, if anything."""
    if 1 <= number <= HIGHEST:
        return None
    return f"gaps are numbered from c1 to c{HIGHEST}, not c{number}"


def take_out(marked: str, *, escapes: bool = False) -> Verbatim:
    """Take the gap marks out of code (or of LaTeX, with ``escapes``)."""
    parts: list[str] = []
    gaps: list[GapSpan] = []
    origins: list[int] = []
    problems: list[TextProblem] = []
    at = length = 0

    def keep(start: int, end: int) -> None:
        nonlocal length
        parts.append(marked[start:end])
        origins.extend(range(start, end))
        length += end - start

    for match in ANY_GAP.finditer(marked):
        if match.start() < at:
            problems.append(TextProblem(match.start(), NESTED))
            continue
        keep(at, match.start())
        at = match.start()
        end = find_end(marked, match.end(), escapes=escapes)
        fault = _fault(match[1], marked[match.end() : end] if end >= 0 else None)
        if fault:
            problems.append(TextProblem(match.start(), fault))
        if end < 0 or "," in match[1]:
            continue
        inner, _, hint = marked[match.end() : end].partition("::")
        start = length
        keep(match.end(), match.end() + len(inner))
        gaps.append(GapSpan(start, length, int(match[1]), hint or None))
        at = end + 2
    keep(at, len(marked))
    origins.append(len(marked))
    return Verbatim("".join(parts), tuple(gaps), tuple(origins), tuple(problems))


def _fault(number: str, inner: str | None) -> str | None:
    """What is wrong with a gap in code or maths; ``inner`` is None where it is not closed."""
    if "," in number:
        return SEVERAL
    if inner is None:
        return UNCLOSED
    if not inner.partition("::")[0].strip():
        return EMPTY
    if inner.count("::") > 1:
        return TWO_HINTS
    return number_problem(int(number))
