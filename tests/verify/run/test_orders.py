"""No check of the shipped bank changes what another one sees."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from closedbook.source import load_bank
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from closedbook.verify.job import Job, Outcome, Setup
from closedbook.verify.plan import Planner
from closedbook.verify.workers.chunk import run_chunk
from closedbook.verify.workers.isolate import run_alone

ROOT = Path(__file__).parents[3]
Observed = dict[str, Outcome]


@pytest.fixture(scope="module")
def planned() -> tuple[Setup, list[Job]]:
    """Every check of the bank, of a varying card those of its first draw."""
    bank, problems = load_bank(ROOT)
    assert bank is not None, problems
    planner = Planner(bank)
    jobs = {job.key: job for job in planner.contracts()}
    for card in bank.cards:
        space, _ = space_of(card)
        draw = next(iter(space.walk())) if space else {}
        drawn, _ = realise(card, draw, bank.generators)
        if drawn is not None:
            jobs |= {request.job.key: request.job for request in planner.requests(drawn)}
    return planner.setup, list(jobs.values())


@pytest.fixture(scope="module")
def in_order(planned: tuple[Setup, list[Job]]) -> Observed:
    """What each check observes when they run one after the other, as they stand."""
    return observe(run_chunk(*planned))


def observe(outcomes: Sequence[Outcome]) -> Observed:
    """Outcomes by key, without the time that they took."""
    return {outcome.key: replace(outcome, seconds=0.0) for outcome in outcomes}


def different(one: Observed, other: Observed) -> list[str]:
    """Say which outcomes are not the same, NaN being the same as NaN."""
    assert one.keys() == other.keys()
    return [f"{one[key]} / {other[key]}" for key in one if repr(one[key]) != repr(other[key])]


def test_the_bank_has_something_to_tell(planned: tuple[Setup, list[Job]]) -> None:
    """The tests below are about many checks, experiments among them."""
    assert len(planned[1]) > 50


@pytest.mark.parametrize("seed", [1, 2])
def test_shuffled(planned: tuple[Setup, list[Job]], in_order: Observed, seed: int) -> None:
    """In any order, in chunks of any size, every fact is the same."""
    setup, jobs = planned
    shuffled = random.Random(seed).sample(jobs, len(jobs))  # noqa: S311  # an order, not a secret
    chunks = [shuffled[at : at + 17 * seed] for at in range(0, len(shuffled), 17 * seed)]
    outcomes = [outcome for chunk in chunks for outcome in run_chunk(setup, chunk)]
    assert different(in_order, observe(outcomes)) == []


def test_a_process_each(planned: tuple[Setup, list[Job]], in_order: Observed) -> None:
    """Alone in a process, every run observes what it observes among all the others."""
    setup, jobs = planned
    runs: dict[str, list[Job]] = {}
    for job in jobs:
        runs.setdefault(f"{job.kind} {job.run} {job.arguments}", []).append(job)
    outcomes = [outcome for run in runs.values() for outcome in run_alone(setup, run)]
    assert different(in_order, observe(outcomes)) == []
