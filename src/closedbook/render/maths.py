"""LaTeX maths as Typst maths, and as words.

A formula is read by a parser of its own, which knows the commands of
:mod:`closedbook.render.latex.symbols` and nothing else: whatever it does not know is refused at its
place, with what to write instead. The Typst text is put together from table entries and from
single escaped characters, so that nothing that an author types is ever read as Typst code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from closedbook.render.latex.atoms import GAPS, FormulaError
from closedbook.render.latex.parser import Parser
from closedbook.render.tree import GapSpan, TextProblem

_MOST_GAPS = 100

CUT = "this gap cuts through a command or a group: put whole terms into it, as in x^{ {{c1::2}} }"


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as Typst maths (``gap0``, ``gap1``, … where gaps are) and read aloud.

    Aloud a gap is "blank 1", by the number of its box.
    """

    typst: str
    spoken: str


@lru_cache(maxsize=8192)
def translate(
    tex: str, gaps: tuple[GapSpan, ...] = (), *, block: bool = False
) -> tuple[Formula | None, tuple[TextProblem, ...]]:
    """A formula and what is wrong with it, by offset in ``tex``; None where anything is.

    ``block`` says that it is set apart, where lines may be aligned.
    """
    marked, origins, problems = _mark(tex, gaps)
    try:
        atom = Parser(marked, block=block, gaps=len(gaps)).formula()
    except FormulaError as fault:
        return None, (*problems, TextProblem(origins[fault.at], fault.message))
    if problems:
        return None, tuple(problems)
    spoken = atom.spoken
    for number, span in enumerate(gaps):
        spoken = spoken.replace(chr(GAPS + number), str(span.box or ""))
    return Formula(atom.typst, _tidied(spoken)), ()


def _tidied(spoken: str) -> str:
    """Words with punctuation where a reader expects it: ``f (x, y)``, ``1.5``."""
    spoken = re.sub(r"(\d) \. (\d)", r"\1.\2", spoken)
    spoken = re.sub(r"([(\[]) | (?=[)\],;.!])", r"\1", spoken)
    return " ".join(spoken.split())


def _mark(tex: str, gaps: tuple[GapSpan, ...]) -> tuple[str, list[int], list[TextProblem]]:
    """The formula with one private character for each gap, and where its characters were."""
    marked, origins, problems, at = "", [], [], 0
    for number, span in enumerate(gaps[:_MOST_GAPS]):
        inner, faults = translate(tex[span.start : span.end])
        if inner is None:
            problems.append(
                TextProblem(span.start + faults[0].offset, f"{CUT} ({faults[0].message})")
            )
        marked += tex[at : span.start] + chr(GAPS + number)
        origins += [*range(at, span.start), span.start]
        at = span.end
    origins += [*range(at, len(tex) + 1)]
    return marked + tex[at:], origins, problems


_TEXT = re.compile(r"(\\(?:text|textrm|textnormal)\s*)\{((?:[^{}\\]|\\.)*)\}")


def for_mathjax(tex: str) -> str:
    r"""LaTeX that every MathJax of Anki shows alike.

    Some of Anki's programs load MathJax with its package ``textmacros`` and some without: the
    first refuse ``_`` within ``\text``, the others show the backslash of ``\_``. So what is
    escaped there moves out: ``\text{in\_features}`` becomes ``\text{in}\_\text{features}``.
    """
    return _TEXT.sub(_apart, tex)


def _apart(match: re.Match[str]) -> str:
    command, words = match[1], match[2]
    parts = re.split(r"(\\[_#%& ])", words)
    shown = (part if i % 2 else f"{command}{{{part}}}" for i, part in enumerate(parts) if part)
    return f"{{{''.join(shown)}}}" if len(parts) > 1 else match[0]
