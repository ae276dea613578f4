"""For people: what is wrong, then a summary."""

from __future__ import annotations

from closedbook.problem import count
from closedbook.verify.report import Passed, Report

_SHOWN = 3


def to_text(report: Report, prefix: str = "") -> str:
    """Every problem, then the summary. Paths start from the bank's folder."""
    problems = [f"{problem}\n" for problem in report.problems]
    return "".join(f"{line}\n" for line in [*problems, *summary(report)])


def summary(report: Report) -> list[str]:
    """What was looked at and what came of it, in lines of at most 80 characters or so."""
    errors = sum(problem.severity == "error" for problem in report.problems)
    warnings = len(report.problems) - errors
    counts = ", ".join(
        (
            count(report.cards, "card"),
            count(report.claims, "claim"),
            count(report.checks, "check"),
            count(report.draws, "draw"),
        )
    )
    verdict = "all hold" if not errors else count(errors, "error")
    warned = f", {count(warnings, 'warning')}" if warnings else ""
    lines = [f"{counts}: {verdict}{warned} ({seconds(report.seconds)})"]
    lines += [f"  checks    {_checks(report)}"]
    if report.walked or report.sampled:
        lines.append(f"  draws     {_draws(report)}")
        lines += [_sample(report, n) for n in range(min(_SHOWN, len(report.sampled)))]
    lines += _passed("exempt", "unchecked", report.exempted)
    whose = "its" if report.skipped == 1 else "their"
    lines += _passed("skipped", f"outside {whose} versions of torch", report.outside)
    return lines + [f"  note      {note}" for note in report.notes]


def _checks(report: Report) -> str:
    parts = [f"{report.ran:,} ran", f"{report.receipts:,} known from receipts"]
    if report.torch:
        parts.append(f"torch {report.torch}")
    if report.references:
        parts.insert(0, count(report.references, "reference"))
    return ", ".join(parts)


def _draws(report: Report) -> str:
    parts = []
    if report.walked:
        parts.append(f"{count(report.walked, 'space')} walked whole")
    if report.sampled:
        parts.append(f"{count(len(report.sampled), 'space')} sampled")
    return ", ".join(parts)


def _sample(report: Report, index: int) -> str:
    sample = report.sampled[index]
    most = "" if sample.exact else "at most "
    return f"            {sample.card}: {sample.taken:,} of {most}{sample.size:,} draws"


def _passed(word: str, why: str, passed: list[Passed]) -> list[str]:
    if not passed:
        return []
    lines = [f"  {word:<9} {count(len(passed), 'claim')} {why}"]
    lines += [f"            {one.place}: {' '.join(one.reason.split())}" for one in passed[:_SHOWN]]
    if len(passed) > _SHOWN:
        lines.append(f"            and {len(passed) - _SHOWN:,} more (--format json lists them)")
    return lines


def seconds(duration: float) -> str:
    """``12 ms``, ``1.4 s``, ``2 min 5 s``; what is rounded up to the next unit is told in it."""
    if round(duration * 1000) < 1000:
        return f"{duration * 1000:.0f} ms"
    if round(duration, 1) < 120:
        return f"{duration:.1f} s"
    minutes, rest = divmod(round(duration), 60)
    return f"{minutes} min {rest} s"
