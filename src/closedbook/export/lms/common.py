"""What the formats share: the walk over variants, and questions as HTML."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape
from itertools import count
from pathlib import Path

from closedbook.model.bank import Blueprint, Listing
from closedbook.paper.evidence import Ran
from closedbook.paper.exam import Award, HandIn, Question, Section, Variant
from closedbook.paper.files import MANIFEST, Beside, last_labels
from closedbook.paper.make import Maker
from closedbook.paper.manifest import manifest_head, manifest_pieces, variant_entry, variant_text
from closedbook.paper.plan import Plan
from closedbook.paper.points import format_points, minutes_text, points_text
from closedbook.problem import Note, Problem, Severity, has_errors
from closedbook.render.escape import Target, text
from closedbook.render.html import ShowGap, ShowMath, blank_gap, to_html
from closedbook.render.tree import CodeBlock, Document, Image
from closedbook.render.typst.formulas import Wanted
from closedbook.verify.verified import VerifiedBank

Files = dict[str, bytes]
"""A variant's files by name."""


@dataclass
class Setup:
    """What every variant of an exam shares: the bank's folder, its blueprint, what was made once.

    ``figures`` keeps those that were turned into another form, by their path in the bank,
    ``formulas`` those that were drawn, and ``told`` what a platform cannot do as a paper does.
    """

    root: Path
    blueprint: Blueprint
    figures: dict[str, bytes] = field(default_factory=dict)
    formulas: dict[Wanted, str] = field(default_factory=dict)
    told: dict[tuple[str, str], Problem] = field(default_factory=dict)

    def tell(
        self, section: Section, card: str, message: str, *notes: str, severity: Severity = "warning"
    ) -> None:
        """Keep a problem with the points of a card, at its place; once for all variants."""
        index = section.number - 1
        own = card in self.blueprint.info.sections[index].points_of
        loc = ("sections", index, *(("points_of", card) if own else ("points",)))
        self.told[card, message] = self.blueprint.origin.problem(
            loc, message, severity=severity, notes=tuple(map(Note, notes)), card=card
        )


def write_variants(
    verified: VerifiedBank, plan: Plan, folder: Path, make: Callable[[Variant, Setup], Files]
) -> tuple[list[Path], list[Problem]]:
    """Write what ``make`` gives for each variant, and the manifest; all files or none."""
    with Beside(folder) as beside:
        maker, setup = Maker(verified, plan), Setup(verified.bank.root, plan.blueprint)
        names: dict[str, None] = {}  # in order; what variants share is written once
        ends: set[str] = set()  # a file is named by its variant and an end that all of them share
        entries: list[bytes] = []
        for index in range(len(plan.variants)):
            variant = maker.variant(index)
            for name, data in make(variant, setup).items():
                if name in names:
                    continue
                beside.write(name, data)
                names[name] = None
                ends.add(name.removeprefix(variant.label))
            entries.append(variant_text(variant_entry(variant, plan, index)))
        problems = [*maker.problems, *setup.told.values()]
        if has_errors(problems):
            return [], problems
        beside.write_pieces(MANIFEST, manifest_pieces(manifest_head(verified, plan), entries))
        stale = (f"{label}{end}" for label in last_labels(folder) for end in ends)
        return beside.settle([*names, MANIFEST], stale), problems


