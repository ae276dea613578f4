"""A grade, or a class, as one HTML page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from closedbook.grade.printable import clean
from closedbook.grade.report.words import PLAIN, Feedback, guards, lost, reasons, several, title
from closedbook.grade.verdict import Grade, PointMark, number

_QUOTED = re.compile("`([^`]+)(?:`|$)")
"""Code within a sentence; where the sentence was cut short, its end may be missing."""

_STYLE = """
:root { color-scheme: light dark; --line: #d5d9de; --soft: #5b6470; --good: #1a7f4b;
  --bad: #b3261e; --card: #f6f7f9; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --line: #3a4048; --soft: #a2abb6; --good: #58c78b;
  --bad: #ff8a80; --card: #1d2127; --warn: #ffc56b; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
section > header { display: flex; align-items: baseline; gap: 1rem; }
section > header > :first-child { flex: 1; } .total { font-size: 1.15rem; font-weight: 600; }
th.n { text-align: right; } .full { color: var(--good); }
.part { color: var(--bad); } .soft { color: var(--soft); font-size: .9rem; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
td, th { padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.mark { border-left: 4px solid var(--good); background: var(--card); padding: .5rem .8rem;
  margin: .45rem 0; border-radius: 0 6px 6px 0; } .mark.lost { border-color: var(--bad); }
.mark header { display: flex; gap: .6rem; align-items: baseline; }
.mark header b { flex: 1; } .mark p { margin: .1rem 0; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem .9rem;
  margin: .5rem 0 .1rem; } dt { color: var(--soft); } dd { margin: 0; }
code, pre { font: .88rem/1.45 ui-monospace, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; margin: 0; }
.held { color: var(--warn); font-size: .9rem; }
"""


def to_html(grades: Sequence[Grade], feedback: Feedback) -> str:
    """The whole page. Every text of an attempt is escaped; there is no script."""
    heading = f"{grades[0].task}" if grades else "no attempts"
    body = list(_table(grades)) if len(grades) > 1 else []
    for index, grade in enumerate(grades):
        body += _grade(grade, index, feedback, len(grades) > 1)
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(heading)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>",
        *body,
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _table(grades: Sequence[Grade]) -> Iterator[str]:
    """The class at a glance, each name a link to its own part."""
    yield f"<h1>{escape(grades[0].task)}</h1>"
    full = sum(grade.full for grade in grades)
    yield f'<p class="soft">{len(grades)} attempts, {full} with full marks</p>'
    heads = '<th>Attempt</th><th class="n">Points</th><th>Lost</th>'
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    for index, grade in enumerate(grades):
        yield (
            f'<tr><td><a href="#a{index}">{_text(grade.attempt, 80)}</a></td>'
            f'<td class="n">{_total(grade)}</td><td>{_prose(lost(grade))}</td></tr>'
        )
    yield "</tbody></table>"


def _total(grade: Grade) -> str:
    return f"{number(grade.earned)} / {number(grade.points)}"


def _text(text: str, limit: int = 300) -> str:
    return escape(clean(text, limit))


def _prose(text: str) -> str:
    """A sentence, what stands between backticks set as code."""
    return _QUOTED.sub(r"<code>\1</code>", escape(text))


def _grade(grade: Grade, index: int, feedback: Feedback, nested: bool) -> Iterator[str]:
    tag = "h2" if nested else "h1"
    style = "full" if grade.full else "part"
    yield f'<section id="a{index}">'
    name = _text(grade.attempt, 80)
    shown = name if nested else f"{escape(grade.task)}: {name}"
    total = f'<span class="total {style}">{_total(grade)}</span>'
    yield f"<header><{tag}>{shown}</{tag}>{total}</header>"
    many = several(grade)
    for mark, rows in reasons(grade, feedback):
        yield from _mark(mark, rows, many)
    if grade.outside:
        yield "<h3>Outside plain PyTorch</h3><ul>"
        yield from (f"<li>line {n.line}: {_prose(clean(n.text))}</li>" for n in grade.outside)
        yield f"</ul><p>{_prose(PLAIN)}</p>"
    if grade.remarks:
        yield "<h3>To look at</h3><ul>"
        for note in grade.remarks:
            at = f"line {note.line}: " if note.line else ""
            yield f"<li>{at}{_prose(clean(note.text))}</li>"
        yield "</ul>"
    if grade.printed:
        yield "<h3>It printed (which counts for nothing)</h3>"
        yield f"<pre>{_text(grade.printed, 500)}</pre>"
    seed = f", seed {grade.seed}" if feedback == "full" else ""
    last = f"{guards(grade)} torch {grade.torch}, {grade.seconds:.1f} s{seed}."
    yield f'<p class="soft">{escape(last)}</p></section>'


def _mark(mark: PointMark, rows: list[tuple[str, str]], many: bool) -> Iterator[str]:
    kind = "" if mark.full else " lost"
    held = ' <span class="held">held, but withheld</span>' if mark.withheld else ""
    points = f"{number(mark.earned)} / {number(mark.points)}"
    sign = "✓" if mark.full else "✗"
    yield f'<div class="mark{kind}"><header><span>{sign}</span>'
    yield f"<b>{escape(title(mark, many))}{held}</b><span>{points}</span></header>"
    yield f'<p class="soft">{_prose(mark.say)}</p>'
    if rows and rows[0][0] == "":
        yield f"<p>{_prose(rows[0][1])}</p>"
    elif rows:
        yield "<dl>"
        for label, text in rows:
            yield f"<dt>{escape(label)}</dt><dd>{_said(label, text)}</dd>"
        yield "</dl>"
    yield "</div>"


def _said(label: str, text: str) -> str:
    """Values and lines as code; a sentence with code in it as that."""
    if label in ("expected", "seen") and "`" in text:
        return _prose(text)
    shown = f"cards show {text}" if label == "explained by" else text
    return f"<code>{escape(shown)}</code>"
