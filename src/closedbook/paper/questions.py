"""A verified card as a question: one small function a kind, and one row in the table below."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isfinite

from closedbook.model import kinds
from closedbook.model.bank import Bank, Listing
from closedbook.model.claim import Claim
from closedbook.model.expect import Equals
from closedbook.model.kinds import Cloze, Content, Derivation, Task, Trap
from closedbook.model.kinds.base import SourceAt, WrittenClaim
from closedbook.model.kinds.task import PROBES
from closedbook.model.origin import Loc
from closedbook.model.value import Number
from closedbook.paper.evidence import once, ran
from closedbook.paper.exam import Award, HandIn, Option, Part, Quantity, Question
from closedbook.paper.faults import fault_of, fault_sentence, unknown_lines
from closedbook.paper.labels import letters
from closedbook.paper.space import NONE, Space, default_space, read_space
from closedbook.paper.trees import plain, sentence, with_figures
from closedbook.paper.weights import fault_earns, result_earns, shares
from closedbook.problem import Problem
from closedbook.render.markdown import parse
from closedbook.render.tree import Code, Document
from closedbook.render.walk import gap_contents
from closedbook.verify.verified import Evidence, VerifiedDraw

FAULT = "Find the fault: name the line, and say why it is wrong."
OBSERVED = "Say what is observed when it runs, and how you would see it."
FAULT_AND_OBSERVED = "Find the fault, and say what is observed when it runs."
MEND = "Mend it: write the lines that change."
MENDED = "The code does what the code below does, in these or other words."
EXACT = "Exactly the right boxes are ticked; otherwise no points."


@dataclass(slots=True)
class Made:
    """A verified draw on its way to a question."""

    draw: VerifiedDraw
    bank: Bank
    problems: list[Problem] = field(default_factory=list)

    def text(self, markdown: str | None, *, cloze: bool = False) -> Document:
        """A text of the card, its figures named from the bank's folder."""
        if markdown is None:
            return ()
        document, _ = parse(markdown, cloze=cloze)
        folder = self.draw.drawn.card.origin.path.rpartition("/")[0]
        return with_figures(document, folder)

    def evidence(self, *loc: str | int) -> tuple[Claim | None, Evidence | None]:
        """The claim at a place, and what showed it."""
        claims = self.draw.drawn.claims_at(*loc)
        if not claims:
            return None, None
        return claims[0], self.draw.evidence_of(claims[0])

    def award(self, points: Fraction, says: Document, *loc: str | int) -> Award:
        """What the claim at a place is worth, with its evidence."""
        claim, evidence = self.evidence(*loc)
        quote = evidence.quote if evidence and claim and claim.quote else None
        shown = ran(claim, evidence) if claim else None
        return Award(points, says, shown, quote, claim.unchecked if claim else None)

    def space(self, kind: str, points: Fraction) -> Space:
        """The card's own ``space``, or what so many points of the kind deserve."""
        own = self.draw.drawn.content.space
        if own is None:
            return default_space(kind, points)
        space, reason = read_space(own, points)
        if space is None:
            card = self.draw.drawn.card
            self.problems.append(card.origin.problem(("space",), reason, card=card.id))
        return space or NONE

    def listing(self, *loc: str | int) -> Listing | None:
        """The code that the card prints at a place."""
        key: Loc = loc
        return self.draw.drawn.listings.get(key)


def make_question(made: Made, points: Fraction) -> tuple[Question, list[Problem]]:
    """The question that the drawn card is, unnumbered, options in the order of the card."""
    drawn = made.draw.drawn
    content = drawn.content
    parts, reason = shares(content, points)
    if parts is None:  # the plan holds only cards that can be worth their points
        raise ValueError(reason)
    question = Question(
        number=0,
        card=drawn.card.id,
        kind=content.kind,
        points=points,
        difficulty=content.difficulty,
        draw=drawn.draw,
        stem=(),
        listing=made.listing("code"),
        why=made.text(content.why),
        evidence=once(map(ran, drawn.claims, made.draw.evidence)),
        source=_source(made, content),
    )
    return _MAKERS[content.kind](made, content, question, parts), made.problems


def _source(made: Made, content: Content) -> str:
    """The resource to read again, in words."""
    source = content.source
    if source is None:
        return ""
    name = source.id if isinstance(source, SourceAt) else source
    resource = made.draw.drawn.card.unit.info.resources.get(name)
    title = resource.title if resource else name
    return f"{title}, {source.at}" if isinstance(source, SourceAt) else title


def _question(
    made: Made, content: kinds.Question, question: Question, parts: tuple[Fraction, ...]
) -> Question:
    stem = made.text(content.ask)
    if content.options:
        options = tuple(
            Option(letters(at), made.text(o.text), o.right is not None, made.text(o.because), at)
            for at, o in enumerate(content.options)
        )
        award = Award(parts[0], sentence(EXACT))
        why = question.why or made.text(content.answer)
        return replace(question, stem=stem, options=options, awards=(award,), why=why)
    if content.claims:
        awards = _claims(made, content.claims, parts)
    else:
        awards = (made.award(parts[0], made.text(content.answer), "answer"),)
    part = Part("", (), made.space("question", question.points), awards)
    answer = made.text(content.answer) if content.claims else ()
    shown, _ = made.evidence("answer")
    told = plain(made.text(content.answer))
    return replace(
        question,
        stem=stem,
        parts=(part,),
        result=answer,
        typed=content.typed,
        quantity=None if content.claims else _quantity(told, (shown,) if shown else ()),
    )


