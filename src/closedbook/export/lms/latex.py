"""LaTeX with the exam class: ``A.tex`` and ``A-key.tex``, for those who must.

The texts are escaped character by character; formulas are the author's own. A Unicode engine
(LuaLaTeX, XeLaTeX) sets them. The key is a file of its own: the paper's holds no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from hashlib import sha256

from closedbook.export.lms.common import Files, Setup
from closedbook.model.bank import Listing
from closedbook.paper.exam import Award, Part, Question, Section, Variant
from closedbook.paper.figures import variant_figures
from closedbook.paper.points import minutes_text
from closedbook.paper.space import Space
from closedbook.render import tree
from closedbook.render.typst.compiler import figure_pdf
from closedbook.render.walk import boxed_gaps

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",  # behind a line's end it would be taken for a part of the command
}
_ESCAPES = str.maketrans(_SPECIAL)
_BREAKS_BEHIND = "_(,=."
"""Where code within a line may go on in the next."""
_CODE_ESCAPES = str.maketrans(
    {**_SPECIAL, " ": "\\ "}
    | {sign: f"{_SPECIAL.get(sign, sign)}\\allowbreak{{}}" for sign in _BREAKS_BEHIND}
)
_BLANK = r"\rule{4cm}{0.4pt}"
_CODE_BLANK = "_" * 21
"""As long, in the type of code."""

HEAD = r"""\documentclass[11pt,%(paper)s]{exam}
\usepackage{amsmath,amssymb,graphicx,needspace,textcomp}
\usepackage{fontspec}
\emergencystretch=3em
\pointsinrightmargin
\bracketedpoints
\pagestyle{headandfoot}
\header{%(title)s}{}{%(side)s}
\footer{}{Page \thepage\ of \numpages}{}
\begin{document}
\begin{center}\LARGE\textbf{%(title)s}\par\large %(side)s\quad %(worth)s\end{center}
"""


def latex_files(variant: Variant, setup: Setup) -> Files:
    """The paper and the key, each compiled by itself, and beside them the figures that they show.

    Figures are PDF, whatever they were: LaTeX reads neither SVG nor WebP.
    """
    files = {
        f"{variant.label}.tex": _document(variant, key=False).encode(),
        f"{variant.label}-key.tex": _document(variant, key=True).encode(),
    }
    texts = b"".join(files.values())
    for path in variant_figures(variant):
        name = _figure_name(path)
        if name.encode() in texts:
            files[name] = _figure(path, setup)
    return files


def _figure_name(path: str) -> str:
    """A name without characters that are special to LaTeX, the same for the same file."""
    return f"figure-{sha256(path.encode()).hexdigest()[:12]}.pdf"


def _figure(path: str, setup: Setup) -> bytes:
    if path not in setup.figures:
        setup.figures[path] = figure_pdf(setup.root, path)
    return setup.figures[path]


def _document(variant: Variant, *, key: bool) -> str:
    side = f"Variant {variant.label}" + (", key" if key else "")
    head = HEAD % {
        "paper": "a4paper" if variant.paper == "a4" else "letterpaper",
        "title": escape(variant.title),
        "side": side,
        "worth": f"{minutes_text(variant.minutes)}, {_points(variant.points)} points",
    }
    parts = [head]
    if not key:
        parts.append("\\noindent Name \\hrulefill\\quad Id \\hrulefill\\par\\bigskip\n")
    parts += [to_latex(variant.rules), "\\begin{questions}\n"]
    for section in variant.sections:
        parts.append(_section(section, key=key))
    parts.append("\\end{questions}\n\\end{document}\n")
    return "\n".join(part for part in parts if part)


def _section(section: Section, *, key: bool) -> str:
    title = f"Part {section.number}\\quad {escape(section.title)}"
    intro = to_latex(section.intro)
    # A paragraph of its own box: before a list's first item \\par does nothing.
    heading = f"\\parbox{{\\textwidth}}{{\\textbf{{\\large {title}}}\\par {intro}}}"
    lines = [f"\\needspace{{8\\baselineskip}}\\fullwidth{{{heading}}}"]
    lines += [_question(question, key=key) for question in section.questions]
    return "\n".join(lines)


def _question(question: Question, *, key: bool) -> str:
    lines = [f"\\question {_worth(question.points)}"]
    lines.append(to_latex(question.stem, filled=key))
    lines.append(_listing(question.listing, numbered=True))
    if question.options:
        lines.append("\\nopagebreak\\begin{samepage}\\begin{checkboxes}")
        for option in question.options:
            mark = "\\CorrectChoice" if key and option.right else "\\choice"
            because = f" \\emph{{{to_latex(option.because)}}}" if key and option.because else ""
            lines.append(f"{mark} {option.letter}\\quad {to_latex(option.text)}{because}")
        lines.append("\\end{checkboxes}\\end{samepage}")
    if question.by_parts:
        lines.append("\\begin{parts}")
        lines += [_part(part, key=key) for part in question.parts]
        lines.append("\\end{parts}")
    elif question.parts and not key:
        lines.append(_space(question.parts[0].space))
    if question.hand_in is not None:
        lines.append(_hand_in(question))
    if key:
        lines.append(_key(question))
    return "\n".join(line for line in lines if line)


def _part(part: Part, *, key: bool) -> str:
    asked = f"\\part {_worth(part.points)} {to_latex(part.ask)}"
    if not key:
        return f"{asked}\n{_space(part.space)}"
    return "\n".join([asked, _awards(part.awards), _listing(part.listing), to_latex(part.why)])


def _worth(points: Fraction) -> str:
    """Points as the exam class takes them, whole or with a half; others as text."""
    whole, rest = divmod(points, 1)
    if not rest:
        return f"[{whole}]"
    if rest == Fraction(1, 2):
        return f"[{whole or ''}\\half]"
    return f"({_points(points)} {'point' if points <= 1 else 'points'})"


def _points(points: Fraction) -> str:
    """Points in the text, with any fraction."""
    whole, rest = divmod(points, 1)
    if not rest:
        return str(whole)
    return f"{whole or ''}$\\tfrac{{{rest.numerator}}}{{{rest.denominator}}}$"


def _space(space: Space) -> str:
    if space.style == "lines":
        return f"\\fillwithlines{{{space.lines * 0.85:.2f}cm}}"
    if space.style == "grid":
        return f"\\fillwithgrid{{{space.cm:g}cm}}"
    return f"\\vspace{{{space.cm:g}cm}}" if space.style == "blank" else ""


def _hand_in(question: Question) -> str:
    task = question.hand_in
    if task is None:
        return ""
    rows = [f"{_points(award.points)} & {to_latex(award.says)} \\\\" for award in task.contract]
    classes = ", ".join(_code(name) for name in task.classes)
    broken = (
        f"{to_latex(task.broken)} {_worth(task.broken_award.points)}" if task.broken_award else ""
    )
    return "\n".join(
        [
            f"Hand in {_code(task.file)}. It defines {classes}. Graded by {_code(task.command)}.",
            "\n\\begin{tabular}{rp{11cm}}\nPoints & Judged by \\\\ \\hline",
            *rows,
            "\\end{tabular}\n",
            broken,
        ]
    )


def _key(question: Question) -> str:
    lines = ["\\par\\medskip\\hrule\\smallskip"]
    if question.options:
        lines.append(
            f"\\textbf{{Question {question.number}: {', '.join(question.right_letters)}.}}\n"
        )
    if not question.by_parts:
        lines.append(_awards(question.all_awards))
    lines += [to_latex(question.result), to_latex(question.why)]
    if question.hand_in is not None:
        lines += [_listing(listing) for listing in question.hand_in.model]
    for one in question.evidence:
        facts = "; ".join(
            f"{_code(fact.name)}{' =' if fact.formula else ':'} {_code(fact.text)}"
            for fact in one.facts
        )
        lines.append(f"Ran {_code(one.run)} on torch {escape(one.torch)}: {facts}.\n")
    return "\n".join(line for line in lines if line)


def _awards(awards: Sequence[Award]) -> str:
    return "\n\n".join(f"({_points(a.points)}) {to_latex(a.says)}" for a in awards)


def _listing(listing: Listing | None, *, numbered: bool = False) -> str:
    return "" if listing is None else _lines(listing.text.rstrip("\n"), numbered=numbered)


# ---- the tree -----------------------------------------------------------------------------------


def escape(text: str) -> str:
    """Characters as LaTeX that shows exactly them."""
    return text.translate(_ESCAPES)


def _code(text: str) -> str:
    """Code within a line, which may break where Python's eye does."""
    return f"\\texttt{{{text.translate(_CODE_ESCAPES)}}}"


