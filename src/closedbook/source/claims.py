"""What a card states, each statement with the whole check that shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from closedbook.model.bank import Generator
from closedbook.model.claim import DEFAULT_TIMEOUT, Check, Claim
from closedbook.model.kinds import Cloze, Content
from closedbook.model.kinds.base import Statement, WrittenCheck
from closedbook.model.origin import Loc
from closedbook.model.value import Value
from closedbook.problem import did_you_mean
from closedbook.source.expects import parse_expect
from closedbook.source.generators import ANY
from closedbook.source.names import hint
from closedbook.source.values import Found, Mistake, no_tensor, parse_arguments

_GRAD_OUTPUT = re.compile(r"grad_output\d*")
_ADVICE = (
    "give it a 'check' (or 'expect' alone, where the card's check has the 'run'), "
    "or say why not with 'unchecked'"
)
_EXPECT_ADVICE = "give the card's check an 'expect', or say why not with 'unchecked'"
_CARD_ADVICE = "give the card a 'check' with 'expect', or say why not with 'unchecked'"


class ClaimMaker:
    """Makes out the claims of one drawn card; mistakes gather in ``found``."""

    def __init__(self, content: Content, generators: Mapping[str, Generator], found: Found) -> None:
        self.content = content
        self.generators = generators
        self.found = found
        self._arguments: dict[Loc, dict[str, Value]] = {}

    def claims(self) -> tuple[Claim, ...]:
        """Every claim, in the order in which it is printed."""
        claims: list[Claim] = []
        used = False
        for statement in self.content.statements():
            check = self._check(statement)
            self._versions(statement)
            used = used or (statement.of_card and check is not None)
            claims.append(
                Claim(
                    statement.role,
                    statement.say,
                    statement.loc,
                    statement.say_loc,
                    check,
                    statement.unchecked,
                    statement.quote,
                    statement.versions,
                )
            )
        card = self.content.check
        if card is not None and card.expect is not None and not used:
            check = self._made(card, card.expect, ("check",), ("check", "expect"))
            claims.append(Claim("card", "", ("check",), ("check",), check))
        elif not claims and isinstance(self.content, Cloze):
            self.found.add(
                (),
                Mistake(
                    "nothing shows what this card states: "
                    "give it 'claims', or a 'check' with 'expect'"
                ),
            )
        return tuple(claims)

    def _check(self, statement: Statement) -> Check | None:
        """The check of a statement; None where it has none, and that is a mistake or excused."""
        card = self.content.check
        if statement.of_card:
            if card is not None and card.expect is not None:
                return self._made(card, card.expect, ("check",), ("check", "expect"))
            if statement.unchecked is None:
                self._unproven(statement, _CARD_ADVICE if card is None else _EXPECT_ADVICE)
            return None
        own = statement.check
        if own is not None and own.expect is not None and statement.expect is not None:
            again = Mistake("'expect' is given twice: here and in 'check'", "expect", key=True)
            self.found.add(statement.loc, again)
        if own is not None and own.expect is not None:
            at = (*statement.loc, "check", "expect")
            return self._made(own, own.expect, (*statement.loc, "check"), at)
        if statement.expect is not None:
            loc = ("check",) if own is None else (*statement.loc, "check")
            return self._made(own, statement.expect, loc, (*statement.loc, "expect"))
        if own is not None:
            mistake = Mistake("this check expects nothing: give it 'expect'", key=True)
            self.found.add((*statement.loc, "check"), mistake)
        elif statement.unchecked is None:
            self._unproven(statement, _ADVICE)
        return None

    def _versions(self, statement: Statement) -> None:
        if statement.versions is None:
            return
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        try:
            SpecifierSet(statement.versions)
        except InvalidSpecifier:
            advice = 'expected versions of torch in quotes, such as ">=2.13"'
            self.found.add(statement.loc, Mistake(advice, "versions"))

    def _unproven(self, statement: Statement, advice: str) -> None:
        names = {
            "answer": "this answer",
            "option": "this right option",
            "step": "this step",
            "result": "this result",
            "fix": "this fix",
        }
        name = names.get(statement.role, "this claim")
        key = isinstance(statement.loc[-1], str)
        self.found.add(statement.loc, Mistake(f"{name} has no check: {advice}", key=key))

    def _made(
        self,
        own: WrittenCheck | None,
        raw_expect: dict[str, Any],
        loc: Loc,
        expect_loc: Loc,
    ) -> Check | None:
        """A whole check: what ``own`` does not say comes from the card's."""
        card = self.content.check
        run, run_loc = (own.run, loc) if own else (None, loc)
        raw, with_loc = (own.arguments, loc) if own else (None, loc)
        timeout = own.timeout if own else None
        if run is None and card is not None:
            run, run_loc = card.run, ("check",)
            if raw is None:
                raw, with_loc = card.arguments, ("check",)
        if timeout is None and card is not None:
            timeout = card.timeout
        expect, locs = parse_expect(raw_expect, expect_loc, self.found)
        if not raw_expect:
            self.found.add(expect_loc, Mistake("nothing is expected", key=True))
        if run is None:
            where = loc if own is not None else expect_loc
            advice = "this check has no 'run', and the card's own check gives none"
            self.found.add(where, Mistake(advice, key=True))
            return None
        arguments = self._parsed(raw or {}, (*with_loc, "with"))
        self._called(run, raw, (*run_loc, "run"), (*with_loc, "with"))
        return Check(run, arguments, expect, loc, locs, timeout or DEFAULT_TIMEOUT)

    def _parsed(self, raw: dict[str, Any], loc: Loc) -> dict[str, Value]:
        if loc not in self._arguments:
            self._arguments[loc] = parse_arguments(raw, loc, self.found)
        return self._arguments[loc]

    def _called(self, run: str, raw: dict[str, Any] | None, run_loc: Loc, with_loc: Loc) -> None:
        """Whether ``run`` is known and takes these arguments."""
        generator = self.generators.get(run)
        if generator is None:
            near = hint(run, self.generators)
            self.found.add(run_loc, Mistake(f"nothing in generators/ is called {run!r}{near}"))
            return
        given = raw or {}
        if generator.role != "experiment":
            for name, value in self._parsed(given, with_loc).items():
                if (mistake := no_tensor(value)) is not None:
                    self.found.add((*with_loc, name), mistake)
        meant: set[str] = set()
        for name in given:
            if name in generator.parameters or ANY in generator.parameters:
                continue
            if generator.role != "experiment" and _GRAD_OUTPUT.fullmatch(name):
                continue
            takes = ", ".join(generator.parameters) or "no arguments"
            near = did_you_mean(name, generator.parameters)
            message = f"{run} has no argument {name!r}{near or f' (it takes {takes})'}"
            self.found.add_instead((*with_loc, name), Mistake(message, key=True))
            meant.add(near)
        missing = [
            name
            for name in generator.required
            if name not in given and not any(f"'{name}'" in near for near in meant)
        ]
        self._functions(generator, given, with_loc)
        if missing:
            names = ", ".join(repr(name) for name in missing)
            place = with_loc if raw is not None else run_loc
            self.found.add(
                place, Mistake(f"{run} also needs {names} in 'with'", key=raw is not None)
            )

    def _functions(self, generator: Generator, given: dict[str, Any], loc: Loc) -> None:
        """Whether an argument that names a Function names one."""
        if not generator.functions:
            return
        known = [name for name, g in self.generators.items() if g.role != "experiment"]
        for name in generator.functions:
            value = given.get(name)
            if isinstance(value, str) and value not in known and value != "None":
                near = hint(value, self.generators, known)
                message = f"no Function in generators/ is called {value!r}{near}"
                self.found.add((*loc, name), Mistake(message))