def _quantity(text: str, claims: Iterable[Claim]) -> Quantity | None:
    """A text that is a number, with the tolerance that a check of it stands by; else None."""
    try:
        value = float(text)
    except ValueError:
        return None
    if not isfinite(value):
        return None
    for claim in claims:
        for fact in claim.check.expect.values() if claim.check else ():
            if (
                isinstance(fact, Equals)
                and isinstance(fact.value, Number)
                and fact.value.value == value
            ):
                whole = isinstance(fact.value.value, int)
                return Quantity(value, 0.0 if whole else fact.atol + fact.rtol * abs(value))
    return Quantity(value)


def _claims(
    made: Made, claims: tuple[WrittenClaim, ...], parts: tuple[Fraction, ...]
) -> tuple[Award, ...]:
    return tuple(
        made.award(share, made.text(claim.say), "claims", at)
        for at, (claim, share) in enumerate(zip(claims, parts, strict=True))
    )


def _cloze(made: Made, content: Cloze, question: Question, parts: tuple[Fraction, ...]) -> Question:
    stem = made.text(content.text, cloze=True)
    gaps = gap_contents(stem)
    awards = tuple(Award(share, says) for share, says in zip(parts, gaps, strict=True))
    blanks = tuple(map(plain, gaps))
    quantities = tuple(_quantity(blank, made.draw.drawn.claims) for blank in blanks)
    return replace(question, stem=stem, blanks=blanks, quantities=quantities, awards=awards)


def _derivation(
    made: Made, content: Derivation, question: Question, parts: tuple[Fraction, ...]
) -> Question:
    steps = [
        Part(
            letters(at).lower(),
            made.text(step.ask),
            made.space("derivation", parts[at]),
            (made.award(parts[at], made.text(step.answer), "steps", at),),
            made.text(step.why),
        )
        for at, step in enumerate(content.steps)
    ]
    said = content.result.say if isinstance(content.result, WrittenClaim) else content.result
    result: Document = made.text(said)
    if result_earns(content):
        award = made.award(parts[-1], result, "result")
        ask = sentence("State the result.")
        space = made.space("derivation", parts[-1])
        steps.append(Part(letters(len(steps)).lower(), ask, space, (award,)))
        result = ()
    return replace(question, stem=made.text(content.ask), parts=tuple(steps), result=result)


def _trap(made: Made, content: Trap, question: Question, parts: tuple[Fraction, ...]) -> Question:
    own_fault = fault_earns(content)
    observed = _claims(made, content.claims, parts[own_fault:-1])
    fix = made.award(parts[-1], made.text(content.fix.say) or sentence(MENDED), "fix")
    why = (*_fault(made, content), *question.why)
    asked: list[tuple[Document, str, tuple[Award, ...], Listing | None]]
    asked = [(sentence(OBSERVED if own_fault else FAULT_AND_OBSERVED), "question", observed, None)]
    if own_fault:
        fault = Award(parts[0], why)
        asked.insert(0, (sentence(FAULT), "question", (fault,), None))
    asked.append((sentence(MEND), "code", (fix,), made.listing("fix", "code")))
    found = tuple(
        Part(
            letters(at).lower(),
            ask,
            made.space(kind, sum((award.points for award in awards), Fraction(0))),
            awards,
            listing=listing,
        )
        for at, (ask, kind, awards, listing) in enumerate(asked)
    )
    own = () if own_fault else why
    return replace(question, stem=made.text(content.ask), parts=found, why=own)


def _fault(made: Made, content: Trap) -> Document:
    """Which lines are at fault, as the paper numbers them; nothing where nobody can tell."""
    code = made.listing("code")
    if code is None:
        return ()
    made.problems += unknown_lines(made.draw.drawn.card, code)
    fault = fault_of(code, content.fault, made.listing("fix", "code"))
    return fault_sentence(fault) if fault else ()


_BROKEN_FILES = sentence(
    "Hand in the broken class as ",
    Code("broken.py"),
    ", and what ",
    Code("gradcheck"),
    " printed as ",
    Code("quote.txt"),
    ".",
)


def _task(made: Made, content: Task, question: Question, parts: tuple[Fraction, ...]) -> Question:
    contract = tuple(
        made.award(share, made.text(point.say or PROBES[probe]), "contract", probe)
        for share, (probe, point) in zip(parts, content.contract.items(), strict=False)
    )
    broken: Document = ()
    award = None
    if content.broken is not None:
        broken = (*made.text(content.broken.ask), *_BROKEN_FILES)
        at = ", ".join(f"{where} {index}" for where, index in content.broken.fails_at.items())
        says = sentence("The quoted mismatch is that of ", Code("gradcheck"), f" at {at}.")
        award = made.award(parts[-1], says, "broken")
    generators = made.bank.generators
    model = tuple(
        Listing(generators[name].source, "python", name)
        for name in dict.fromkeys(content.references.values())
        if name in generators
    )
    hand_in = HandIn(
        file=content.file,
        classes=tuple(content.references),
        forbidden=content.forbid,
        command=f"cards grade {content.id} {content.file}",
        contract=contract,
        broken=broken,
        broken_award=award,
        model=model,
    )
    return replace(question, stem=made.text(content.ask), hand_in=hand_in)


_MAKERS: dict[str, Callable[..., Question]] = {
    "question": _question,
    "cloze": _cloze,
    "derivation": _derivation,
    "trap": _trap,
    "task": _task,
}