def _lines(text: str, *, numbered: bool = False) -> str:
    """Code line by line; no environment that its text could end.

    What is wider than the page goes on in the next line, further in than any of its beginnings.
    """
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        margin = f"\\makebox[2em][r]{{\\scriptsize {number}}}\\quad" if numbered else ""
        code = escape(line).replace(" ", "\\ ")
        rows.append(f"\\hangindent=8em\\mbox{{}}{margin}\\texttt{{{code}}}\\par")
    return "\\begin{flushleft}\\small\n" + "\n".join(rows) + "\n\\end{flushleft}"


def to_latex(document: tree.Document, *, filled: bool = False) -> str:
    """The document as LaTeX; gaps are blanks, or filled for a key.

    A gap in a formula is a box with a number, and its blank stands below the block.
    """
    parts = []
    for block in document:
        parts.append(_block(block, filled))
        if boxed := boxed_gaps((block,)):
            rows = "\\quad ".join(_below(gap, tex, filled) for gap, tex in boxed)
            parts.append(f"\\nopagebreak{{\\raggedright\\noindent {rows}\\par}}")
    return "\n\n".join(parts)


def _below(gap: tree.GapSpan, tex: str, filled: bool) -> str:
    """The blank of a gap in a formula, or what belongs there."""
    line = f"\\underline{{${tex}$}}" if filled else _blank(gap.hint)
    return f"\\mbox{{\\fbox{{\\small {gap.box}}} {line}\\rule{{0pt}}{{2em}}}}"


