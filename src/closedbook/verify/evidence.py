"""The evidence of a bank that holds, looked up card by card when somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from closedbook.model.bank import Bank, Card
from closedbook.source.realise import realise
from closedbook.verify.environment import torch_version
from closedbook.verify.job import Outcome
from closedbook.verify.plan import Planner, Request
from closedbook.verify.receipts.of_run import RunReceipts
from closedbook.verify.select import Draws
from closedbook.verify.verified import (
    _TOKEN,
    Evidence,
    VerifiedBank,
    VerifiedCard,
    VerifiedDraw,
)
from closedbook.verify.words import call_in_words, facts_in_words
from closedbook.verify.workers.backends import Inline


class _Prover:
    """Makes the evidence of one draw from its receipts; a check without one is run again."""

    def __init__(self, bank: Bank, planner: Planner, ledger: RunReceipts) -> None:
        self._bank = bank
        self._planner = planner
        self._ledger = ledger

    def at(self, card: Card, draws: Draws, index: int) -> VerifiedDraw:
        drawn, problems = realise(card, draws[index], self._bank.generators)
        if drawn is None:
            raise RuntimeError(f"{card.id} was verified and cannot be drawn: {problems}")
        requests = [self._planner.request(claim) for claim in drawn.claims]
        asked = [request for request in requests if request is not None]
        known = self._ledger.get([request.job.key for request in asked])
        outcomes = [self._outcome(request, known.get(request.job.key)) for request in asked]
        words = facts_in_words(
            (outcome.facts, request.job.expect)
            for request, outcome in zip(asked, outcomes, strict=True)
        )
        found = map(self._evidence, asked, outcomes, words)
        return VerifiedDraw(drawn, tuple(next(found) if request else None for request in requests))

    def _outcome(self, request: Request, outcome: Outcome | None) -> Outcome:
        """What a check found, run again where nobody has kept it."""
        if outcome is None:
            outcome = Inline().alone(self._planner.setup, request.job)
            if not outcome.holds:
                raise RuntimeError(
                    f"{request.job.run} held in this run and does no more: {outcome}"
                )
            self._ledger.put([outcome])
        return outcome

    def _evidence(self, request: Request, outcome: Outcome, words: dict[str, str]) -> Evidence:
        check = request.claim.check
        assert check is not None  # noqa: S101 - only claims with a check are requested
        generator = self._bank.generators[check.run]
        return Evidence(
            run=call_in_words(check, generator),
            facts=outcome.facts,
            place=generator.place,
            torch=torch_version(),
            quote=outcome.quote,
            words=words,
        )


@dataclass(slots=True)
class _CardEvidence:
    """The evidence of one card, by the number of its draw: small, for each card has one."""

    prover: _Prover
    card: Card
    draws: Draws

    def __call__(self, index: int) -> VerifiedDraw:
        return self.prover.at(self.card, self.draws, index)


def verified_bank(
    bank: Bank, cards: Sequence[tuple[Card, Draws]], planner: Planner, ledger: RunReceipts
) -> VerifiedBank:
    """The bank that the engine has found to hold."""
    prover = _Prover(bank, planner, ledger)
    verified = tuple(
        VerifiedCard(card, draws, _CardEvidence(prover, card, draws)) for card, draws in cards
    )
    return VerifiedBank(_TOKEN, bank, verified, torch_version())
