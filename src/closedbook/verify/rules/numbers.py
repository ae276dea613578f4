"""The number rule: a value on the answer side stands on the asking side, or in a check.

docs/checks.md states the rule in plain words; :mod:`closedbook.verify.rules.values` reads the
values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any

from closedbook.model.bank import DrawnCard, Generator
from closedbook.model.claim import Check, Claim
from closedbook.model.expect import Equals, Formula, Gradcheck, Raises, Text, Warns
from closedbook.model.gaps import gaps_in
from closedbook.model.kinds import Derivation
from closedbook.model.origin import Loc
from closedbook.model.value import Number, Shape, TensorSpec
from closedbook.verify.patterns import surely_matched
from closedbook.verify.plan import applies, is_run
from closedbook.verify.rules.choices import atom_of
from closedbook.verify.rules.code import tokens
from closedbook.verify.rules.finding import Finding, quoted
from closedbook.verify.rules.grammar import Key
from closedbook.verify.rules.values import Atom, atoms, code_atoms, number, segments


@dataclass(slots=True)
class Known:
    """The values that are given or shown."""

    keys: set[Key] = field(default_factory=set)

    def add(self, key: Key) -> None:
        """Know a value; of a tuple, its items too."""
        self.keys.add(key)
        if isinstance(key, tuple):
            self.keys.update(key)

    def add_atoms(self, found: Iterable[Atom]) -> None:
        """Know every value that a text states, each in every reading."""
        for atom in found:
            for keys in atom.any_of:
                for key in keys:
                    self.add(key)

    def states(self, atom: Atom) -> bool:
        """Whether one reading of a stated value is known."""
        known = self.keys
        return any(known.issuperset(keys) or all(map(self.holds, keys)) for keys in atom.any_of)

    def holds(self, key: Key) -> bool:
        """Whether a value is known, as it is or as a known one rounded to its decimals."""
        if key in self.keys:
            return True
        if isinstance(key, tuple):
            return any(isinstance(known, tuple) and _rounds(known, key) for known in self.keys)
        return isinstance(key, Decimal) and any(_rounds(known, key) for known in self.keys)


def _rounds(known: Key, stated: Key) -> bool:
    """Whether ``stated`` is ``known`` rounded to the decimals that it is written with."""
    if isinstance(known, tuple) and isinstance(stated, tuple):
        return len(known) == len(stated) and all(map(_rounds, known, stated))
    if known == stated:
        return True
    if not isinstance(known, Decimal) or not isinstance(stated, Decimal) or not known.is_finite():
        return False
    exponent = stated.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= 0 or not stated:
        return False
    with localcontext(prec=1000):
        return known.quantize(Decimal(1).scaleb(exponent)) == stated


def check_numbers(drawn: DrawnCard, generators: Mapping[str, Generator]) -> Iterator[Finding]:
    """Every value on the answer side that neither the asking side nor a check states."""
    exempt = {claim.say_loc for claim in drawn.claims if claim.unchecked or not applies(claim)}
    judged: list[tuple[Loc, str, Sequence[Atom]]] = []
    asked: list[str] = []
    for loc, text, side in drawn.content.texts():
        if loc == ("text",):
            asked.append(_outside(text))
            judged.append((loc, text, _in_gaps(text)))
        elif side == "ask" and loc[0] != "options":
            asked.append(text)
        elif loc not in exempt and loc[-1] != "wrong":
            judged.append((loc, text, atoms(text)))
    shown = Known()
    for claim in drawn.claims:
        if claim.check is not None and is_run(claim):
            _add_check(shown, claim.check)
    open_ = [
        (loc, text, [atom for atom in found if not shown.states(atom)])
        for loc, text, found in judged
    ]
    told: set[Loc] = set()
    if any(found for _, _, found in open_):
        judge = _Judge(drawn, generators, shown, asked)
        for loc, text, found in open_:
            for finding in judge.findings(loc, text, found):
                told.add(loc)
                yield finding
    for claim in drawn.claims:
        if claim.say_loc not in told:
            yield from _alone(claim)
    for loc, text, _ in judged:
        if loc == ("text",) and loc not in told:
            yield from _gaps(drawn, text)


def _alone(claim: Claim) -> Iterator[Finding]:
    """A sentence that is one value says what its check expects: no other that is known will do."""
    atom = atom_of(claim.say) if claim.say else None
    if atom is None or claim.check is None or not is_run(claim) or not claim.check.expect:
        return
    expected = Known()
    _add_expected(expected, claim.check)
    if not expected.states(atom):
        message = f"{quoted(atom.text)} is all that this says, and its check does not expect it"
        at = claim.say.find(atom.text)
        yield Finding("number", claim.say_loc, message, at, atom.text)


def _gaps(drawn: DrawnCard, text: str) -> Iterator[Finding]:
    """A gap that is one value is expected by a check, or a whole argument of one."""
    expected = Known()
    for claim in drawn.claims:
        if claim.check is not None and is_run(claim):
            _add_expected(expected, claim.check)
            for value in claim.check.arguments.values():
                if isinstance(value, Shape):
                    expected.keys.add(value.sizes)
                else:
                    _add_value(expected, value)
    for gap in gaps_in(text):
        atom = atom_of(text[gap.inner])
        if atom is not None and not expected.states(atom):
            said = quoted(atom.text)
            message = f"{said} is all that this gap says, and no check expects or takes it"
            yield Finding("number", ("text",), message, gap.inner.start, atom.text)


def _in_gaps(text: str) -> list[Atom]:
    """The values in a cloze's gaps; the rest of its text is read before it is answered."""
    unmarked = list(text)
    for gap in gaps_in(text):
        for at in (*range(gap.start, gap.inner.start), *range(gap.inner.stop, gap.end)):
            unmarked[at] = " "
    found = atoms("".join(unmarked))
    inner = {at for gap in gaps_in(text) for at in range(gap.inner.start, gap.inner.stop)}
    return [a for a in found if not inner.isdisjoint(range(a.offset, a.offset + len(a.text)))]


