"""From a drawn card to jobs: which claims are to be checked, and under which keys."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet

from closedbook.model.bank import Bank, DrawnCard, Generator
from closedbook.model.claim import Check, Claim
from closedbook.model.value import Number, Shape, TensorSpec
from closedbook.source.digest import Digests
from closedbook.verify.environment import environment, torch_version
from closedbook.verify.job import Job, Setup
from closedbook.verify.receipts.keys import LENGTH, digest_of, key_of

_NAMELESS = frozenset({Shape, Number, TensorSpec, bool, type(None)})
"""Arguments that name no generator."""


@dataclass(slots=True)
class Request:
    """A claim's check as a job."""

    claim: Claim
    job: Job


class Planner:
    """Makes jobs of one bank. Its keys hold the digests of the generators that a check reaches."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._digests = Digests.of_bank(bank)
        self._environment = environment()
        self._begun: dict[tuple[str, ...], hashlib._Hash] = {}
        self.setup = Setup(
            root=bank.root,
            paths={name: generator.path for name, generator in bank.generators.items()},
            version=key_of({"files": _python(bank)}),
        )

    def request(self, claim: Claim) -> Request | None:
        """The job of a claim; None where it is not to be checked here."""
        check = claim.check
        if check is None or not is_run(claim):
            return None
        return Request(claim, self._job(check, claim.quote))

    def requests(self, drawn: DrawnCard) -> Iterator[Request]:
        """The jobs of a drawn card, claim by claim."""
        for claim in drawn.claims:
            request = self.request(claim)
            if request is not None:
                yield request

    def _job(self, check: Check, quote: str | None) -> Job:
        digest = self._common(self._reached(check)).copy()
        own = sorted(check.arguments.items()), sorted(check.expect.items()), quote, check.timeout
        digest.update(repr(own).encode())
        key = digest.hexdigest()[:LENGTH]
        return Job(
            key=key,
            run=check.run,
            arguments=check.arguments,
            expect=check.expect,
            quote=quote,
            timeout=check.timeout,
        )

    def _common(self, names: tuple[str, ...]) -> hashlib._Hash:
        """What the keys of all checks that name these generators begin with."""
        known = self._begun.get(names)
        if known is None:
            parts = {
                "run": names[0],
                "reaches": [self._digests.digest_of(name) for name in names],
                "environment": self._environment,
            }
            known = self._begun[names] = digest_of(parts)
        return known

    def _reached(self, check: Check) -> tuple[str, ...]:
        """The generators that a check names: what it runs, and what it hands over by name."""
        arguments = check.arguments
        if not _NAMELESS.issuperset(map(type, arguments.values())):
            return (check.run, *sorted(set(_names(arguments, self._bank.generators))))
        return (check.run,)

    def contracts(self) -> Iterator[Job]:
        """The checks of the marked Functions themselves."""
        for name, generator in self._bank.generators.items():
            if generator.role == "experiment":
                continue
            named = (generator.mark.get(field, "").strip("'\"") for field in ("of", "caught_by"))
            parts = {
                "kind": generator.role,
                "run": name,
                "reaches": [
                    self._digests.digest_of(name, mark=True),
                    *map(self._digests.digest_of, named),
                ],
                "environment": self._environment,
            }
            yield Job(key_of(parts), name, kind=generator.role)


def _names(value: object, known: Mapping[str, Generator]) -> Iterator[str]:
    if isinstance(value, str):
        if value in known:
            yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _names(inner, known)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _names(inner, known)


def _python(bank: Bank) -> list[tuple[str, str]]:
    return sorted(item for item in bank.digests.items() if item[0].startswith("generators/"))


def is_run(claim: Claim) -> bool:
    """Whether a claim's check is run here: who is let pass, or is about another torch, is not."""
    return claim.check is not None and not claim.unchecked and applies(claim)


def applies(claim: Claim) -> bool:
    """Whether a claim is about the torch that is installed. Reading has seen to its specifier."""
    if claim.versions is None:
        return True
    return SpecifierSet(claim.versions).contains(torch_version(), prereleases=True)
