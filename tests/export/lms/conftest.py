"""The bank that every format writes, its plan and its first variant."""

from __future__ import annotations

import pytest

from closedbook.paper.exam import Variant
from closedbook.paper.make import Maker
from closedbook.paper.plan import Plan, make_plan
from closedbook.verify.verified import VerifiedBank
from tests.export.exam.kinds import every_kind
from tests.export.lms.papers import MORE, NUMBERS, SVG


@pytest.fixture(scope="session")
def bank(tmp_path_factory: pytest.TempPathFactory) -> VerifiedBank:
    """Every kind of card, a number, a typed answer, a cloze in running text, a figure."""
    root = tmp_path_factory.mktemp("lms")
    return every_kind(root, NUMBERS, MORE, **{"cards/unit/square.svg": SVG})


@pytest.fixture(scope="session")
def plan(bank: VerifiedBank) -> Plan:
    """Its plan."""
    plan, problems = make_plan(bank, bank.bank.blueprints[0])
    assert plan is not None, "\n".join(map(str, problems))
    return plan


@pytest.fixture(scope="session")
def variant(bank: VerifiedBank, plan: Plan) -> Variant:
    """Variant A."""
    return Maker(bank, plan).variant(0)