def _blocks(document: tree.Document, filled: bool) -> str:
    return "\n\n".join(_block(block, filled) for block in document)


def _block(block: tree.Block, filled: bool) -> str:
    match block:
        case tree.Paragraph(children):
            return _inlines(children, filled)
        case tree.Heading(_, children):
            return f"\\textbf{{{_inlines(children, filled)}}}"
        case tree.CodeBlock(text, _, gaps):
            return _lines(_spans(text, gaps, filled))
        case tree.MathBlock(tex, _, gaps):
            return f"\\[{_math_spans(tex, gaps, filled)}\\]"
        case tree.List(items, start):
            kind = "itemize" if start is None else "enumerate"
            rows = "\n".join(f"\\item {_blocks(item, filled)}" for item in items)
            return f"\\begin{{{kind}}}\n{rows}\n\\end{{{kind}}}"
        case tree.Table():
            return _table(block, filled)
        case tree.Quote(children):
            return f"\\begin{{quote}}\n{_blocks(children, filled)}\n\\end{{quote}}"
        case tree.Rule():
            return "\\par\\noindent\\hrulefill\\par"


def _table(node: tree.Table, filled: bool) -> str:
    columns = "".join(side[0] for side in node.align)
    head = " & ".join(f"\\textbf{{{_inlines(cell, filled)}}}" for cell in node.header)
    rows = [" & ".join(_inlines(cell, filled) for cell in row) for row in node.rows]
    body = " \\\\\n".join([f"{head} \\\\ \\hline", *rows])
    return f"\\begin{{tabular}}{{{columns}}}\n{body} \\\\\n\\end{{tabular}}"


def _inlines(nodes: Sequence[tree.Inline], filled: bool) -> str:
    return "".join(_inline(node, filled) for node in nodes)


def _inline(node: tree.Inline, filled: bool) -> str:
    match node:
        case tree.Text(text):
            return escape(text)
        case tree.Code(text, gaps):
            return _code(text) if filled else _code_with_blanks(text, gaps)
        case tree.Math(tex, _, gaps):
            return f"${_math_spans(tex, gaps, filled)}$"
        case tree.Emphasis(children, strong):
            return f"\\text{'bf' if strong else 'it'}{{{_inlines(children, filled)}}}"
        case tree.Link(children, url):
            return f"{_inlines(children, filled)} ({_code(url)})"
        case tree.Image(path, _):
            return f"\\includegraphics[width=0.8\\linewidth]{{{_figure_name(path)}}}"
        case tree.Break():
            return "\\\\\n"
        case tree.Gap(_, children, hint):
            if filled:
                return f"\\underline{{\\textbf{{{_inlines(children, filled)}}}}}"
            return _blank(hint)


def _blank(hint: str | None) -> str:
    return _BLANK + (f" ({escape(hint)})" if hint else "")


def _code_with_blanks(text: str, gaps: Sequence[tree.GapSpan]) -> str:
    parts, at = [], 0
    for span in gaps:
        parts += [_code(text[at : span.start]), _blank(span.hint)]
        at = span.end
    return "".join([*parts, _code(text[at:])])


def _spans(text: str, gaps: Sequence[tree.GapSpan], filled: bool) -> str:
    for span in reversed(gaps) if not filled else ():
        hint = f" ({span.hint})" if span.hint else ""
        text = f"{text[: span.start]}{_CODE_BLANK}{hint}{text[span.end :]}"
    return text


def _math_spans(tex: str, gaps: Sequence[tree.GapSpan], filled: bool) -> str:
    for span in reversed(gaps):
        shown = (
            f"\\underline{{{tex[span.start : span.end]}}}"
            if filled
            else f"\\boxed{{\\mbox{{\\small {span.box}}}}}"
        )
        tex = f"{tex[: span.start]}{shown}{tex[span.end :]}"
    return tex