@dataclass(frozen=True, slots=True)
class Writer:
    """Questions as HTML. ``image`` and ``math`` say how a platform shows figures and formulas.

    ``target`` is ``platform`` where a MathJax runs that is not closedbook's.
    """

    image: Callable[[Image], str]
    math: ShowMath | None = None
    gap: ShowGap = blank_gap
    target: Target = "page"

    def html(self, document: Document) -> str:
        """A text."""
        return to_html(document, target=self.target, image=self.image, math=self.math, gap=self.gap)

    def filled(self, document: Document) -> str:
        """A text whose gaps show what belongs there."""
        return to_html(document, target=self.target, image=self.image, math=self.math)

    def code(self, listing: Listing | None) -> str:
        """Code, highlighted by classes."""
        if listing is None:
            return ""
        code = CodeBlock(listing.text.rstrip("\n"), listing.language)
        return to_html((code,), target=self.target)

    def asked(self, question: Question) -> str:
        """What is asked before options, blanks or parts."""
        return self.html(question.stem) + numbered(self.code(question.listing))

    def parts(self, question: Question) -> str:
        """The lettered parts, each with its points."""
        items = (
            f"<li>{self.html(part.ask)}<p><em>{points_text(part.points)}</em></p></li>"
            for part in question.parts
        )
        return f'<ol type="a">{"".join(items)}</ol>' if question.by_parts else ""

    def hand_in(self, question: Question) -> str:
        """What file to hand in, and how it is judged."""
        if question.hand_in is None:
            return ""
        task = question.hand_in
        without = f" without {_codes(task.forbidden)}" if task.forbidden else ""
        rows = "".join(
            f"<tr><td>{format_points(award.points)}</td><td>{self.html(award.says)}</td></tr>"
            for award in task.contract
        )
        broken = ""
        if task.broken_award is not None:
            broken = (
                f"{self.html(task.broken)}<p><em>{points_text(task.broken_award.points)}</em></p>"
            )
        return (
            f"<p>Hand in {_codes([task.file])}. It defines {_codes(task.classes)}{without}. "
            f"Graded by {_codes([task.command])}.</p>"
            f"<table><thead><tr><th>Points</th><th>Judged by</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>{broken}"
        )

    def key(self, question: Question) -> str:
        """The answer for graders: points for what, why, misconceptions, what ran."""
        told = []
        if question.options:
            told.append(f"<p><strong>{', '.join(question.right_letters)}</strong></p>")
            rows = "".join(
                f"<tr><td>{option.letter}</td><td>{self.html(option.because)}</td></tr>"
                for option in question.options
                if option.because
            )
            told.append(f"<table><tbody>{rows}</tbody></table>" if rows else "")
        if question.blanks:
            told.append(self.filled(question.stem))
        told.append(self.awards(question.all_awards, numbered=bool(question.blanks)))
        for part in question.parts:
            told += [self.html(part.why), self.code(part.listing)]
        told += [self.html(question.result), self.html(question.why)]
        if question.hand_in is not None:
            told += [self.code(listing) for listing in question.hand_in.model]
        told.append(evidence(question.evidence))
        return "".join(told)

    def awards(self, found: Iterable[Award], *, numbered: bool = False) -> str:
        """What earns points, one line each; ``numbered`` as blanks are."""
        rows = "".join(
            f"<tr><td>{points_text(award.points)}</td><td>{f'[{number}] ' * numbered}"
            + self.html(award.says)
            + (f"<pre>{escape(award.quote)}</pre>" if award.quote else "")
            + "</td></tr>"
            for number, award in enumerate(found, 1)
        )
        return f"<table><tbody>{rows}</tbody></table>"

    def feedback(self, question: Question) -> str:
        """What a learner reads after the attempt: the answer, why, and what ran to show it."""
        told = [self.filled(question.stem) if question.blanks else ""]
        told += [self.html(award.says) for part in question.parts for award in part.awards]
        told += [self.html(question.why), evidence(question.evidence)]
        return "".join(told)

    def head(self, section: Section) -> str:
        """What stands above the questions of a section: its title, and its introduction."""
        title = text(section.title, self.target)
        return f"<h4>Part {section.number}: {title}</h4>{self.intro(section)}"

    def intro(self, section: Section) -> str:
        """What a section is worth, and what it says of its questions."""
        worth = points_text(section.points)
        if section.minutes:
            worth += f", {minutes_text(section.minutes)}"
        return f"<p><em>{worth}</em></p>{self.html(section.intro)}"


def _codes(names: Iterable[str]) -> str:
    """Names as code, with commas between them."""
    return ", ".join(f"<code>{escape(name)}</code>" for name in names)


def files_of(task: HandIn) -> tuple[str, ...]:
    """What a task asks for: its file, and of its second half the broken one and the quote."""
    return (task.file, *(("broken.py", "quote.txt") if task.broken_award else ()))


def numbered_gaps(show: Callable[[int], str]) -> ShowGap:
    """Blanks by number, as ``show`` has it in a text and in a box in a formula; hints follow."""
    numbers = count(1)

    def gap(number: int, content: str, hint: str | None, maths: bool) -> str:
        at = next(numbers)
        return rf"\boxed{{[{at}]}}" if maths else show(at) + shown_hint(hint)

    return gap


def numbered(code: str) -> str:
    """Code with the number of each line before it: the key tells of lines by their numbers.

    As text, for a platform has no style for them.
    """
    before, opened, rest = code.partition("<code>")
    if not opened:
        return code
    body, closed, after = rest.rpartition("</code>")
    lines = body.rstrip("\n").split("\n")
    width = len(str(len(lines)))
    body = "\n".join(f"{number:>{width}}  {line}" for number, line in enumerate(lines, 1))
    return before + opened + body + "\n" + closed + after


def evidence(found: Iterable[Ran]) -> str:
    """What ran, and what was observed."""
    told = []
    for one in found:
        facts = "; ".join(
            f"<code>{escape(fact.name)}</code> {fact.sign} <code>{escape(fact.text)}</code>"
            for fact in one.facts
        )
        run, place = escape(one.run), escape(str(one.place))
        told.append(f"<p>Ran <code>{run}</code> on torch {one.torch}: {facts} ({place}).</p>")
    return "".join(told)


def shown_hint(hint: str | None) -> str:
    """A gap's hint, to stand behind a platform's field."""
    return f" ({text(hint, 'platform')})" if hint else ""


def data_uri(path: Path) -> str:
    """A figure as part of its page."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def number_text(value: float) -> str:
    """A number in all the digits that tell it from its neighbours: 0.9999999999999999, or 8."""
    return repr(value).removesuffix(".0")