def _outside(text: str) -> str:
    """What of a cloze is read before it is answered."""
    kept, at = "", 0
    for gap in gaps_in(text):
        kept += f"{text[at : gap.start]} "
        at = gap.end
    return kept + text[at:]


class _Judge:
    """What one drawn card gives beside what its checks show: most values need only these."""

    def __init__(
        self,
        drawn: DrawnCard,
        generators: Mapping[str, Generator],
        shown: Known,
        asked: list[str],
    ) -> None:
        self.known = shown
        self._drawn = drawn
        self._lines = max((v.text.count("\n") for v in drawn.listings.values()), default=0)
        for text in asked:
            self.known.add_atoms(atoms(text))
        for listing in drawn.listings.values():
            self.known.add_atoms(code_atoms(listing.text))
        self._sources: list[str] = []
        self._versions: dict[Loc, str] = {}
        for claim in drawn.claims:
            if claim.check is not None and is_run(claim):
                self._add_source(claim.check, generators)
            if claim.versions is not None:
                self._versions[claim.say_loc] = claim.versions

    def _add_source(self, check: Check, generators: Mapping[str, Generator]) -> None:
        names = (check.run, *(v for v in check.arguments.values() if isinstance(v, str)))
        for name in names:
            generator = generators.get(name)
            if generator is not None:
                self._sources.append(tokens(generator.source))

    def findings(self, loc: Loc, text: str, found: list[Atom]) -> Iterator[Finding]:
        """The values of one text that nothing states."""
        ran = self._ran(text) if any(a.segment in ("code", "fence") for a in found) else []
        known = self._known_at(loc)
        for atom in found:
            if known.states(atom):
                continue
            if self._counts(atom) or any(start <= atom.offset < end for start, end in ran):
                continue
            message = (
                f"{quoted(atom.text)} is stated, but neither the asking side nor a check of this "
                "card states it"
            )
            yield Finding("number", loc, message, atom.offset, atom.text)

    def _known_at(self, loc: Loc) -> Known:
        """All this; in a claim for some versions of torch, their numbers too."""
        if loc[-1] == "because":
            return self._beside(loc)
        if loc not in self._versions:
            return self.known
        known = Known(set(self.known.keys))
        # What a claim is not about, "!=2.9", it has nothing to say of.
        about = (part for part in self._versions[loc].split(",") if "!=" not in part)
        found = (atom for part in about for atom in code_atoms(part))
        known.add_atoms(atom for atom in found if "." in atom.text)
        return known

    def _beside(self, loc: Loc) -> Known:
        """What a ``because`` may speak of: all this, and what the options say."""
        known = Known(set(self.known.keys))
        for other, text, _ in self._drawn.content.texts():
            if other[:1] == loc[:1] and other[-1] in ("right", "wrong"):
                known.add_atoms(atoms(text))
        return known

    def _counts(self, atom: Atom) -> bool:
        """Whether it counts a line of the printed code, or a step of the derivation."""
        if atom.of is None:
            return False
        content = self._drawn.content
        steps = len(content.steps) if isinstance(content, Derivation) else 0
        last = self._lines if atom.of == "line" else steps
        return all(1 <= key <= last for keys in atom.any_of for key in keys)  # type: ignore[operator]  # places are numbers

    def _ran(self, text: str) -> list[tuple[int, int]]:
        """The stretches of code that stand word for word in a source that a check runs."""
        spans = []
        for segment in segments(text):
            if segment.kind == "fence":
                at = segment.start
                for line in text[segment.start : segment.end].splitlines(keepends=True):
                    if self._in_source(line):
                        spans.append((at, at + len(line)))
                    at += len(line)
            elif segment.kind == "code" and self._in_source(text[segment.start : segment.end]):
                spans.append((segment.start, segment.end))
        return spans

    def _in_source(self, code: str) -> bool:
        """A piece of code, not a bare value: it has a name, and a bracket, a dot or a sign."""
        plain = tokens(code)
        if not re.search(r"[^\W\d]", plain) or not re.search(r"[(\[.=+*/@-]", plain):
            return False
        return any(plain in source for source in self._sources)


def _add_check(known: Known, check: Check) -> None:
    for value in check.arguments.values():
        _add_value(known, value)
    _add_expected(known, check)


def _add_expected(known: Known, check: Check) -> None:
    for fact, expectation in check.expect.items():
        known.add_atoms(code_atoms(fact))  # its name may be an expression
        if isinstance(expectation, Equals):
            _add_value(known, expectation.value)
            if not isinstance(expectation.value, Shape):
                known.add_atoms(code_atoms(expectation.text))
        elif isinstance(expectation, Formula):
            known.add_atoms(code_atoms(expectation.expression))
        elif isinstance(expectation, Gradcheck):
            _add_gradcheck(known, expectation)
        else:
            _add_text(known, expectation)


def _add_gradcheck(known: Known, expectation: Gradcheck) -> None:
    known.add(str(expectation.passes))
    for place in (expectation.output, expectation.input):
        if place is not None:
            known.add(place)


def _add_text(known: Known, expectation: Text | Raises | Warns) -> None:
    matches = None if expectation.matches is None else surely_matched(expectation.matches)
    for text in (expectation.contains, matches):
        if text:
            known.add_atoms(atoms(text))
            known.add_atoms(code_atoms(text))
    if isinstance(expectation, Warns) and expectation.count is not None:
        known.add(expectation.count)


def _add_value(known: Known, value: object) -> None:
    """Know an argument or an expected value, with all that it holds."""
    add = _ADDERS.get(type(value))
    if add is not None:
        add(known, value)


def _add_word(known: Known, value: bool | None) -> None:
    known.add(str(value))


def _add_plain(known: Known, value: float) -> None:
    known.add(number(repr(value)))


def _add_number(known: Known, value: Number) -> None:
    _add_plain(known, value.value)
    known.add_atoms(code_atoms(value.text))


def _add_code(known: Known, value: str) -> None:
    known.add_atoms(code_atoms(value))


def _add_shape(known: Known, value: Shape) -> None:
    known.keys.add(value.sizes)
    known.keys.update(value.sizes)


def _add_spec(known: Known, value: TensorSpec) -> None:
    for part in (value.shape, value.values, value.fill, value.strides):
        if part is not None:
            _add_value(known, part)


def _add_mapping(known: Known, value: Mapping[str, object]) -> None:
    for inner in value.values():
        _add_value(known, inner)


def _add_items(known: Known, items: list[object] | tuple[object, ...]) -> None:
    if all(isinstance(item, bool | int | float) for item in items):
        words = (str(item) if isinstance(item, bool) else repr(item) for item in items)
        known.add(tuple(number(word) for word in words))
    for item in items:
        _add_value(known, item)


_ADDERS: dict[type, Callable[[Known, Any], None]] = {
    type(None): _add_word,
    bool: _add_word,
    int: _add_plain,
    float: _add_plain,
    str: _add_code,
    Number: _add_number,
    Shape: _add_shape,
    TensorSpec: _add_spec,
    dict: _add_mapping,
    list: _add_items,
    tuple: _add_items,
}
